/// The right, and the duty, of this process to ask the origin for an entry that several processes share. It ends with the
/// last reference: stored or failed, whoever waits need wait no longer.
package final class CacheLease: Sendable {
    private let end: @Sendable () -> Void

    /// `end` is called once, wherever the last reference goes: it posts, and does nothing itself.
    package init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}

/// What a shared cache says before the origin is asked.
package enum CacheLeasing: Sendable {
    /// Nothing: the origin is asked as if there were no others.
    case unknown
    /// This process is to ask.
    case granted(CacheLease)
    /// Another one has asked meanwhile.
    case found(CachedData)
}
