/// An image from a cache alone, for blocking callers: from memory, or decoded from bytes on disk and then stored in memory.
/// Runs on the thread of the caller.
package struct CacheLookup: Sendable {
    private let cache: any ImageCaching
    private let registry: CoderRegistry

    package init(cache: any ImageCaching, registry: CoderRegistry) {
        self.cache = cache
        self.registry = registry
    }

    /// Finds an image by a text of the caller: an exact key, or the printed form of a variant's key.
    /// Throws `notFound` if no form of the text names an entry, and the error of the decoder for a damaged one.
    package func image(for text: CacheKey, options: DecodeOptions) throws(ImageError) -> Image {
        let found = try text.first { key throws(ImageError) in try find(key, options) }
        guard let found else { throw ImageError(.notFound, "cache: no such entry") }
        return found
    }

    /// nil if neither memory nor disk has the key. Blocks for the disk.
    private func find(_ key: CacheKey, _ options: DecodeOptions) throws(ImageError) -> Image? {
        var request = ImageRequest(url: [])
        request.cacheKey = key.bytes
        request.decodeOptions = options
        // A name with "@2x" implies a scale, as it does for loads of the same key.
        let options = request.scaled(for: key).decodeOptions
        // A thumbnail is never stored under the key of the full image.
        let keys = LoadKeys(request, transformer: nil)
        if let image = cache.memoryPart.image(for: keys.final) { return image }
        guard let found = try BlockingCache(cache).data(for: key) else { return nil }
        // The registry starts the time limit of the options; the waiting caller has no way to cancel.
        var image = try registry.decode(found.bytes, options: options, stop: CancellationToken()).with(
            extendedData: found.extendedData)
        // Bytes of a variant carry the properties of its original, such as its size, in the entry.
        if let source = found.variantSource { image = image.variant(of: source) }
        // An image in memory without a record is revalidated with that of its entry, which another process may have replaced.
        if !found.record.isEmpty { image = image.with(found.record) }
        cache.memoryPart.store(image, for: keys.final)
        return image
    }
}
