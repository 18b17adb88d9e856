import CSDImage
import SDImage

/// A pointer of the host together with its destructor, which is called exactly once after the last use.
///
/// The destructor is never called here, where a lock may be held: it is posted to the callback thread. Sendable because the
/// host promised that its functions may be called from any thread.
@safe package final class Foreign: @unchecked Sendable {
    package let userData: UserData
    private let destroy: sdimage_destroy_fn?

    package init(_ userData: UserData, _ destroy: sdimage_destroy_fn?) {
        unsafe self.userData = userData
        unsafe self.destroy = destroy
    }

    deinit {
        guard let destroy = unsafe destroy else { return }
        let address = unsafe UInt(bitPattern: userData)
        nonisolated(unsafe) let function = unsafe destroy
        Engine.callLater { unsafe function(UnsafeMutableRawPointer(bitPattern: address)) }
    }
}

/// A host pointer together with a table of functions.
@safe package final class ForeignTable<Table>: @unchecked Sendable {
    // Unchecked: copied once and never changed; see `Foreign` for the pointer.
    /// The host's functions; NULL for those that its version of the header does not have.
    package let table: Table
    package let foreign: Foreign
    package var userData: UserData { unsafe foreign.userData }

    package init(_ table: Table, _ foreign: Foreign) {
        self.table = table
        self.foreign = foreign
    }
}
