/// Encodes thumbnails and transformed images for the disk, and has the host serialize originals. Works in the background, once
/// for each response of an entry; only the result for the newest response is stored.
/// Called by `StoreStage`; encodes on workers. `state` is its lock, and is not held while coders or the host run.
package final class VariantWriter: Sendable {
    /// An entry of one cache.
    private struct Entry: Hashable {
        let cache: ObjectIdentifier
        let key: CacheKey
    }

    /// The newest response of an entry, and its encodes under way. All others of the entry are obsolete.
    private struct Write {
        /// Identity of the response.
        let original: Bytes
        /// Numbers of the encodes of that response.
        var encodes: Set<UInt64>
    }

    /// `underWay`: an encode of the same or a newer response exists. `refused`: too many bytes are waiting.
    private enum Claim { case claimed, underWay, refused }

    private struct State {
        var newest: [Entry: Write] = [:]
        /// Pixel bytes of images that are queued or being encoded.
        var bytes = 0
        /// Tokens of the encodes under way, by identity.
        var encodes: [ObjectIdentifier: CancellationToken] = [:]
        var isAbandoning = false
    }

    /// Maximum number of pixel bytes waiting to be encoded; further variants are not stored, because their originals are.
    private static let pendingBytes = 64 << 20

    private let registry: CoderRegistry
    /// Counts the encodes, so that `flush` and `close` can wait for them.
    private let pending: PendingStores
    private let state = Lock(State())

    package init(registry: CoderRegistry, pending: PendingStores) {
        self.registry = registry
        self.pending = pending
    }

    /// Encodes and stores at low priority. Failures are logged: the original is stored. `replaces`: the response is newer than
    /// others of the entry. False if none of the entry is stored, because too many bytes are waiting.
    @discardableResult
    func write(_ variant: Variant, at key: CacheKey, into cache: any DataCaching, on pool: WorkPool, replaces: Bool) -> Bool {
        let entry = Entry(cache: ObjectIdentifier(cache), key: key), encode = UniqueNumber.next()
        let claim = claim(entry, variant, encode, replaces: replaces)
        guard claim == .claimed else { return claim == .underWay }
        let stop = CancellationToken()
        // A removal of the entry also makes way for an encode of a later load.
        let number = pending.begin(key, in: CacheChain.identities(of: cache)) { [self] in
            leave(entry, encode)
            stop.cancel()
        }
        pool.submit(.low) { [self] in
            defer {
                leave(entry, encode)
                state.withLock { $0.bytes -= variant.cost }
                pending.finish(number)
            }
            // Checked twice: a newer response or a removal may come while the variant waits or is encoded.
            if isNewest(encode, entry), let data = encoded(variant, stop), isNewest(encode, entry) {
                pending.perform(number) { cache.enqueueStore(data, for: key) }
            }
        }
        return true
    }

    /// The same for a load that waits for the commit.
    /// Encodes at normal priority. Returns when the store is committed or has failed.
    func writeNow(
        _ variant: Variant, at key: CacheKey, into cache: any DataCaching, on pool: WorkPool, replaces: Bool
    ) async {
        let entry = Entry(cache: ObjectIdentifier(cache), key: key), encode = UniqueNumber.next()
        if replaces { join(entry, variant, encode) }
        defer { if replaces { leave(entry, encode) } }
        let data = await withCancellationToken { stop in
            try? await pool.run(.normal) { [self] () throws(ImageError) -> CachedData? in encoded(variant, stop) }
        }
        // The cache counts and logs stores that fail; the load succeeds (docs/decisions.md, "A failing
        // cache does not fail a load").
        if let data, !replaces || isNewest(encode, entry) { try? await cache.store(data, for: key) }
    }

    /// Drops the results of encodes under way, because the entry is removed.
    func drop(_ key: CacheKey, of cache: any DataCaching) {
        state.withLock { $0.newest[Entry(cache: ObjectIdentifier(cache), key: key)] = nil }
    }

    /// Abandons the encodes that are left: their originals are stored.
    /// Called when closing takes too long. Later encodes stop at once, too.
    func abandon() {
        let encodes = state.withLock { state in
            state.isAbandoning = true
            return Array(state.encodes.values)
        }
        for stop in encodes { stop.cancel() }
    }

    /// The data to store; nil if it cannot be encoded or was cancelled. Runs on a worker.
    private func encoded(_ variant: Variant, _ stop: CancellationToken) -> CachedData? {
        let isAbandoned = state.withLock { state in
            state.encodes[ObjectIdentifier(stop)] = stop
            return state.isAbandoning
        }
        defer { state.withLock { _ = $0.encodes.removeValue(forKey: ObjectIdentifier(stop)) } }
        if isAbandoned { stop.cancel() }
        do throws(ImageError) {
            // The entry keeps the validators of the original, but not the number of its write.
            var data = variant.origin.withoutWrite
            data.lease = variant.origin.lease
            data.extendedData = variant.image.metadata.extendedData
            if !variant.isOriginal { data.variantSource = VariantSource(variant.image.metadata) }
            // Bytes of the host take precedence; otherwise variants are encoded and originals stored as received.
            if let bytes = variant.serialize?() {
                data.bytes = bytes
            } else if variant.isEncoded {
                let format = variant.isOriginal ? registry.format(toStore: variant.image) : variant.format
                var options = variant.options
                options.isCancellable = true
                data.bytes = try registry.encode(variant.image, format: format, options: options, stop: stop)
            }
            return data
        } catch {
            if error.status != .cancelled {
                Log.write(.warning, "cache: image cannot be encoded: \(error.message.string)")
            }
            return nil
        }
    }

    /// Reserves the entry and the bytes, in one step.
    private func claim(_ entry: Entry, _ variant: Variant, _ encode: UInt64, replaces: Bool) -> Claim {
        state.withLock { state in
            if let newest = state.newest[entry], !replaces || newest.original === variant.origin.bytes { return .underWay }
            // An original is always stored: nothing else of the image is.
            guard variant.isOriginal || state.bytes < VariantWriter.pendingBytes else {
                state.newest[entry] = nil
                return .refused
            }
            state.newest[entry] = Write(original: variant.origin.bytes, encodes: [encode])
            state.bytes += variant.cost
            return .claimed
        }
    }

    /// Adds an encode whose caller waits for it.
    /// Not limited by `pendingBytes`: the waiting load holds the image in any case.
    private func join(_ entry: Entry, _ variant: Variant, _ encode: UInt64) {
        state.withLock { state in
            let newest = state.newest[entry]
            let others = newest?.original === variant.origin.bytes ? newest?.encodes ?? [] : []
            state.newest[entry] = Write(original: variant.origin.bytes, encodes: others.union([encode]))
        }
    }

    /// Makes an encode obsolete. Has no effect on one that is.
    private func leave(_ entry: Entry, _ encode: UInt64) {
        state.withLock { state in
            state.newest[entry]?.encodes.remove(encode)
            if state.newest[entry]?.encodes.isEmpty == true { state.newest[entry] = nil }
        }
    }

    private func isNewest(_ encode: UInt64, _ entry: Entry) -> Bool {
        state.withLock { $0.newest[entry]?.encodes.contains(encode) == true }
    }
}

