/// Stores images in a cache: the image in memory, and on disk the bytes that came with it, or the encoded image.
/// Serves the store functions of the C interface, which have no load.
package struct ImageStore: Sendable {
    private let cache: any ImageCaching
    private let registry: CoderRegistry
    /// The layers that the caller selected; others are left unchanged.
    private let layers: CacheLayers

    package init(cache: any ImageCaching, registry: CoderRegistry, layers: CacheLayers) {
        self.cache = cache
        self.registry = registry
        self.layers = layers
    }

    /// Stores the image in memory, which is immediate.
    package func storeInMemory(_ image: Image?, for key: CacheKey) {
        if let image, layers.contains(.memory) { cache.memoryPart.store(image, for: key) }
    }

    /// Stores in memory and on disk; blocks until the store is committed.
    /// Throws errors of the encoder and of the cache, such as `wouldDeadlock` on threads of the library.
    package func storeNow(_ image: Image?, _ bytes: Bytes?, for key: CacheKey, options: EncodeOptions) throws(ImageError) {
        storeInMemory(image, for: key)
        guard let data = try entry(image, bytes, options) else { return }
        do throws(ImageError) { try BlockingCache(cache).store(data, for: key) } catch { try forgive(error, image) }
    }

    /// Stores on disk; returns when the store is committed. Memory must have the image already.
    /// Encodes on a worker at normal priority.
    package func storeOnDisk(_ image: Image?, _ bytes: Bytes?, for key: CacheKey, options: EncodeOptions, engine: Engine)
        async throws(ImageError)
    {
        let made = try await engine.work.run(.normal) { () throws(ImageError) -> CachedData? in
            try entry(image, bytes, options)
        }
        guard let made else { return }
        do throws(ImageError) {
            // A load may ignore that there is no disk part; the caller of a store expects its error.
            _ = try (cache.diskPart as? ImageCache)?.requiredDisk()
            try await cache.diskPart.store(made, for: key)
        } catch { try forgive(error, image) }
    }

    /// The data to store on disk; nil for none.
    /// Given bytes are stored unchanged. Encoding runs on the calling thread.
    package func entry(_ image: Image?, _ bytes: Bytes?, _ options: EncodeOptions) throws(ImageError) -> CachedData? {
        guard layers.contains(.disk) else { return nil }
        var data: CachedData
        if let bytes {
            data = CachedData(bytes: bytes)
        } else if let image, let own = image.frames?.encoded, !image.metadata.isThumbnail, !image.metadata.isIncremental {
            // The encoded bytes that contain all frames. Those of a partial image end early, and are no image for decoders.
            data = CachedData(bytes: own)
        } else if let image {
            let format = registry.format(toStore: image)
            // The registry starts the time limit of the options; a store cannot be cancelled.
            data = CachedData(bytes: try registry.encode(image, format: format, options: options, stop: CancellationToken()))
        } else {
            return nil
        }
        data.extendedData = image?.metadata.extendedData
        // A shared cache treats the entry as private although it has no record of the response.
        data.isOfPrivateImage = image?.metadata.response?.record.isPrivate ?? false
        return data
    }

    /// Ignores an unsupported store on disk if the image is stored in memory.
    private func forgive(_ error: ImageError, _ image: Image?) throws(ImageError) {
        guard error.status == .unsupported, image != nil, layers.contains(.memory) else { throw error }
    }
}

extension CoderRegistry {
    /// The format of an image that is stored without encoded bytes: its own format if that can be written and keeps the alpha
    /// channel, which a transformer may have added. Otherwise GIF for animations, PNG for images with alpha, and JPEG.
    func format(toStore image: Image) -> ImageFormat {
        let own = image.metadata.format
        if image.frames == nil, image.metadata.hasAlpha, own.losesAlpha { return .png }
        if own != .unknown, canEncode(own), image.frames == nil || own == .gif || own == .png || own == .webp { return own }
        if image.frames != nil { return .gif }
        return image.metadata.hasAlpha ? .png : .jpeg
    }
}
