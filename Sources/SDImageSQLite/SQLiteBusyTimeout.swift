import Glibc
import SDImage

/// Time limit for waiting until another process releases a lock on the database.
///
/// SQLite's own busy handler retries after longer and longer pauses, and so misses the short gaps between the slices of a
/// trim until the trim ends. Used under the lock that serializes the connection.
/// `SQLiteConnection` has one, which SQLite finds by its address.
final class SQLiteBusyTimeout {
    /// Another process may lock the database for its transaction; after this time the store is dropped (docs/decisions.md,
    /// "Stores are committed together").
    static let ofStores: UInt64 = 2_000_000_000

    /// Nanoseconds.
    var limit = SQLiteBusyTimeout.ofStores
    /// Time of the first wait for the current lock, monotonic nanoseconds.
    private var begun: UInt64 = 0

    /// Busy handler, which SQLite calls before each retry; a result of 0 ends the retries.
    /// `count`: number of calls for the same lock. The statement fails with SQLITE_BUSY when the retries end.
    static func wait(_ context: UnsafeMutableRawPointer?, _ count: Int32) -> Int32 {
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<SQLiteBusyTimeout>.fromOpaque(context).takeUnretainedValue().wait(count) ? 1 : 0
    }

    private func wait(_ count: Int32) -> Bool {
        let now = MonotonicClock.now
        // SQLite counts from 0 for each lock.
        if count == 0 { begun = now }
        guard now &- begun < limit else { return false }
        // Well below `Trimmer.sliceGap` for the duration of most transactions.
        // Short pauses at first, because most locks are held for a moment.
        usleep(count < 100 ? 100 : 2000)
        return true
    }
}
