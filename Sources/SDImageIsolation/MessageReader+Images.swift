import SDImage

/// Images from a worker. Sizes, strides and counts are compared with the memory and with the limits of the decode. Each function
/// reads what its counterpart in MessageWriter+Images.swift wrote.
extension MessageReader {
    /// Reads an image. Its pixels are a copy, or a private mapping of sealed memory, that the worker cannot change.
    mutating func image(_ limits: DecodeLimits) throws(ImageError) -> Image {
        let pixels = try pixels(limits)
        var metadata = try metadata(limits)
        metadata.gainMap = try optional { reader throws(ImageError) in try reader.gainMap(limits) }
        // A cache would keep more than its limit of images that claim to cost less.
        metadata.memoryCost = metadata.memoryCost.map { max($0, pixels.heldBytes) }
        return Image(pixels: pixels, metadata: metadata)
    }

    /// Reads the location of pixels and takes them from there.
    private mutating func pixels(_ limits: DecodeLimits) throws(ImageError) -> PixelBuffer {
        let format: PixelFormat = try choice()
        let size = try size()
        // Either an offset in the arena, whose memory comes with its first pixels, or a descriptor of their own.
        let isInArena = try flag()
        let offset = isInArena ? try count() : 0
        let isNew = isInArena ? try flag() : true
        let memory = isNew ? try descriptor() : nil
        guard !size.isEmpty else { throw .invalidMessage }
        let stride = try PixelBuffer.stride(width: size.width, format: format)
        let (bytes, overflow) = stride.multipliedReportingOverflow(by: size.height)
        // Frames of animations are drawn on canvases, which count as working memory.
        guard !overflow, bytes <= max(limits.outputBytes, limits.workingBytes) else { throw .invalidMessage }
        // Memory of their own is mapped; memory with an offset is a new arena, which replaces the one before.
        if let memory {
            guard isInArena else { return try SharedMemory.pixels(of: memory, size: size, format: format, stride: stride) }
            worker?.arena = try RemoteArena(memory)
        }
        guard let arena = worker?.arena, bytes <= ResultArena.largest else { throw .invalidMessage }
        // A copy that the worker cannot change: checks of its contents would mean nothing otherwise.
        let pixels = try PixelBuffer(size: size, format: format, limit: bytes)
        try arena.copy(offset, to: pixels)
        return pixels
    }

    /// Reads all properties of an image but the gain map.
    private mutating func metadata(_ limits: DecodeLimits) throws(ImageError) -> ImageMetadata {
        var metadata = ImageMetadata()
        metadata.format = try choice()
        metadata.scale = max(1, try double())
        metadata.orientation = try choice()
        metadata.hasAlpha = try flag()
        metadata.frameCount = try count(MessageReader.mostFrames)
        metadata.loopCount = try count(Int(UInt32.max))
        metadata.durationMilliseconds = try count()
        metadata.isIncremental = try flag()
        metadata.isDamaged = try flag()
        metadata.isEdited = try flag()
        metadata.consumedBytes = try optional { reader throws(ImageError) in try reader.count() }
        metadata.isThumbnail = try flag()
        metadata.isTransformed = try flag()
        metadata.sourceSize = try optional { reader throws(ImageError) in try reader.size() }
        metadata.bitsPerChannel = try count(64)
        metadata.channels = try count(1 << 16)
        metadata.isProgressive = try flag()
        metadata.colorProfile = try block(limits)
        metadata.exif = try block(limits)
        metadata.xmp = try block(limits)
        metadata.cicp = try optional { reader throws(ImageError) in try reader.codePoints() }
        metadata.isHighDynamicRange = try flag()
        metadata.contentHeadroom = try double()
        metadata.headroom = try double()
        metadata.memoryCost = try optional { reader throws(ImageError) in try reader.count() }
        return metadata
    }

    /// Number of frames that an animation may have, as for frames made by the host.
    private static let mostFrames = 1 << 20

