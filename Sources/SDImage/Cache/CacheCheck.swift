extension ImageCaching {
    /// Throws the reason why entries cannot be stored on disk now; `unsupported` for a cache whose disk parts are all of the
    /// host, or that has none. Blocks.
    package func checkDiskNow() throws(ImageError) {
        guard try CacheCheck.check(self) else { throw ImageError(.unsupported, "cache: no built-in disk part") }
    }
}

/// A check of the built-in disk parts of a cache, through chains and layers.
/// A cache of the host has no check of its own.
private enum CacheCheck {
    /// False for a cache without such a part.
    static func check(_ cache: any CachePart) throws(ImageError) -> Bool {
        switch cache {
        case let cache as ImageCache: return try cache.checkOwnDiskNow()
        case let cache as LayeredCache: return try check(cache.diskPart)
        case let chain as CacheChain:
            var isChecked = false
            // Ends at the first error.
            for member in chain.members where try check(member) { isChecked = true }
            return isChecked
        default: return false
        }
    }
}
