import SDImage
import Synchronization

/// Writes an image or animation as WebP. Holds everything that is independent of the quality, because a maximum file size needs
/// several attempts. Runs on the thread of the encode; `WebPParallelEncoder` adds an idle worker for animations.
struct WebPEncoder {
    private let image: Image
    private let options: EncodeOptions
    /// The metadata of the file.
    private let blocks: WebPWriter.Blocks
    private let stop: CancellationToken

    init(_ image: Image, options: EncodeOptions, stop: CancellationToken) throws(ImageError) {
        // Both choose the quality.
        if options.maxFileSize > 0, options.webP[.targetPSNR] ?? 0 > 0 {
            throw ImageError(.invalidArgument, "webp: file size limit and target PSNR exclude each other")
        }
        guard max(image.size.width, image.size.height) <= WebPFrameEncoder.longestSide else {
            throw .tooLarge(
                "webp: longer side of \(image.size.width)x\(image.size.height) pixels", limit: WebPFrameEncoder.longestSide)
        }
        let upright = try image.upright(stop: stop)
        // A small file has no room for a profile, so a file size limit converts colors to sRGB. A gray profile does not describe
        // the samples of a WebP, which are always RGB.
        let isConverted = options.maxFileSize > 0 || upright.metadata.colorProfile.map(PNGAncillaryWriter.isGray) ?? false
        self.image = try isConverted ? upright.inSRGB(stop: stop) : upright.withoutCodePoints(stop: stop)
        self.options = options
        self.stop = stop
        blocks = WebPWriter.Blocks(
            profile: self.image.metadata.colorProfile,
            // The pixels are upright, so a given block gets that orientation.
            exif: try ExifWriter(options.exif, orientation: .up).block(),
            xmp: options.xmp.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// Encodes with the quality of the options, or the highest that keeps their maximum file size.
    func encode(pool: () -> WorkPool? = WorkPool.idle) throws(ImageError) -> Bytes {
        try options.keepingFileSize { quality throws(ImageError) in
            let configuration = try WebPEncoderConfiguration(options, quality: quality)
            guard let frames = image.frames, frames.frameCount > 1 else { return try encodeStill(configuration) }
            return try encode(frames, configuration, pool: pool)
        }
    }

    private func encodeStill(_ configuration: WebPEncoderConfiguration) throws(ImageError) -> Bytes {
        let file = try WebPFrameEncoder(configuration, account: options.account, stop: stop).encode(image)
        // Without metadata, the file that libwebp wrote is complete.
        guard !blocks.isEmpty else { return file }
        var container = try WebPWriter(canvas: image.size, blocks: blocks, loopCount: nil)
        try container.add(file)
        return try container.finish()
    }

    private func encode(
        _ frames: any FrameProvider, _ configuration: WebPEncoderConfiguration, pool: () -> WorkPool?
    ) throws(ImageError) -> Bytes {
        let loopCount = options.loopCount ?? image.metadata.loopCount
        var container = try WebPWriter(canvas: image.size, blocks: blocks, loopCount: loopCount)
        let maker = WebPParallelEncoder(image, frames.frameCount, configuration, account: options.account, stop: stop)
        // If memory is only enough for one frame at a time, the success of a second would depend on the load of the machine.
        let hasRoomForTwo = WebPFrameEncoder.memory(image.size, configuration.value) <= EncodeOptions.workingBytes / 2
        // Frames are written in order, so only one pair waits to be written.
        for index in stride(from: 0, to: frames.frameCount, by: 2) {
            let (first, second) = try maker.pair(index, pool: hasRoomForTwo ? pool : { nil })
            try container.add(frame: first, milliseconds: frames.durationMilliseconds(at: index))
            if let second { try container.add(frame: second, milliseconds: frames.durationMilliseconds(at: index + 1)) }
        }
        return try container.finish()
    }
}
