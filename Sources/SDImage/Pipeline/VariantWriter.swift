/// Encodes thumbnails and transformed pictures for the disk, and has the host serialize originals, in the background and each
/// once at a time.
package final class VariantWriter: Sendable {
    private struct Place: Hashable {
        let cache: ObjectIdentifier
        let key: CacheKey
    }

    private struct State {
        var underWay: Set<Place> = []
        var bytes = 0
        /// Encodes under way, and the bytes of their pixels.
        var encodes: [ObjectIdentifier: (stop: StopSignal, cost: Int)] = [:]
        var isClosed = false
    }

    /// Pixels that may wait to be encoded; what comes beyond is not kept, because its original is.
    private static let pendingBytes = 64 << 20
    /// Pixels whose encode takes well below a second; larger ones are abandoned when the manager closes.
    private static let quickBytes = 8 << 20

    private let registry: CoderRegistry
    private let state = Lock(State())

    package init(registry: CoderRegistry) { self.registry = registry }

    /// Encodes and stores when a worker has nothing better to do. What goes wrong is logged: the original is there.
    func write(_ variant: Variant, at key: CacheKey, into cache: any ImageCaching, on pool: WorkPool) {
        let place = Place(cache: ObjectIdentifier(cache), key: key)
        guard claim(place, variant.cost, always: variant.isOriginal) else { return }
        pool.submit(.low) { [self] in
            defer { release(place, variant.cost) }
            if let data = encoded(variant, StopSignal()) { cache.enqueueDiskStore(data, for: key) }
        }
    }

    /// The same for a load that waits until it is committed.
    func writeNow(_ variant: Variant, at key: CacheKey, into cache: any ImageCaching, on pool: WorkPool) async {
        let stop = StopSignal()
        let data = await withTaskCancellationHandler {
            try? await pool.run(.normal) { [self] () throws(ImageError) -> CachedData? in encoded(variant, stop) }
        } onCancel: {
            stop.cancel()
        }
        // The cache counts and logs stores that fail; the load succeeds (docs/decisions.md, "A failing
        // cache does not fail a load").
        if let data { try? await cache.storeOnDisk(data, for: key) }
    }

    /// Abandons long encodes, those under way and those to come: their originals are there.
    func close() {
        let encodes = state.withLock { state in
            state.isClosed = true
            return Array(state.encodes.values)
        }
        for encode in encodes where encode.cost > VariantWriter.quickBytes { encode.stop.cancel() }
    }

    private func encoded(_ variant: Variant, _ stop: StopSignal) -> CachedData? {
        let isClosed = state.withLock { state in
            state.encodes[ObjectIdentifier(stop)] = (stop, variant.cost)
            return state.isClosed
        }
        defer { state.withLock { _ = $0.encodes.removeValue(forKey: ObjectIdentifier(stop)) } }
        if isClosed, variant.cost > VariantWriter.quickBytes { stop.cancel() }
        do throws(ImageError) {
            var data = variant.origin.withoutWrite
            data.lease = variant.origin.lease
            data.extendedData = variant.image.metadata.extendedData
            if let bytes = variant.serialize?() {
                data.bytes = bytes
            } else if variant.isEncoded {
                let format = variant.isOriginal ? registry.format(toStore: variant.image) : variant.format
                data.bytes = try registry.encode(variant.image, format: format, options: variant.options, stop: stop)
            }
            return data
        } catch {
            if error.status != .cancelled {
                Log.write(.warning, "a picture could not be encoded for the cache: \(error.message.string)")
            }
            return nil
        }
    }

    /// `always`: nothing else is kept of it.
    private func claim(_ place: Place, _ cost: Int, always: Bool) -> Bool {
        state.withLock { state in
            guard always || state.bytes < VariantWriter.pendingBytes, state.underWay.insert(place).inserted else { return false }
            state.bytes += cost
            return true
        }
    }

    private func release(_ place: Place, _ cost: Int) {
        state.withLock { state in
            state.underWay.remove(place)
            state.bytes -= cost
        }
    }
}

/// An image to encode for the disk: a thumbnail, a transformed image, or an original that the host serializes.
struct Variant: Sendable {
    let image: Image
    /// Validators and expiry of the original's entry, which hold for the variant, too.
    let origin: CachedData
    let options: EncodeOptions
    /// The bytes as the host wants them.
    let serialize: (@Sendable () -> Bytes?)?
    let isOriginal: Bool
    /// It is encoded where the host has no bytes for it; otherwise those that came are kept.
    let isEncoded: Bool
    var cost: Int { image.memoryCost }

    /// Without loss where the original was so, or a JPEG would lose the alpha channel.
    var format: ImageFormat {
        let isLossless = [.png, .gif, .bmp, .ico, .svg, .pdf].contains(image.metadata.format)
        return image.metadata.hasAlpha || isLossless ? .png : .jpeg
    }

    /// nil where the disk is better off with the original alone: the picture is no smaller and not changed, moves, has
    /// more than 8 bits, is not whole, or is not as the next reader would expect it.
    init?(_ image: Image, _ keys: LoadKeys, _ request: ImageRequest, origin: CachedData) {
        guard keys.key(of: image, request) != nil, request.coder == nil, image.frames == nil,
            image.pixels.format.bytesPerChannel == 1,
            request.decodeOptions.isOrdinary, image.metadata.consumedBytes == nil,
            image.metadata.sourceSize != image.size || keys.transformer != nil
        else { return nil }
        self.image = image
        self.origin = origin
        options = request.encodeOptions
        serialize = Variant.serializing(request, image, nil)
        isOriginal = false
        isEncoded = true
    }

    /// An original that came as `data`, and what the load made of it.
    init(original image: Image, _ data: CachedData, _ request: ImageRequest) {
        self.image = image
        origin = data
        options = request.encodeOptions
        serialize = Variant.serializing(request, image, data.bytes)
        isOriginal = true
        // Under the key of the original there is never a part of it.
        isEncoded = image.isPlain && request.decodeOptions.isOrdinary && !request.decodeOptions.firstFrameOnly
    }

    private static func serializing(_ request: ImageRequest, _ image: Image, _ data: Bytes?) -> (@Sendable () -> Bytes?)? {
        guard let serialize = request.loadHooks?.serialize else { return nil }
        return { serialize(request, image, data) }
    }
}

extension DecodeOptions {
    /// Upright, in sRGB, whole.
    fileprivate var isOrdinary: Bool { isUpright && !acceptPartial && limitBytes == 0 }

    /// How a variant is decoded again: as it is.
    var ofVariant: DecodeOptions {
        var options = self
        options.thumbnailSize = nil
        options.limitBytes = 0
        options.earlyThumbnail = false
        return options
    }
}
