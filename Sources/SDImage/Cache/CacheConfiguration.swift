import Glibc

/// How a cache is made. Copied at its creation; sizes and ages can be changed on the running cache.
package struct CacheConfiguration: Sendable {
    /// Where the folders of all namespaces lie; nil keeps everything in memory.
    package var directory = DefaultDirectory().path
    /// One path component.
    package var namespace = "default"
    /// 0 = unlimited.
    package var maxMemoryCost = 0
    package var maxMemoryCount = 0
    package var eviction = EvictionPolicy.adaptive
    /// False: nothing enters memory but by an explicit wish.
    package var keepsImagesInMemory = true
    /// Pictures that left memory are found as long as somebody else holds them.
    package var keepsWeakImages = false
    /// No folder, no files.
    package var isMemoryOnly = false
    package var disk = DiskLimits()
    /// Entries up to this size lie inside the database.
    package var inlineEntryLimit = 65536
    /// Each store survives a power cut once it is reported; costs a wait for the disk each time.
    package var isDurable = false
    package var modes = CacheModes()
    /// Bytes that lie elsewhere, asked for when the disk part has none; may block for a file.
    package var additionalBytes: (@Sendable (CacheKey) -> Bytes?)?

    package init() {}
}

/// Rights of the folders and files that a disk cache makes.
package struct CacheModes: Sendable, Equatable {
    package let folder: mode_t
    package let file: mode_t

    /// The owner always has all rights that are needed. Nobody else may write: that would be as good as being the owner.
    package init(folder: UInt32 = 0o700, file: UInt32 = 0o600) {
        self.folder = mode_t(folder & 0o055 | 0o700)
        self.file = mode_t(file & 0o044 | 0o600)
    }
}

/// How much a disk cache keeps, and for how long.
package struct DiskLimits: Sendable, Equatable {
    /// Bytes of disk; 0 = unlimited.
    package var maxSize = 0
    /// Seconds; negative = for ever, 0 = everything is old.
    package var maxAge = 604_800
    package var rule = ExpiryRule.access

    package init() {}
}

/// Which date of an entry tells its age. Entries are replaced, never changed: they are as old as their store.
package enum ExpiryRule: Int32, Sendable {
    case access = 0
    case creation = 1
}
