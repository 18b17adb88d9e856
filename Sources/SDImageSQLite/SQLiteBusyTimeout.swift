import Glibc
import SDImage

/// Time limit for waiting until another process releases a lock on the database.
///
/// SQLite's own busy handler retries after longer and longer pauses, and so misses the short gaps between the slices of a
/// trim until the trim ends. Used under the lock that serializes the connection.
final class SQLiteBusyTimeout {
    /// Another process may lock the database for its transaction; after this time the store is dropped (docs/decisions.md,
    /// "Stores are committed together").
    static let ofStores: UInt64 = 2_000_000_000

    /// Nanoseconds.
    var limit = SQLiteBusyTimeout.ofStores
    private var begun: UInt64 = 0

    /// Busy handler, which SQLite calls before each retry; a result of 0 ends the retries.
    static func wait(_ context: UnsafeMutableRawPointer?, _ count: Int32) -> Int32 {
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<SQLiteBusyTimeout>.fromOpaque(context).takeUnretainedValue().wait(count) ? 1 : 0
    }

    private func wait(_ count: Int32) -> Bool {
        let now = MonotonicClock.now
        if count == 0 { begun = now }
        guard now &- begun < limit else { return false }
        // Well below `Trimmer.sliceGap` for the duration of most transactions.
        usleep(count < 100 ? 100 : 2000)
        return true
    }
}
