/// Images that are available without loading.
/// They start no transfer, except for the background revalidation of a stale image.
extension ImageManager {
    /// The result of a load that memory can provide immediately; nil if a load would have more to do.
    package func find(_ prepared: PreparedRequest) throws(ImageError) -> ImageResult? {
        if Engine.isForked { throw .forked }
        if isClosed { throw .shutdown }
        var prepared = prepared
        // Hooks may change the URL or the options, and so the keys.
        if hooks != nil || prepared.request.loadHooks != nil {
            prepared = PreparedRequest(try prepared.request.processed(by: hooks, transformer: transformer))
        }
        let request = prepared.request
        let keys = prepared.keys(for: number, keys)
        // Bytes of an image are on disk, and an image to be revalidated needs a load.
        guard !request.includesData, let hit = MemoryStage(manager: self, request: request, keys: keys).lookUp(),
            let rule = hit.rule
        else { return nil }
        let result = ImageResult(
            kind: .final, image: hit.image, source: .memory, freshness: rule, url: prepared.url, cacheKey: keys.printed)
        observers.loadEnded(result)
        return result
    }

    /// The image in memory for a request, without counting as a use. Its hooks are not called: that is left to its load.
    /// `peek` changes neither the order of eviction nor the counts of hits.
    package func imageInMemory(_ request: ImageRequest) -> Image? {
        MemoryStage(manager: self, request: request, keys: keys(request)).peek()
    }

    /// The largest known image in memory that differs from the requested one in its size alone.
    /// For placeholders: the caller scales it. Counts as a use.
    package func relatedImage(_ request: ImageRequest) -> Image? {
        // A request that its hooks refuse has no key; its load reports the error.
        guard let request = try? request.processed(by: hooks, transformer: transformer) else { return nil }
        return MemoryStage(manager: self, request: request, keys: keys(request)).related()
    }

    /// The requested image from memory or, while the caller waits, from the disk.
    /// Blocks on disk; on a thread of the library, memory alone is queried.
    package func cachedImage(_ request: ImageRequest) -> Image? {
        // Images derived from cached data are not written back to disk.
        var request = request.storingInMemoryOnly
        request.sourcePolicy = .cacheOnly
        request.freshness = .ignore
        request.includesData = false
        request.isProgressive = false
        request.blockingReads = .disk
        request.dispatcher = .none
        // A refused load counts as a missing image.
        guard let task = try? load(request, handler: nil, token: 0) else { return nil }
        // A load that is still running has missed, or was not waited for.
        defer { task.cancel() }
        return task.result?.image
    }

    /// Remembers the key of a thumbnail, for `relatedImage`; not of one that may be stretched.
    func noteSize(_ request: ImageRequest, _ keys: LoadKeys) {
        guard request.decodeOptions.wantsThumbnail, request.decodeOptions.thumbnailMode != .fill else { return }
        sizes.note(keys.final, of: keys.whole(request))
    }
}
