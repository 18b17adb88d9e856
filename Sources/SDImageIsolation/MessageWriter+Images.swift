import SDImage

/// Images and their properties in messages. The order of the fields is the format: MessageReader+Images.swift reads the same.
extension MessageWriter {
    /// Writes an image: its pixels, its metadata, and the gain map that it may have.
    mutating func put(_ image: Image) throws(ImageError) {
        try put(image.pixels)
        try put(image.metadata)
        try put(optional: image.metadata.gainMap) { writer, map throws(ImageError) in try writer.put(map) }
    }

    /// Writes where the pixels are: their offset in the arena, or their own memory. Pixels that lie elsewhere are copied.
    private mutating func put(_ pixels: PixelBuffer) throws(ImageError) {
        try put(pixels.format.rawValue)
        try put(pixels.size)
        if let location = try location(of: pixels) { return try put(location) }
        // The copy is allocated in the memory of this worker, so it has a location unless shared memory was refused.
        if let location = try location(of: try pixels.copied()) { return try put(location) }
        throw ImageError(.internalError, "decoder process: no shared memory")
    }

    /// The place of pixels that the host can read.
    private enum Location {
        case arena(ResultArena, offset: Int)
        case memory(Descriptor)
    }

    /// nil for pixels that the host cannot read: those of a library, and memory that was written again after it was sealed.
    private mutating func location(of pixels: PixelBuffer) throws(ImageError) -> Location? {
        if let region = pixels.region as? ArenaRegion {
            // Pages that were never written, such as rows of a partial image, must exist before the host reads them.
            try region.allocate()
            // The region must not be reused before the host has copied it.
            hold(pixels)
            return .arena(region.arena, offset: region.offset)
        }
        return try (pixels.region as? WorkerRegion)?.sealed().map { .memory($0) }
    }

    /// Writes a flag for the arena, then the offset and perhaps the arena's memory, or the memory of the image.
    private mutating func put(_ location: Location) throws(ImageError) {
        switch location {
        case .arena(let arena, let offset):
            try put(true)
            try put(offset)
            try put(optional: unsent(arena)) { writer, memory throws(ImageError) in try writer.put(memory) }
        case .memory(let memory):
            try put(false)
            try put(memory)
        }
    }

    /// Writes the properties that a decode sets, except for the gain map.
    private mutating func put(_ metadata: ImageMetadata) throws(ImageError) {
        try put(metadata.format.rawValue)
        try put(metadata.scale)
        try put(metadata.orientation.rawValue)
        try put(metadata.hasAlpha)
        try put(metadata.frameCount)
        try put(metadata.loopCount)
        try put(metadata.durationMilliseconds)
        try put(metadata.isIncremental)
        try put(metadata.isDamaged)
        try put(metadata.isEdited)
        try put(optional: metadata.consumedBytes) { writer, count throws(ImageError) in try writer.put(count) }
        try put(metadata.isThumbnail)
        try put(metadata.isTransformed)
        try put(optional: metadata.sourceSize) { writer, size throws(ImageError) in try writer.put(size) }
        try put(metadata.bitsPerChannel)
        try put(metadata.channels)
        try put(metadata.isProgressive)
        try putBlocks([metadata.colorProfile, metadata.exif, metadata.xmp])
        try put(optional: metadata.cicp) { writer, points throws(ImageError) in try writer.put(points) }
        try put(metadata.isHighDynamicRange)
        try put(metadata.contentHeadroom)
        try put(metadata.headroom)
        try put(optional: metadata.memoryCost) { writer, cost throws(ImageError) in try writer.put(cost) }
    }

    /// Writes blocks of metadata, each of which may be missing.
    private mutating func putBlocks(_ blocks: [Bytes?]) throws(ImageError) {
        for block in blocks { try put(optional: block) { writer, bytes throws(ImageError) in try writer.put(bytes) } }
    }

    private mutating func put(_ points: CodePoints) throws(ImageError) {
        for number in [points.primaries, points.transfer, points.matrix] { try put(number) }
        try put(points.isFullRange)
    }

    /// Writes the numbers of the three channels, those of the whole map, and the samples with their color space.
    private mutating func put(_ map: GainMap) throws(ImageError) {
        for channel in map.parameters.channels {
            for number in [channel.minimum, channel.maximum, channel.gamma, channel.baseOffset, channel.alternateOffset] {
                try put(number)
            }
        }
        try put(map.parameters.baseHeadroom)
        try put(map.parameters.alternateHeadroom)
        try put(map.parameters.usesBaseColorSpace)
        try put(map.parameters.isLinear)
        try put(map.image.pixels)
        try putBlocks([map.image.metadata.colorProfile])
        try put(optional: map.image.metadata.cicp) { writer, points throws(ImageError) in try writer.put(points) }
    }

    /// Writes the properties of an image file.
    mutating func put(_ info: ImageInfo) throws(ImageError) {
        try put(info.format.rawValue)
        try put(info.storedSize)
        try put(info.orientation.rawValue)
        for number in [info.frameCount, info.loopCount, info.durationMilliseconds, info.bitsPerChannel, info.channels] {
            try put(number)
        }
        for flag in [info.hasAlpha, info.isProgressive, info.hasColorProfile, info.isHighDynamicRange, info.hasGainMap] {
            try put(flag)
        }
        try put(info.transfer)
        try put(info.contentHeadroom)
        try put(info.dpi != nil)
        if let dpi = info.dpi {
            try put(dpi.x)
            try put(dpi.y)
        }
        try putBlocks([info.exif, info.xmp, info.colorProfile])
        try put(info.text.count)
        for (key, value) in info.text {
            try put(key)
            try put(value)
        }
    }

    /// Writes the properties of a decoder; of its encoded bytes only that there are some, because the host has them.
    mutating func put(_ properties: StreamProperties) throws(ImageError) {
        try put(properties.size)
        try put(properties.frameCount)
        try put(properties.loopCount)
        try put(properties.isSatisfied)
        try put(properties.encoded != nil)
        try put(properties.durations.count)
        for duration in properties.durations { try put(duration) }
    }
}

extension PixelBuffer {
    /// Copies pixels that did not come from the memory of the worker, such as those that a coder lends.
    fileprivate func copied() throws(ImageError) -> PixelBuffer {
        let copy = try PixelBuffer(size: size, format: format, limit: .max)
        for y in 0..<size.height {
            guard let from = unsafe row(y), let to = unsafe copy.mutableRow(y) else { continue }
            unsafe to.copyMemory(from: from)
        }
        return copy
    }
}
