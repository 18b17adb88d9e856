import Glibc
import SDImage

/// For how long a connection waits while another process has what it needs.
///
/// SQLite's own way of waiting looks again after longer and longer pauses, and so misses the short gaps that a trim leaves
/// between its slices until that is done. Used under the lock that serialises the connection.
final class SQLiteBusyTimeout {
    /// Another process may hold the database for its transaction; longer than this and the store is dropped (docs/decisions.md,
    /// "Stores are committed together").
    static let ofStores: UInt64 = 2_000_000_000

    /// Nanoseconds.
    var limit = SQLiteBusyTimeout.ofStores
    private var begun: UInt64 = 0

    /// What SQLite calls before it tries once more; 0 says that it shall give up.
    static func wait(_ context: UnsafeMutableRawPointer?, _ count: Int32) -> Int32 {
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<SQLiteBusyTimeout>.fromOpaque(context).takeUnretainedValue().wait(count) ? 1 : 0
    }

    private func wait(_ count: Int32) -> Bool {
        let now = MonotonicClock.now
        if count == 0 { begun = now }
        guard now &- begun < limit else { return false }
        // Well below `DiskCache.sliceGap` for as long as most transactions take.
        usleep(count < 100 ? 100 : 2000)
        return true
    }
}
