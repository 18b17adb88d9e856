/// An immutable image: pixels by reference, and metadata. For an animation, the pixels are those of the first frame; the
/// other frames are decoded on demand.
/// The result of every decode, and what memory caches hold. Copies with other metadata share the pixels.
package final class Image: Sendable {
    /// Never written after the image exists.
    package let pixels: PixelBuffer
    package let metadata: ImageMetadata
    /// All frames of an animation; nil for still images.
    package let frames: AnimationFrames?
    /// The vector image that the pixels were rendered from; nil for raster images.
    package let vector: (any VectorImage)?

    package init(
        pixels: PixelBuffer, metadata: ImageMetadata, frames: (any FrameProvider)? = nil, vector: (any VectorImage)? = nil
    ) {
        self.pixels = pixels
        self.metadata = metadata
        self.frames = frames.map(AnimationFrames.of)
        self.vector = vector
    }

    /// Size in pixels, before the orientation tag is applied.
    package var size: PixelSize { pixels.size }

    /// Bytes that the bitmap keeps allocated, multiplied by the frame count when all frames are loaded, and of its gain map;
    /// or the value in the metadata, when set.
    /// Counted by memory caches.
    package var memoryCost: Int {
        if let cost = metadata.memoryCost { return cost }
        guard let frames, frames.isLoaded else { return pixels.heldBytes + (metadata.gainMap?.image.pixels.heldBytes ?? 0) }
        let (bytes, overflow) = pixels.heldBytes.multipliedReportingOverflow(by: max(frames.frameCount, 1))
        return overflow ? .max : bytes
    }

    /// The gain map that can be applied to the image.
    package var unappliedGainMap: GainMap? { pixels.format == .rgbaFloat ? nil : metadata.gainMap }

    /// True when the image is neither a thumbnail nor transformed, so that its encoded bytes represent it.
    /// Loads return the encoded bytes of such images only.
    package var isPlain: Bool { !metadata.isThumbnail && !metadata.isTransformed }

    /// True when the image represents its bytes completely: full size, not partial, not transformed and metadata not edited.
    var isAsDecoded: Bool {
        // The size may be displayed or stored, which differ by a quarter turn.
        let own = metadata.sourceSize ?? size
        return isPlain && !metadata.isIncremental && !metadata.isEdited && (own == size || own.swapped == size)
    }

    /// Returns a copy when the pixels are less than half of the memory that they keep allocated; otherwise the image itself.
    /// Crops are views of the bitmap they were cut from.
    package func compacted() throws(ImageError) -> Image {
        let stride = try PixelBuffer.stride(width: pixels.size.width, format: pixels.format)
        guard pixels.heldBytes / 2 > stride * pixels.size.height else { return self }
        let own = try PixelBuffer(size: pixels.size, format: pixels.format, limit: Int.max)
        for y in 0..<pixels.size.height {
            guard let from = unsafe pixels.row(y), let to = unsafe own.mutableRow(y) else { continue }
            unsafe to.copyMemory(from: from)
        }
        return Image(pixels: own, metadata: metadata, frames: frames, vector: vector)
    }

    /// The same image with other metadata.
    /// Costs no copy of pixels.
    package func with(_ metadata: ImageMetadata) -> Image {
        Image(pixels: pixels, metadata: metadata, frames: frames, vector: vector)
    }

    /// The same image with a value of the host that was stored beside its bytes.
    package func with(extendedData: Bytes?) -> Image {
        guard let extendedData else { return self }
        var metadata = metadata
        metadata.extendedData = extendedData
        return with(metadata)
    }

    /// The same image with the options of its decode; nil leaves it unchanged.
    package func with(_ decoding: DecodeRecord?) -> Image {
        guard let decoding else { return self }
        var metadata = metadata
        metadata.decoding = decoding
        return with(metadata)
    }

    /// The same image, and its frames, with this number of pixels per point; nil leaves it unchanged.
    package func with(scale: Double?) -> Image {
        guard let scale = scale.map({ max(1, $0) }), scale != metadata.scale else { return self }
        var metadata = metadata
        metadata.scale = scale
        let frames = frames.map { MappedFrames($0, keepsEncoded: true) { frame, _ in frame.with(scale: scale) } }
        return Image(pixels: pixels, metadata: metadata, frames: frames, vector: vector)
    }

    /// The same image with its vector image.
    package func with(vector: any VectorImage) -> Image {
        Image(pixels: pixels, metadata: metadata, frames: frames, vector: vector)
    }

    /// The same image as an animation.
    /// Without its vector image, which has no frames.
    package func with(frames: any FrameProvider) -> Image {
        var metadata = metadata
        metadata.frameCount = frames.frameCount
        metadata.loopCount = frames.loopCount
        metadata.durationMilliseconds = frames.durationMilliseconds
        return Image(pixels: pixels, metadata: metadata, frames: frames)
    }

    /// A frame composed to the whole canvas; for index 0 the image itself, without its other frames.
    package func frame(at index: Int, stop: CancellationToken) throws(ImageError) -> Image {
        if let frames, index > 0 {
            let frame = try frames.frame(at: index, stop: stop)
            return frame.metadata.decoding == nil ? frame.with(metadata.decoding) : frame
        }
        guard index == 0 else { throw .noFrame(index, of: metadata.frameCount) }
        return frames == nil ? self : still
    }

    /// The first frame as a still image.
    package var still: Image {
        var metadata = metadata
        metadata.frameCount = 1
        metadata.loopCount = 0
        metadata.durationMilliseconds = 0
        return Image(pixels: pixels, metadata: metadata)
    }
}

