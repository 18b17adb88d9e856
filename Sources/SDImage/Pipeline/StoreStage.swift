/// Stores the parts of a load in memory and on disk.
///
/// | what | where | under | by |
/// | --- | --- | --- | --- |
/// | the requested image | memory of the cache | its own key | `storeLayers` |
/// | the same, encoded, if it is a variant | disk of the cache | its own key | `storeLayers` |
/// | the encoded original, if it is the requested image | disk of the cache | the original key | `storeLayers` |
/// | the encoded original, if not the image | disk of the cache of originals | the original key | `originalStoreLayers` |
/// | the image before its transformer | memory of the cache of originals | the original key | `originalStoreLayers` |
/// Called by `CacheStage`, `RevalidationStage` and `Load`. Errors of caches never fail a load.
struct StoreStage {
    let context: LoadContext

    /// Stores the parts of a load. False if the response or the request, as the loader has sent it, forbids storing: then the
    /// image is stored in memory only.
    /// Throws only `cancelled`, and only if the load waits for the commit.
    func store(_ image: Image, _ loaded: FetchResult) async throws(ImageError) -> Bool {
        let request = context.request
        let isStorable = !loaded.data.record.isForMemoryOnly
        guard context.mayFillCaches else { return isStorable }
        // Memory first: it is immediate, and a load that starts meanwhile finds the image.
        storeInMemory(image)
        // Images without encoded bytes and the user's own files are not stored on disk.
        guard !loaded.data.isImage, loaded.data.isWorthKeeping else { return isStorable }
        guard isStorable else {
            // The entry on disk was replaced by a response that must not be stored.
            if mayReplaceEntries { await removeFromDisk() }
            return false
        }
        var cached = CachedData(bytes: loaded.data.bytes)
        cached.record = loaded.data.record
        cached.options = request.decodeOptions.bag
        cached.extendedData = loaded.sharedEntry?.extendedData
        // Without a variant, one of an older response would be found in place of this image.
        if await !storeVariant(image, of: cached, from: loaded) { await dropVariant(loaded) }
        // Other processes wait for the original alone.
        cached.lease = loaded.lease
        try await storeOriginal(cached, image, of: loaded)
        return true
    }

    /// Stores an image in memory under the key of its content; an image whose transformer failed is not stored.
    /// The key is that without the transformer if it does not apply to the image.
    func storeInMemory(_ image: Image) {
        guard context.mayFillCaches, context.request.cachePolicy.storeLayers.contains(.memory),
            let key = context.keys.key(of: image, context.request)
        else { return }
        context.memory?.store(image, for: key)
    }

    /// Stores an image in memory with a new response record.
    /// Returns the image with the record; unchanged for an empty one.
    func storeInMemory(_ image: Image, _ record: ResponseRecord) -> Image {
        guard !record.isEmpty else { return image }
        let updated = image.with(record)
        storeInMemory(updated)
        return updated
    }

    /// Caches and keys under which the request allows storing on disk.
    /// Used by `LeaseRequest` and for updates of records.
    var diskEntries: [(cache: any DataCaching, key: CacheKey)] {
        let (request, keys) = (context.request, context.keys)
        var entries: [(cache: any DataCaching, key: CacheKey)] = []
        if let originals = context.diskOfOriginals, originalLayers.contains(.disk) { entries.append((originals, keys.original)) }
        if let cache = context.disk, request.cachePolicy.storeLayers.contains(.disk), let variant = keys.variant(request) {
            entries.append((cache, variant))
        }
        return entries
    }

    /// If the original is the requested image, the layers of images apply.
    private var originalLayers: CacheLayers {
        context.keys.isOriginal ? context.request.cachePolicy.storeLayers : context.request.cachePolicy.originalStoreLayers
    }

    /// Stores the record of a revalidated response with the image, in memory and on disk.
    /// RFC 9111, section 4.3.4. Returns the image with the record. `old`: entries of another response are not
    /// updated.
    func update(
        _ record: ResponseRecord, from old: ResponseRecord, _ image: Image, by loaded: FetchResult
    ) async -> Image {
        // A response under an invalid certificate confirms nothing.
        guard context.mayFillCaches else { return image }
        let updated = storeInMemory(image, record)
        // A revalidated response may have become one that must not be stored.
        guard !record.isForMemoryOnly else {
            await removeFromDisk()
            return updated
        }
        let entries = diskEntries
        @Sendable func update() async {
            // Other processes may use the entry only after its record is new.
            for entry in entries { await entry.cache.updateRecord(entry.key, from: old, to: record) }
            withExtendedLifetime(loaded.lease) {}
        }
        if context.request.waitForStore {
            await update()
        } else {
            let updates = context.manager.updates
            let number = updates.begin()
            Task(executorPreference: context.engine.executor) {
                await update()
                updates.finish(number)
            }
        }
        return updated
    }

