import Synchronization

/// The resources of a disk cache while its folder is open.
final class CacheSite: Sendable {
    let folder: CacheFolder
    let instance: CacheInstance
    let index: CacheIndex
    private let lastWrite = Atomic<UInt64>(0)

    init(_ configuration: CacheConfiguration, store: @escaping CacheStoreFactory) throws(ImageError) {
        guard let directory = configuration.directory else {
            throw ImageError(.cacheUnusable, "disk cache: no folder set, and the user has no home directory")
        }
        folder = try CacheFolder(
            directory: directory, namespace: configuration.namespace, modes: configuration.modes,
            isDurable: configuration.isDurable)
        instance = try CacheInstance(in: folder.root)
        index = CacheIndex(folder, isDurable: configuration.isDurable, open: store)
    }

    /// The identifier of the next write.
    func nextWrite() -> CacheWrite {
        CacheWrite(instance: instance.id, number: lastWrite.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    func close() {
        index.close()
        folder.removePins(of: instance.id)
        instance.finish()
    }
}
