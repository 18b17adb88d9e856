/// An image from a cache alone, for blocking callers: from memory, or decoded from bytes on disk and then stored in memory.
package struct CacheLookup: Sendable {
    private let cache: any ImageCaching
    private let registry: CoderRegistry

    package init(cache: any ImageCaching, registry: CoderRegistry) {
        self.cache = cache
        self.registry = registry
    }

    /// Finds an image by a text of the caller: an exact key, or the printed form of a variant's key.
    package func image(for text: CacheKey, options: DecodeOptions) throws(ImageError) -> Image {
        let found = try text.first { key throws(ImageError) in try find(key, options) }
        guard let found else { throw ImageError(.notFound, "cache: no such entry") }
        return found
    }

    private func find(_ key: CacheKey, _ options: DecodeOptions) throws(ImageError) -> Image? {
        var request = ImageRequest(url: [])
        request.cacheKey = key.bytes
        request.decodeOptions = options
        let options = request.scaled(for: key).decodeOptions
        // A thumbnail is never stored under the key of the full image.
        let keys = LoadKeys(request, transformer: nil)
        if let image = cache.memoryPart.image(for: keys.final) { return image }
        guard let found = try BlockingCache(cache).data(for: key) else { return nil }
        // The registry starts the time limit of the options; the waiting caller has no way to cancel.
        var image = try registry.decode(found.bytes, options: options, stop: CancellationToken()).with(
            extendedData: found.extendedData)
        if let source = found.variantSource { image = image.variant(of: source) }
        cache.memoryPart.store(image, for: keys.final)
        return image
    }
}