    /// Removes the entries that the request would find on disk.
    /// Encodes under way are dropped, because their results would bring the entry back.
    private func removeFromDisk() async {
        guard context.mayFillCaches else { return }
        let keys = context.keys
        // The caches count and log their failures.
        if let originals = context.diskOfOriginals {
            context.manager.variants.drop(keys.original, of: originals)
            try? await originals.remove(keys.original, from: .disk)
        }
        await removeVariant()
    }

    /// True if a response may replace entries on disk, which the load did not look for or has revalidated.
    private var mayReplaceEntries: Bool { context.request.sourcePolicy == .loaderOnly || context.policy != .ignore }

    /// Removes the variant of an older response, unless the load must not change the disk, or another load of this response has
    /// a variant.
    /// `claimStore`: the first load of a response decides about the variant of one key.
    private func dropVariant(_ loaded: FetchResult) async {
        guard mayReplaceEntries, context.request.cachePolicy.storeLayers.contains(.disk), let cache = context.disk,
            let variant = context.keys.replacedVariant(context.request), loaded.claimStore(variant, in: cache)
        else { return }
        await removeVariant()
    }

    /// Failures are counted and logged by the cache.
    private func removeVariant() async {
        guard let cache = context.disk, let variant = context.keys.replacedVariant(context.request) else { return }
        context.manager.variants.drop(variant, of: cache)
        try? await cache.remove(variant, from: .disk)
    }

    /// The bytes as received, or those that the host serialized. Throws only `cancelled`.
    private func storeOriginal(_ cached: CachedData, _ image: Image, of loaded: FetchResult) async throws(ImageError) {
        let (request, manager, key) = (context.request, context.manager, context.keys.original)
        guard originalLayers.contains(.disk), let originals = context.diskOfOriginals else { return }
        // A load that waits for the commit stores too: the first one may not wait, and storing equal bytes twice is harmless.
        guard loaded.claimStore(key, in: originals) || request.waitForStore else { return }
        let serialized = request.loadHooks?.serialize == nil ? nil : Variant(original: image, cached, request)
        // The host serializes on a worker, not on the thread that delivers the image.
        guard request.waitForStore else {
            guard let serialized else { return originals.enqueueStore(cached, for: key) }
            manager.variants.write(serialized, at: key, into: originals, on: context.engine.work, replaces: true)
            return
        }
        let start = MonotonicClock.now
        if let serialized {
            await manager.variants.writeNow(serialized, at: key, into: originals, on: context.engine.work, replaces: true)
        } else {
            // The cache counts and logs stores that fail; the load succeeds (docs/decisions.md, "A failing cache does not fail a
            // load").
            try? await originals.store(cached, for: key)
        }
        context.addTime(since: start) { $0.store += $1 }
        if Task.isCancelled { throw .cancelled }
    }

    /// Stores a variant beside its original; false if the disk should have the original alone. `loaded`: the response, if it is
    /// new.
    /// The encoding runs later at low priority, unless the load waits for the store.
    @discardableResult
    func storeVariant(_ image: Image, of original: CachedData, from loaded: FetchResult? = nil) async -> Bool {
        let (request, variants, pool) = (context.request, context.manager.variants, context.engine.work)
        guard context.mayFillCaches, request.cachePolicy.storeLayers.contains(.disk), let cache = context.disk,
            let key = context.keys.variant(request), let variant = Variant(image, context.keys, request, origin: original)
        else { return false }
        let replaces = loaded?.claimStore(key, in: cache) != nil
        guard request.waitForStore else { return variants.write(variant, at: key, into: cache, on: pool, replaces: replaces) }
        let start = MonotonicClock.now
        await variants.writeNow(variant, at: key, into: cache, on: pool, replaces: replaces)
        context.addTime(since: start) { $0.store += $1 }
        return true
    }
}
