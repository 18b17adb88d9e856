/// The parts of a load that are stored, and where.
///
/// | what | where | under | by |
/// | --- | --- | --- | --- |
/// | the picture as asked for | memory of the cache | its own key | `storeCacheType` |
/// | the same, encoded, where it is no original | disk of the cache | its own key | `storeCacheType` |
/// | the encoded original, where it is the picture | disk of the cache | the original key | `storeCacheType` |
/// | the encoded original, where the picture is made of it | disk of the cache of originals | the original key | `originalStoreCacheType` |
/// | the picture before its transformer | memory of the cache of originals | the original key | `originalStoreCacheType` |
extension LoadPipeline {
    /// Stores the parts of a load. False if the response forbids storing: then the image is stored in memory only.
    func store(_ image: Image, _ loaded: FetchResult, _ timings: inout StageTimings) async throws(ImageError) -> Bool {
        let isStorable = loaded.data.answer.mayBeStored(request.headers)
        guard mayFillCaches else { return isStorable }
        keepInMemory(image)
        // Images without encoded bytes and the user's own files are not stored on disk.
        guard !loaded.data.isPicture, loaded.data.isWorthKeeping else { return isStorable }
        guard isStorable else {
            // The entry on disk was replaced by a response that must not be stored.
            if request.sourcePolicy == .loaderOnly || policy != .ignore { await forget() }
            return false
        }
        var cached = CachedData(bytes: loaded.data.bytes)
        cached.record = loaded.data.answer
        cached.options = request.decodeOptions.bag
        cached.extendedData = loaded.kept?.extendedData
        await storeVariant(image, of: cached, &timings)
        // Other processes wait for the original alone.
        cached.lease = loaded.lease
        try await storeOriginal(cached, image, of: loaded, &timings)
        return true
    }

    /// Stores an image in memory under the key of its content; an image whose transformer failed is not stored.
    func keepInMemory(_ image: Image) {
        guard mayFillCaches, request.storeCacheType.contains(.memory), let key = keys.key(of: image, request) else { return }
        cache?.storeInMemory(image, for: key)
    }

    /// Caches and keys under which the request allows storing on disk.
    var diskPlaces: [(cache: any ImageCaching, key: CacheKey)] {
        let layers = keys.isOriginal ? request.storeCacheType : request.originalStoreCacheType
        var places: [(cache: any ImageCaching, key: CacheKey)] = []
        if let originals, layers.contains(.disk) { places.append((originals, keys.original)) }
        if let cache, request.storeCacheType.contains(.disk), let variant = keys.variant(request) {
            places.append((cache, variant))
        }
        return places
    }

    /// Removes the entries that the request would find on disk.
    func forget() async {
        guard mayFillCaches else { return }
        // The caches count and log their failures.
        if let originals { try? await originals.remove(keys.original, from: .disk) }
        if let cache, let variant = keys.variant(request) { try? await cache.remove(variant, from: .disk) }
    }

    private func storeOriginal(_ cached: CachedData, _ image: Image, of loaded: FetchResult, _ timings: inout StageTimings)
        async throws(ImageError)
    {
        let layers = keys.isOriginal ? request.storeCacheType : request.originalStoreCacheType
        guard layers.contains(.disk), let originals else { return }
        // A load that waits for the commit stores too: the first one may not wait, and storing equal bytes twice is harmless.
        guard loaded.claimStore(keys.original, in: originals) || request.waitForStore else { return }
        let key = keys.original,
            serialized = request.loadHooks?.serialize == nil ? nil : Variant(original: image, cached, request)
        let start = MonotonicClock.now
        guard request.waitForStore else {
            guard let serialized else { return originals.enqueueDiskStore(cached, for: key) }
            return manager.variants.write(serialized, at: key, into: originals, on: engine.work)
        }
        if let serialized {
            await manager.variants.writeNow(serialized, at: key, into: originals, on: engine.work)
        } else {
            // The cache counts and logs stores that fail; the load succeeds (docs/decisions.md, "A
            // failing cache does not fail a load").
            try? await originals.storeOnDisk(cached, for: key)
        }
        timings.store += MonotonicClock.now - start
        if Task.isCancelled { throw .cancelled }
    }

    /// Stores a variant beside its original.
    func storeVariant(_ image: Image, of origin: CachedData, _ timings: inout StageTimings) async {
        guard mayFillCaches, request.storeCacheType.contains(.disk), let cache, let key = keys.variant(request),
            let variant = Variant(image, keys, request, origin: origin)
        else { return }
        guard request.waitForStore else { return manager.variants.write(variant, at: key, into: cache, on: engine.work) }
        let start = MonotonicClock.now
        await manager.variants.writeNow(variant, at: key, into: cache, on: engine.work)
        timings.store += MonotonicClock.now - start
    }
}
