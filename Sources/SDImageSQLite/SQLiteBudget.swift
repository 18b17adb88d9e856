import CSQLite
import Glibc
import SDImage

/// Limit of processor time for one call of the store on its connection.
///
/// An index written by another program may refer to the same page thousands of times, or contain millions of rows of one
/// digest: SQLite would compute without end. Elapsed time says nothing: the disk may be slow and the machine busy.
/// Used under the lock that serializes the connection.
final class SQLiteBudget {
    /// SQLite instructions between two checks; one may read a value of 256 MiB. A look-up in an intact index takes about 20.
    static let interval: Int32 = 250

    /// Nanoseconds of processor time.
    private var limit: UInt64
    /// Processor time of the thread at the first check of a call; reading it at the start would cost as much as a page look-up.
    private var begun: UInt64?

    init(_ limit: UInt64) { self.limit = limit }

    /// Called before each call of the store.
    func begin(_ limit: UInt64) {
        self.limit = limit
        begun = nil
    }

    /// Progress handler of SQLite; a result other than 0 ends the statement with SQLITE_INTERRUPT.
    /// `context`: the budget, not retained. Called by SQLite during a statement, on the thread that runs it.
    static func check(_ context: UnsafeMutableRawPointer?) -> Int32 {
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<SQLiteBudget>.fromOpaque(context).takeUnretainedValue().isExceeded ? 1 : 0
    }

    /// False at the first check, from which the time counts.
    private var isExceeded: Bool {
        let now = MonotonicClock.processor
        guard let begun else {
            begun = now
            return false
        }
        return now &- begun > limit
    }
}
