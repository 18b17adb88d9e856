/// An immutable picture: pixels by reference, and what is known about them. Of an animation the pixels are those of the
/// first frame, and the others are made when asked for.
package final class Image: Sendable {
    package let pixels: PixelBuffer
    package let metadata: ImageMetadata
    /// All frames of an animation; nil for stills.
    package let frames: AnimationFrames?
    /// The shapes that the pixels were drawn from; nil for pictures made of pixels.
    package let vector: (any VectorPicture)?

    package init(
        pixels: PixelBuffer, metadata: ImageMetadata, frames: (any FrameProvider)? = nil, vector: (any VectorPicture)? = nil
    ) {
        self.pixels = pixels
        self.metadata = metadata
        self.frames = frames.map(AnimationFrames.of)
        self.vector = vector
    }

    package var size: PixelSize { pixels.size }

    /// Bytes that the bitmap keeps allocated, as many times as frames are held, unless set by hand.
    package var memoryCost: Int {
        if let cost = metadata.memoryCost { return cost }
        guard let frames, frames.isLoaded else { return pixels.heldBytes }
        let (bytes, overflow) = pixels.heldBytes.multipliedReportingOverflow(by: max(frames.frameCount, 1))
        return overflow ? .max : bytes
    }

    /// Neither a thumbnail nor transformed: its encoded bytes are the picture.
    package var isPlain: Bool { !metadata.isThumbnail && !metadata.isTransformed }

    /// Neither shrunk nor in part, and nothing was told of it later: all that its bytes say.
    var isAsDecoded: Bool {
        let own = metadata.sourceSize ?? size
        return isPlain && !metadata.isIncremental && !metadata.isEdited && (own == size || own.swapped == size)
    }

    /// The same picture in memory of its own, where it is a small part of what it keeps alive.
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

    /// The same pixels under other metadata.
    package func with(_ metadata: ImageMetadata) -> Image {
        Image(pixels: pixels, metadata: metadata, frames: frames, vector: vector)
    }

    /// The same picture with a value of the host that was kept beside its bytes.
    package func with(extendedData: Bytes?) -> Image {
        guard let extendedData else { return self }
        var metadata = metadata
        metadata.extendedData = extendedData
        return with(metadata)
    }

    /// The same picture as drawn from shapes.
    package func with(vector: any VectorPicture) -> Image {
        Image(pixels: pixels, metadata: metadata, frames: frames, vector: vector)
    }

    /// The same picture as an animation.
    package func with(frames: any FrameProvider) -> Image {
        var metadata = metadata
        metadata.frameCount = frames.frameCount
        metadata.loopCount = frames.loopCount
        metadata.durationMilliseconds = frames.durationMilliseconds
        return Image(pixels: pixels, metadata: metadata, frames: frames)
    }

    /// A frame composed to the whole canvas; the picture itself for 0.
    package func frame(at index: Int, stop: StopSignal) throws(ImageError) -> Image {
        if let frames, index > 0 { return try frames.frame(at: index, stop: stop) }
        guard index == 0 else { throw .noFrame(index, of: metadata.frameCount) }
        return frames == nil ? self : still
    }

    /// The first frame alone.
    package var still: Image {
        var metadata = metadata
        metadata.frameCount = 1
        metadata.loopCount = 0
        metadata.durationMilliseconds = 0
        return Image(pixels: pixels, metadata: metadata)
    }
}

/// What is known about a picture beside its pixels.
package struct ImageMetadata: Sendable {
    package var format: ImageFormat = .undefined
    /// Pixels per point, at least 1.
    package var scale = 1.0
    /// How the pixels must still be turned; `up` once applied.
    package var orientation: Orientation = .up
    /// False when no pixel can be transparent although the format has an alpha channel.
    package var hasAlpha = false
    package var frameCount = 1
    /// 0 = for ever; 0 for stills.
    package var loopCount = 0
    /// Sum of the frame durations in milliseconds; 0 for stills.
    package var durationMilliseconds = 0
    package var isIncremental = false
    /// A host has changed what is known of it.
    package var isEdited = false
    /// How many of the encoded bytes were needed for an early thumbnail; nil for all of them.
    package var consumedBytes: Int?
    /// A thumbnail size was asked for, whether or not it shrank anything.
    package var isThumbnail = false
    /// A load has put it through a transformer.
    package var isTransformed = false
    /// Pixel size of the encoded picture, as displayed; equal to the image's own for a full decode.
    package var sourceSize: PixelSize?
    /// Of the samples in the file; 0 when not known.
    package var bitsPerChannel = 0
    /// Of the picture in the file; 0 when not known.
    package var channels = 0
    package var isProgressive = false
    /// The embedded ICC profile, kept when the pixels were not converted to sRGB.
    package var colorProfile: Bytes?
    /// The colour space by code points, kept when the pixels were not converted to sRGB. Wins over the profile.
    package var cicp: CodePoints?
    /// The blocks of EXIF and XMP, where a coder of the host says them of a header.
    package var exif: Bytes?
    package var xmp: Bytes?
    /// The pixels may be brighter than the white of a standard picture: they were left in PQ or HLG, or became light.
    package var isHighDynamicRange = false
    /// Replaces the computed cost.
    package var memoryCost: Int?
    /// A value of the host, stored with the disk entry.
    package var extendedData: Bytes?
    /// The response that the image came from; nil unless it came over HTTP.
    package var provenance: (any ImageProvenance)?

    package init() {}
}

/// Information about where an image came from. Imaging stores it without knowing HTTP.
package protocol ImageProvenance: AnyObject, Sendable {}
