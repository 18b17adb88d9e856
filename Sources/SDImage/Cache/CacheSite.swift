import Synchronization

/// The resources of a disk cache while its folder is open.
/// Made by `CacheOpener`; a folder that was removed and created again gets another object.
final class CacheSite: Sendable {
    let folder: CacheFolder
    let instance: CacheInstance
    let index: CacheIndex
    /// Number of the latest write of this instance.
    private let lastWrite = Atomic<UInt64>(0)

    /// Throws if the folder is unusable. Blocks.
    init(_ configuration: CacheConfiguration, store: @escaping CacheStoreFactory) throws(ImageError) {
        guard let directory = configuration.directory else { throw .noCacheDirectory }
        folder = try CacheFolder(
            directory: directory, namespace: configuration.namespace, modes: configuration.modes,
            isDurable: configuration.isDurable)
        instance = try CacheInstance(in: folder.root)
        index = CacheIndex(folder, isDurable: configuration.isDurable, open: store)
        // Images that crash decoders are recorded in the folder as long as it is open.
        CrashRecords.add(folder.root, configuration.modes)
    }

    deinit { CrashRecords.remove(folder.root) }

    /// The identifier of the next write.
    func nextWrite() -> CacheWrite {
        CacheWrite(instance: instance.id, number: lastWrite.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Applies changes in one transaction and removes the files that no row refers to any more.
    /// Files that cannot be removed are swept later. Blocks.
    func apply(_ changes: [CacheChange]) throws(ImageError) {
        let files = try index.perform { store throws(ImageError) in try store.apply(changes) }
        for file in files { folder.remove(path: file) }
    }

    /// Removes all rows and their files. Blocks.
    func removeAll() throws(ImageError) {
        let files = try index.perform { store throws(ImageError) in try store.removeAll() }
        for file in files { folder.remove(path: file) }
    }

    func totals() throws(ImageError) -> CacheTotals {
        try index.perform { store throws(ImageError) in try store.totals() }
    }

    /// Removes what only this instance needs. Files without a row are left by dead instances only.
    func close() {
        CrashRecords.remove(folder.root)
        index.close()
        folder.removePins(of: instance.id)
        instance.finish()
    }
}