/// Properties of an image other than its pixels.
/// Copied with each change of an image; large parts are references.
package struct ImageMetadata: Sendable {
    /// Container that the image was decoded from.
    package var format: ImageFormat = .unknown
    /// Pixels per point, at least 1.
    package var scale = 1.0
    /// Orientation that remains to be applied to the pixels; `up` once applied.
    package var orientation: Orientation = .up
    /// True when pixels may be transparent. Can be false although the format has an alpha channel.
    package var hasAlpha = false
    /// Frames of an animation; 1 for stills.
    package var frameCount = 1
    /// Number of loops; 0 = endless; 0 for still images.
    package var loopCount = 0
    /// Sum of the frame durations in milliseconds; 0 for still images.
    package var durationMilliseconds = 0
    /// True for a partial image, which a better one follows.
    package var isIncremental = false
    /// True when corrupt data of a complete file was accepted, so that some pixels are wrong.
    package var isDamaged = false
    /// True when the host has changed the metadata.
    package var isEdited = false
    /// Number of encoded bytes used for an early thumbnail; nil when all bytes were used.
    package var consumedBytes: Int?
    /// True when a thumbnail size was requested, even if the image was not reduced.
    package var isThumbnail = false
    /// True when a load applied a transformer.
    package var isTransformed = false
    /// True if neither the image nor what is made of it may be stored on disk: its loader has no bytes, or forbids the store.
    package var isForMemoryOnly = false
    /// Size of the encoded image in pixels, as displayed; equal to the size of the image for a full decode.
    package var sourceSize: PixelSize?
    /// Bits per channel in the file; 0 when unknown.
    package var bitsPerChannel = 0
    /// Channels in the file; 0 when unknown.
    package var channels = 0
    /// True if the file is progressive or interlaced.
    package var isProgressive = false
    /// The embedded ICC profile; set when the pixels were not converted to sRGB.
    package var colorProfile: Bytes?
    /// The code points of the color space; set when the pixels were not converted to sRGB. Takes precedence over the profile.
    package var cicp: CodePoints?
    /// The EXIF and XMP blocks, when a coder of the host reports them for a header.
    package var exif: Bytes?
    package var xmp: Bytes?
    /// True when pixels may exceed the white of standard dynamic range: they are still in PQ or HLG, or are linear light.
    package var isHighDynamicRange = false
    /// Headroom of the brightest rendition that the file has, in stops above SDR white; 0 for SDR.
    package var contentHeadroom = 0.0
    /// Headroom of these pixels; 0 for SDR.
    package var headroom = 0.0
    /// The gain map with which pixels in float were made, or which can be applied to others.
    package var gainMap: GainMap?
    /// Overrides the computed `Image.memoryCost`.
    package var memoryCost: Int?
    /// A value of the host, stored with the disk entry.
    package var extendedData: Bytes?
    /// The options of the decode; nil for images that were not decoded.
    package var decoding: DecodeRecord?
    /// The HTTP response of the image; nil for other sources.
    package var provenance: (any ImageProvenance)?

    package init() {}

    /// Describes pixels whose range was reduced to a headroom, in stops: by default to that of SDR.
    package mutating func reduceRange(to headroom: Double = 0) {
        isHighDynamicRange = headroom > 0
        self.headroom = min(self.headroom, headroom)
        gainMap = nil
    }
}

/// The options with which an image was decoded. Behind a reference, so that metadata stays small.
package final class DecodeRecord: Sendable {
    package let options: DecodeOptions

    package init(_ options: DecodeOptions) { self.options = options }
}

/// Information about the source of an image. Opaque here, so that imaging does not depend on HTTP.
/// Implemented by `SharedResponseRecord` in HTTP.
package protocol ImageProvenance: AnyObject, Sendable {}