    /// A block of metadata; nil also for one that is too large, as in a file.
    private mutating func block(_ limits: DecodeLimits) throws(ImageError) -> Bytes? {
        let block = try optional { reader throws(ImageError) in try reader.bytes(limit: MessageWriter.limit) }
        return block.flatMap { $0.count <= limits.metadataBytes ? $0 : nil }
    }

    private mutating func codePoints() throws(ImageError) -> CodePoints {
        CodePoints(primaries: try number(), transfer: try number(), matrix: try number(), isFullRange: try flag())
    }

    /// Reads a gain map, whose samples are pixels like those of an image.
    private mutating func gainMap(_ limits: DecodeLimits) throws(ImageError) -> GainMap {
        var parameters = GainMap.Parameters()
        parameters.red = try channel()
        parameters.green = try channel()
        parameters.blue = try channel()
        parameters.baseHeadroom = try double()
        parameters.alternateHeadroom = try double()
        parameters.usesBaseColorSpace = try flag()
        parameters.isLinear = try flag()
        let pixels = try pixels(limits)
        // The kernels rely on both.
        guard parameters.isValid, pixels.format == .gray8 || pixels.format == .rgb8 else { throw .invalidMessage }
        var metadata = ImageMetadata()
        metadata.colorProfile = try block(limits)
        metadata.cicp = try optional { reader throws(ImageError) in try reader.codePoints() }
        return GainMap(parameters, image: Image(pixels: pixels, metadata: metadata))
    }

    private mutating func channel() throws(ImageError) -> GainMap.Channel {
        var channel = GainMap.Channel()
        channel.minimum = try double()
        channel.maximum = try double()
        channel.gamma = try double()
        channel.baseOffset = try double()
        channel.alternateOffset = try double()
        return channel
    }

    /// Reads the properties of an image file.
    mutating func info(_ limits: DecodeLimits) throws(ImageError) -> ImageInfo {
        var info = ImageInfo()
        info.format = try choice()
        info.storedSize = try size()
        info.orientation = try choice()
        info.frameCount = try count(MessageReader.mostFrames)
        info.loopCount = try count(Int(UInt32.max))
        info.durationMilliseconds = try count()
        info.bitsPerChannel = try count(64)
        info.channels = try count(1 << 16)
        info.hasAlpha = try flag()
        info.isProgressive = try flag()
        info.hasColorProfile = try flag()
        info.isHighDynamicRange = try flag()
        info.hasGainMap = try flag()
        info.transfer = try number()
        info.contentHeadroom = try double()
        if try flag() { info.dpi = (try double(), try double()) }
        info.exif = try block(limits)
        info.xmp = try block(limits)
        info.colorProfile = try block(limits)
        info.text = try texts()
        return info
    }

    /// Reads the texts of a file, within the limits of codecs.
    private mutating func texts() throws(ImageError) -> [(key: String, value: String)] {
        var texts: [(key: String, value: String)] = []
        var left = 2 * ImageInfo.mostTextBytes
        for _ in 0..<(try count(ImageInfo.mostTexts)) {
            let key = try text(limit: left)
            // Repaired text may be longer than the bytes that were read.
            left = max(0, left - key.utf8.count)
            let value = try text(limit: left)
            left = max(0, left - value.utf8.count)
            texts.append((key, value))
        }
        return texts
    }

    /// Reads the properties of a decoder. `hasBytes`: its frames have encoded bytes, which are not sent back.
    mutating func properties() throws(ImageError) -> (StreamProperties, hasBytes: Bool) {
        var properties = StreamProperties()
        properties.size = try size()
        properties.frameCount = try count(MessageReader.mostFrames)
        properties.loopCount = try count(Int(UInt32.max))
        properties.isSatisfied = try flag()
        let hasBytes = try flag()
        for _ in 0..<(try count(properties.frameCount)) {
            let duration = try number(Int32.self)
            guard duration >= 0 else { throw .invalidMessage }
            properties.durations.append(duration)
        }
        return (properties, hasBytes)
    }
}
