import Glibc

/// Options of a cache, copied when it is created. Sizes and ages can also be changed on the running cache.
/// Set by the functions of `include/sdimage/cache.h` and `include/sdimage/disk_cache.h`.
package struct CacheConfiguration: Sendable {
    /// Folder that contains the folders of all namespaces; nil keeps everything in memory.
    package var directory = DefaultDirectory().path
    /// Folder name of the cache: a single path component.
    package var namespace = "default"
    /// Limit of the memory part in bytes of pixels; 0 = unlimited.
    package var maxMemoryCost = 0
    /// Limit of the memory part in images; 0 = unlimited.
    package var maxMemoryCount = 0
    package var eviction = EvictionPolicy.adaptive
    /// False: loads store no images in memory; only explicit stores do.
    package var keepsImagesInMemory = true
    /// Images evicted from memory remain available while other code holds them.
    package var keepsWeakImages = false
    /// Disables the disk cache: no folder, no files.
    package var isMemoryOnly = false
    /// Limits of the disk part.
    package var disk = DiskLimits()
    /// Largest entry, in bytes, stored inside the database.
    package var inlineEntryLimit = 65536
    /// A store survives a power failure once it is reported as complete; each store waits for the disk.
    package var isDurable = false
    /// Permissions of new folders and files.
    package var modes = CacheModes()
    /// Supplies bytes from another place when the disk cache has no entry; may block on a file.
    package var additionalBytes: (@Sendable (CacheKey) -> Bytes?)?

    package init() {}

    /// Folder of the disk cache; meaningless without a directory.
    package var path: String { (directory ?? "") + "/" + namespace }
}

/// Permissions of the folders and files created by a disk cache.
package struct CacheModes: Sendable, Equatable {
    package let folder: mode_t
    package let file: mode_t

    /// Always grants the owner the permissions that the cache needs. Never lets others write: write access equals ownership.
    package init(folder: UInt32 = 0o700, file: UInt32 = 0o600) {
        // Bits of the group and others may be granted, except for writing; those of the owner are always set.
        self.folder = mode_t(folder & 0o055 | 0o700)
        self.file = mode_t(file & 0o044 | 0o600)
    }
}

/// Size and age limits of a disk cache.
package struct DiskLimits: Sendable, Equatable {
    /// Bytes of disk; 0 = unlimited.
    package var maxSize = 0
    /// Seconds; negative = no limit, 0 = every entry is expired.
    package var maxAge = 604_800
    /// Date from which `maxAge` counts.
    package var rule = ExpiryRule.access

    package init() {}
}

/// Date that determines the age of an entry: that of its last read or of its store. The raw values are those of
/// `sdimage_expire_rule`.
package enum ExpiryRule: UInt32, Sendable {
    /// The last read.
    case access = 0
    /// The store.
    case modification = 1
}
