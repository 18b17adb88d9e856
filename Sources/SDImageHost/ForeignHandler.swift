import CSDImage
import SDImage

/// The host's callbacks for one load: `sdimage_load_handler`. `LoadTask` calls it on the dispatcher of the load, one call at a
/// time.
@safe package final class ForeignHandler: LoadHandler, @unchecked Sendable {
    // Unchecked: copied once and never changed; see `Foreign` for the pointer.
    private let table: sdimage_load_handler
    private let foreign: Foreign

    package init(_ table: UnsafePointer<sdimage_load_handler>?, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_load_handler>.offset(of: \.progress) ?? 0
        self.table = unsafe try Input.table(table, size: size, required: required, empty: sdimage_load_handler())
        self.foreign = foreign
    }

    /// False saves the deliveries of progress.
    package var wantsProgress: Bool { unsafe table.progress != nil }

    package func result(_ task: LoadTask, _ result: ImageResult) {
        unsafe table.result?(foreign.userData, Handle.lend(task), Handle.lend(result))
    }

    package func progress(_ task: LoadTask, received: Int64, expected: Int64) {
        unsafe table.progress?(foreign.userData, Handle.lend(task), received, expected)
    }
}
