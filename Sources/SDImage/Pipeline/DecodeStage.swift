/// Decodes and transforms the image of a load on a worker, once for all loads that decode the same bytes alike.
/// Called by `CacheStage` for entries, and by `Load.decode` for responses, in the task of the load.
struct DecodeStage {
    let context: LoadContext
    /// False after a disk look-up, which runs before work of the load's priority: the decode is then queued behind that work.
    var isInTurn = true

    /// The image of `data`. `isVariant`: the bytes are those of the final image. `origin`: their identity, nil if no other load
    /// can have them. `started`: their progressive decode so far.
    /// Throws `cancelled` when the load is cancelled, although the shared decode may continue for others.
    func image(
        of data: LoadedData, isVariant: Bool = false, from origin: DecodeOrigin?, after started: ProgressiveDecode? = nil
    ) async throws(ImageError) -> Image {
        let start = MonotonicClock.now
        defer { context.addTime(since: start) { $0.decode += $1 } }
        // Waits for the decode under way: its state includes all bytes up to now.
        let decoder = await started?.decoder(for: data.bytes)
        // The cache of originals is part of the key only if this decode would store into it.
        let key = origin.map {
            DecodeKey(context.request, context.keys, $0, storing: storesOriginal(data) ? context.memoryOfOriginals : nil)
        }
        let image = try await SharedDecode.value(
            key, in: context.manager.decodes, on: context.engine.work, context.priority, isInTurn: isInTurn,
            limit: context.request.decodeOptions.limits.workNanoseconds, didJoin: { [context] in context.didJoin($0) }
        ) { [self] stop throws(ImageError) in
            let made = isVariant ? try decodeVariant(data.bytes, stop) : try makeImage(of: data, after: decoder, stop)
            let image = recorded(made, data)
            return try context.request.checked(data.record.isEmpty ? image : image.with(data.record), stop)
        }
        // A coder of the host may have missed the cancellation.
        if Task.isCancelled { throw .cancelled }
        return image
    }

    /// The image with the options of this load, which a variant and an original in memory were not decoded with.
    private func recorded(_ image: Image, _ data: LoadedData) -> Image {
        // The image of a loader that was not made of bytes.
        if let delivered = data.image, delivered.metadata.decoding == nil { return image }
        // Equal options make equal images, so the record serves all loads that share the decode.
        return image.with(DecodeRecord(data.decodeOptions ?? context.request.decodeOptions))
    }

    /// A thumbnail or transformed image, decoded from its own entry.
    /// The bytes are already small and transformed, so neither step is repeated.
    private func decodeVariant(_ bytes: Bytes, _ stop: CancellationToken) throws(ImageError) -> Image {
        let options = context.request.decodeOptions
        let image = try context.registry.decode(bytes, options: options.ofVariant, stop: stop)
        var metadata = image.metadata
        // Encoded variants do not record these properties; other parts of the library read them from the metadata.
        metadata.isThumbnail = options.wantsThumbnail
        metadata.isTransformed = context.keys.transformer != nil
        return image.with(metadata)
    }

    /// The requested image, made from the encoded original or from an image.
    /// Runs on a worker, and stores the untransformed image in memory if the request wants that.
    private func makeImage(of data: LoadedData, after decoder: IncrementalDecoder?, _ stop: CancellationToken) throws(ImageError)
        -> Image
    {
        let image = markedForMemoryOnly(try decode(data, after: decoder, stop), data)
        // The untransformed image is available only here.
        if storesOriginal(data) {
            context.memoryOfOriginals?.store(data.record.isEmpty ? image : image.with(data.record), for: context.keys.original)
        }
        return try context.keys.transformed(image, context.request, stop)
    }

    /// Marks the image if the disk must not have it: thumbnails that are made of it in memory must not be there, either.
    private func markedForMemoryOnly(_ image: Image, _ data: LoadedData) -> Image {
        guard data.source != .memory, data.isImage || !data.isWorthKeeping else { return image }
        var metadata = image.metadata
        metadata.isForMemoryOnly = true
        return image.with(metadata)
    }

    /// True if the image before its transformer is stored in memory.
    /// Only an image decoded with options that do not change pixels is the original.
    private func storesOriginal(_ data: LoadedData) -> Bool {
        let keys = context.keys
        return context.request.cachePolicy.originalStoreLayers.contains(.memory) && !keys.isOriginal
            && keys.decoded == keys.original
            && data.source != .memory && context.mayFillCaches
    }

    /// The image before its transformer: that of the loader, of the progressive decode, or of a new decode.
    private func decode(_ data: LoadedData, after decoder: IncrementalDecoder?, _ stop: CancellationToken) throws(ImageError)
        -> Image
    {
        try stop.check()
        let request = context.request
        if let image = data.image { return try fit(image, stop) }
        // Continues with what the progressive decode has read; without a result it starts from the first byte.
        if let decoder {
            do throws(ImageError) {
                try decoder.show(data.bytes, isFinished: true, stop: stop)
                // Not complete while another load passes it the last bytes.
                if decoder.isComplete, let image = try decoder.image(stop: stop) { return image }
            } catch {
                // The cancellation of another load ends the decoder, but not this load.
                guard error.status == .cancelled, !stop.isCancelled else { throw error }
            }
        }
        return try context.registry.decode(
            data.bytes, options: data.decodeOptions ?? request.decodeOptions, stop: stop, coder: request.coder)
    }

    /// An image of a loader or of the memory cache, resized and limited as one that is decoded with the options of the load.
    private func fit(_ image: Image, _ stop: CancellationToken) throws(ImageError) -> Image {
        let options = context.request.decodeOptions
        let fitted = try context.registry.fit(options.firstFrameOnly ? image.still : image, options: options, stop: stop)
        // An image that fits into the box is a thumbnail, too; a limit of bytes overrides the box.
        guard options.wantsThumbnail, options.limitBytes == 0, !fitted.metadata.isThumbnail else { return fitted }
        var metadata = fitted.metadata
        metadata.isThumbnail = true
        return fitted.with(metadata)
    }
}
