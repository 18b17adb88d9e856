import CSQLite
import Glibc
import SDImage

/// The processor time that one call of the store may take on its connection.
///
/// An index that another program wrote may hold pages that refer to the same page thousands of times, or millions of rows of one
/// digest: SQLite would compute without end. Elapsed time tells nothing: the disk may be slow and the machine busy.
/// Used under the lock that serializes the connection.
final class SQLiteBudget {
    /// Instructions of SQLite between two checks; one may read a value of 256 MiB. A look-up in a sound index takes about 20.
    static let interval: Int32 = 250

    private var limit: UInt64
    /// Processor time of the thread at the first check of the call, because reading that clock costs as much as a look-up of a page.
    private var begun: UInt64?

    init(_ limit: UInt64) { self.limit = limit }

    func begin(_ limit: UInt64) {
        self.limit = limit
        begun = nil
    }

    /// The progress handler of SQLite; not 0 ends the statement with SQLITE_INTERRUPT.
    static func check(_ context: UnsafeMutableRawPointer?) -> Int32 {
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<SQLiteBudget>.fromOpaque(context).takeUnretainedValue().isExceeded ? 1 : 0
    }

    private var isExceeded: Bool {
        let now = MonotonicClock.processor
        guard let begun else {
            begun = now
            return false
        }
        return now &- begun > limit
    }
}