/// An image to encode for the disk: a thumbnail, a transformed image, or an original that the host serializes.
/// Made by `StoreStage`; keeps the pixels until the encode ends.
struct Variant: Sendable {
    let image: Image
    /// Validators and expiry of the original's entry, which hold for the variant, too.
    let origin: CachedData
    /// Options of the request, or the standard ones.
    let options: EncodeOptions
    /// Unknown if the request sets none.
    private let requestedFormat: ImageFormat
    /// Returns the bytes serialized by the host.
    /// Called on a worker, at most once.
    let serialize: (@Sendable () -> Bytes?)?
    let isOriginal: Bool
    /// True if the image is encoded when the host returns no bytes; otherwise the received bytes are stored.
    let isEncoded: Bool
    /// Bytes of the pixels, which are retained until the encode ends; not the cost for memory caches, which the host may set to
    /// any number.
    var cost: Int { image.pixels.heldBytes + (image.metadata.gainMap?.image.pixels.heldBytes ?? 0) }

    /// Options of a thumbnail or transformed image (docs/decisions.md, "Thumbnails on disk have quality 0.9").
    private static let standardOptions = {
        var options = EncodeOptions()
        options.quality = 0.9
        return options
    }()

    /// The format of the request, if it keeps the alpha channel. Without a format of the request, lossless if the format of
    /// the original is.
    var format: ImageFormat {
        if requestedFormat != .unknown {
            return image.metadata.hasAlpha && requestedFormat.losesAlpha ? .png : requestedFormat
        }
        return image.metadata.hasAlpha || image.metadata.format.isLossless ? .png : .jpeg
    }

    /// nil if the disk should store the original alone: the image is no smaller and not changed, is animated, has more than 8
    /// bits per channel, is incomplete, or lacks something that loads with other options expect.
    init?(_ image: Image, _ keys: LoadKeys, _ request: ImageRequest, origin: CachedData) {
        // A vector image to which the transformer is not applied is no transformed image.
        guard keys.key(of: image, request) == keys.final, request.coder == nil, image.frames == nil,
            image.pixels.format.bytesPerChannel == 1,
            request.decodeOptions.isOrdinary, request.decodeOptions.keepsChannels(of: image.metadata.format),
            image.metadata.consumedBytes == nil,
            image.metadata.sourceSize != image.size || keys.transformer != nil
        else { return nil }
        self.image = image
        self.origin = origin
        options = request.encodeOptions ?? Variant.standardOptions
        requestedFormat = request.encodeFormat
        serialize = Variant.serializing(request, image, nil)
        isOriginal = false
        isEncoded = true
    }

    /// An original received as `data`, and the image that the load made from it.
    init(original image: Image, _ data: CachedData, _ request: ImageRequest) {
        self.image = image
        origin = data
        options = request.encodeOptions ?? EncodeOptions()
        requestedFormat = .unknown
        serialize = Variant.serializing(request, image, data.bytes)
        isOriginal = true
        // A part of the original is never stored under its key.
        isEncoded = image.isPlain && request.decodeOptions.isOrdinary && !request.decodeOptions.firstFrameOnly
    }

    /// nil if the request has no such hook.
    private static func serializing(_ request: ImageRequest, _ image: Image, _ data: Bytes?) -> (@Sendable () -> Bytes?)? {
        guard let serialize = request.loadHooks?.serialize else { return nil }
        return { serialize(request, image, data) }
    }
}

extension DecodeOptions {
    /// True for the complete image, upright and in sRGB.
    fileprivate var isOrdinary: Bool { isUpright && !acceptPartial && limitBytes == 0 }

    /// True if no color or alpha channel is dropped from a file of the format, so that loads in other pixel formats can use
    /// the variant, too. Files of JPEG have no alpha channel.
    fileprivate func keepsChannels(of format: ImageFormat) -> Bool {
        guard let pixelFormat else { return true }
        return pixelFormat.hasAlpha || pixelFormat.channels > 1 && format == .jpeg
    }

    /// The options to decode a variant again, without further changes.
    var ofVariant: DecodeOptions {
        var options = self
        options.thumbnailSize = nil
        options.limitBytes = 0
        options.earlyThumbnail = false
        return options
    }
}
