/// A cache key with its printed form for C callers, which is made when it is first read, because most programs never read it.
/// Part of each `ImageResult`.
package final class PrintedKey: Sendable {
    package static let empty = PrintedKey(CacheKey([]))

    package let key: CacheKey
    /// nil before the first read.
    private let made = Lock<CString?>(nil)

    package init(_ key: CacheKey) { self.key = key }

    /// The same object each time, so that C callers can borrow its bytes.
    package var text: CString {
        made.withLock { made in
            let text = made ?? CString(key.printed)
            made = text
            return text
        }
    }
}
