import Synchronization

/// Encodes thumbnails and transformed pictures for the disk, in the background and each once at a time.
package final class VariantWriter: Sendable {
    private struct Place: Hashable {
        let cache: ObjectIdentifier
        let key: CacheKey
    }

    private struct State {
        var underWay: Set<Place> = []
        var bytes = 0
    }

    /// Pixels that may wait to be encoded; what comes beyond is not kept, because its original is.
    private static let pendingBytes = 64 << 20

    private let registry: CoderRegistry
    private let state = Mutex(State())

    package init(registry: CoderRegistry) { self.registry = registry }

    /// Encodes and stores when a worker has nothing better to do. What goes wrong is logged: the original is there.
    func write(_ variant: Variant, into cache: any ImageCaching, on pool: WorkPool) {
        let place = Place(cache: ObjectIdentifier(cache), key: variant.key)
        guard claim(place, variant.cost) else { return }
        pool.submit(.low) { [self] in
            defer { release(place, variant.cost) }
            if let data = encoded(variant) { cache.enqueueDiskStore(data, for: variant.key) }
        }
    }

    /// The same for a load that waits until it is committed.
    func writeNow(_ variant: Variant, into cache: any ImageCaching, on pool: WorkPool) async {
        let data = try? await pool.run(.normal) { [self] () throws(ImageError) -> CachedData? in encoded(variant) }
        if let data { try? await cache.storeOnDisk(data, for: variant.key) }
    }

    private func encoded(_ variant: Variant) -> CachedData? {
        do throws(ImageError) {
            var data = variant.origin.withoutWrite
            data.bytes = try registry.encode(
                variant.image, format: variant.format, options: variant.options, stop: StopSignal())
            data.extendedData = variant.image.metadata.extendedData
            return data
        } catch {
            Log.write(.warning, "a picture could not be encoded for the cache: \(error.message.string)")
            return nil
        }
    }

    private func claim(_ place: Place, _ cost: Int) -> Bool {
        state.withLock { state in
            guard state.bytes < VariantWriter.pendingBytes, state.underWay.insert(place).inserted else { return false }
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

/// A picture made of another, as it is kept on disk.
struct Variant: Sendable {
    let key: CacheKey
    let image: Image
    /// What the original's entry says of validators and expiry: the same holds for what was made of it.
    let origin: CachedData
    let options: EncodeOptions
    var cost: Int { image.memoryCost }

    /// Without loss where the original was so, or a JPEG would lose the alpha channel.
    var format: ImageFormat {
        let isLossless = [.png, .gif, .bmp, .ico, .svg, .pdf].contains(image.metadata.format)
        return image.metadata.hasAlpha || isLossless ? .png : .jpeg
    }

    /// nil where the disk is better off with the original alone: the picture is no smaller and not changed, moves, has
    /// more than 8 bits, is not whole, or is not as the next reader would expect it.
    init?(_ image: Image, _ keys: LoadKeys, _ request: ImageRequest, origin: CachedData) {
        guard let key = keys.variant(request), request.coder == nil, image.frames == nil,
            image.pixels.format.bytesPerChannel == 1,
            request.decodeOptions.isOrdinary, image.metadata.consumedBytes == nil,
            image.metadata.sourceSize != image.size || keys.transformer != nil
        else { return nil }
        self.key = key
        self.image = image
        self.origin = origin
        options = request.encodeOptions
    }
}

extension DecodeOptions {
    /// Upright, in sRGB, whole.
    fileprivate var isOrdinary: Bool { applyOrientation && convertToSRGB && !acceptPartial && limitBytes == 0 }

    /// How a variant is decoded again: as it is.
    var ofVariant: DecodeOptions {
        var options = self
        options.thumbnailSize = nil
        options.limitBytes = 0
        options.earlyThumbnail = false
        return options
    }
}
