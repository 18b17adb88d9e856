/// Looks in the caches for the image of a load, or for the original that it is made from.
/// Called by `Load.start` (`need`) on the calling thread, and by `Load.lookUp` and `RevalidationStage` in the task of
/// the load.
struct CacheStage {
    /// An entry that may have the image: the image itself as a variant, or its original.
    /// A value that names an entry; the cache may have removed it meanwhile.
    struct Entry {
        let cache: any DataCaching
        let key: CacheKey
        let isVariant: Bool
    }

    let context: LoadContext

    /// `isInTurn` is false: disk look-ups run before other work, and the decode must not profit from that.
    private var decodeStage: DecodeStage { DecodeStage(context: context, isInTurn: false) }

    /// The entries that the request looks up on disk, best first.
    /// Caches without any entry are left out, so that a load need not change threads for them.
    var entries: [Entry] {
        let (request, keys) = (context.request, context.keys)
        var entries: [Entry] = []
        // A coder of the request may read the original differently, so no variant of other coders applies.
        if request.cachePolicy.queryLayers.contains(.disk), request.coder == nil, let cache = context.disk, cache.mayHaveData,
            let variant = keys.variant(request)
        {
            entries.append(Entry(cache: cache, key: variant, isVariant: true))
        }
        let layers = keys.isOriginal ? request.cachePolicy.queryLayers : request.cachePolicy.originalQueryLayers
        if layers.contains(.disk), let originals = context.diskOfOriginals, originals.mayHaveData {
            entries.append(Entry(cache: originals, key: keys.original, isVariant: false))
        }
        return entries
    }

    /// How a load looks up what memory does not have under its own key.
    enum Need {
        /// It need not: no cache could have the image.
        case none
        /// An original in memory may have the image.
        case memory
        /// An entry on disk may have the image; the look-up runs on a worker.
        case disk
    }

    /// Computed on the calling thread, from the request and counts of the caches alone.
    var need: Need {
        let request = context.request
        if request.sourcePolicy == .loaderOnly { return .none }
        if !entries.isEmpty { return .disk }
        let readsOriginal = !context.keys.isOriginal && request.cachePolicy.originalQueryLayers.contains(.memory)
        return request.sourcePolicy == .any && !readsOriginal ? .none : .memory
    }

    /// The image under its own key, or made from its original; nil when no cache has either. Any error of a cache counts as a
    /// miss.
    /// Throws `cancelled`, errors of the URL, and errors of the decoder that no other entry can mend.
    func lookUp() async throws(ImageError) -> LoadOutcome? {
        // The image is in memory, so only its bytes are missing; their absence does not make the load fail.
        if let image = context.memoryImage {
            return LoadOutcome(image: image, data: try await dataOfMemoryImage(), source: .memory)
        }
        if Task.isCancelled { throw .cancelled }
        try context.validate()
        if context.request.sourcePolicy == .loaderOnly { return nil }
        let entries = entries
        // Variants are smaller and need no transformer; the original costs a decode at full size.
        for entry in entries where entry.isVariant {
            if let outcome = try await lookUp(entry) { return outcome }
        }
        if let outcome = try await makeFromOriginalInMemory() { return outcome }
        for entry in entries where !entry.isVariant {
            if let outcome = try await lookUp(entry) { return outcome }
        }
        return nil
    }

    /// nil if the cache lacks the entry, or if its bytes are not an image and were dropped.
    private func lookUp(_ entry: Entry) async throws(ImageError) -> LoadOutcome? {
        guard let cached = try await data(of: entry) else { return nil }
        // Later loads do not wait for the decode.
        context.leaveTransferOrder()
        guard let image = try await image(of: cached, in: entry) else { return nil }
        return LoadOutcome(
            image: image, data: entry.isVariant || image.isPlain ? cached.bytes : nil, source: cached.source)
    }

    /// A thumbnail or transformed image made from an original in memory.
    /// nil if memory has no original, or one from which the request cannot be derived.
    private func makeFromOriginalInMemory() async throws(ImageError) -> LoadOutcome? {
        let request = context.request
        // Pixels as they are stored in the file, and deep ones, cannot be derived from the image in memory.
        guard !context.keys.isOriginal, request.cachePolicy.originalQueryLayers.contains(.memory),
            request.decodeOptions.isUpright, !request.decodeOptions.needsOriginal, request.coder == nil,
            let original = context.memoryOfOriginals?.image(for: context.keys.original)
        else { return nil }
        var data = LoadedData(bytes: .empty)
        data.image = original
        data.source = .memory
        data.record = original.metadata.response?.record ?? ResponseRecord()
        context.leaveTransferOrder()
        let image = try await decodeStage.image(of: data, from: .bytes(ObjectIdentifier(original)))
        let store = StoreStage(context: context)
        store.storeInMemory(image)
        if !data.record.isForMemoryOnly, !original.metadata.isForMemoryOnly {
            // The variant gets the validators of its original, because the bytes of the original are not here.
            var cached = CachedData(bytes: .empty)
            cached.record = data.record
            await store.storeVariant(image, of: cached)
        }
        return LoadOutcome(image: image, source: .memory)
    }

    /// The bytes of an image in memory, if the disk has them.
    /// Also used by `RevalidationStage`, for requests that include the data.
    func dataOfMemoryImage() async throws(ImageError) -> Bytes? {
        let keys = context.keys
        guard let cache = context.disk, let key = keys.isOriginal ? keys.original : keys.variant(context.request) else {
            return nil
        }
        return try await data(of: Entry(cache: cache, key: key, isVariant: !keys.isOriginal))?.bytes
    }

    /// The bytes of an entry; nil when the cache does not have it, or fails.
    /// Throws only `cancelled`. The time counts as that of the disk query.
    func data(of entry: Entry) async throws(ImageError) -> CachedData? {
        let start = MonotonicClock.now
        defer { context.addTime(since: start) { $0.diskQuery += $1 } }
        do throws(ImageError) {
            return try await entry.cache.data(for: entry.key, options: context.request.decodeOptions.bag)
        } catch {
            // The status may be that of the host's own operation.
            if Task.isCancelled { throw .cancelled }
            return nil
        }
    }

    /// The image of an entry, which is then stored in memory; nil if the bytes are not an image.
    /// Throws `cancelled` and errors that say nothing about the bytes, such as an exhausted memory limit.
    func image(of cached: CachedData, in entry: Entry) async throws(ImageError) -> Image? {
        var data = LoadedData(bytes: cached.bytes)
        data.source = .disk
        data.record = cached.record
        do throws(ImageError) {
            let origin = DecodeOrigin(cached, of: entry.cache)
            var image = try await decodeStage.image(of: data, isVariant: entry.isVariant, from: origin)
                .with(extendedData: cached.extendedData)
            if entry.isVariant { image = image.variant(of: cached.variantSource) }
            let store = StoreStage(context: context)
            store.storeInMemory(image)
            // A variant on disk is made where it is missing, because the original was decoded for it anyway.
            if !entry.isVariant { await store.storeVariant(image, of: cached) }
            return image
        } catch {
            // Another program, which has the coder, goes on using the entry; here, the original follows.
            if entry.isVariant, error.status == .unsupported { return nil }
            // Other coders may read bytes that the request's own coder refuses.
            guard context.request.coder == nil, error.meansUnreadable else { throw error }
            // The damaged entry is dropped and fetched again (docs/decisions.md, "A damaged entry is replaced").
            entry.cache.dropDamaged(cached, for: entry.key)
            Log.write(.warning, "cache: undecodable entry dropped: \(error.message.string)")
            return nil
        }
    }
}
