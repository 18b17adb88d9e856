import SDImage
import SDImageCodecs

/// An image of any format in pieces: partial images are valid, and the end result equals that of one decode.
///
/// The first byte sets the sizes of the pieces, the second the options, the third the times to look at images.
enum DecoderTarget {
    static let header = 3
    static let target = FuzzTarget(name: "decoder", run: run, repair: { PNGChecksums.repair($0, from: header) })

    private static let registry = CoderRegistry(BuiltinCoders().registered)
    /// A limit on pieces, because each look may decode all bytes so far; more would make long inputs slow.
    private static let mostPieces = 48

    @Sendable private static func run(_ input: FuzzTarget.Input) {
        var drawing = Drawing(input)
        let sizes = drawing.byte()
        let options = drawOptions(drawing.byte())
        let looks = drawing.byte()
        let bytes = Bytes.exact(drawing.bytes)
        let whole = Whole(bytes, options)
        let decoder = IncrementalDecoder(registry, options: options)
        do throws(ImageError) {
            try feed(decoder, drawing.bytes, sizes: sizes, looks: looks, whole)
        } catch {
            let failed = Outcome.failure(error.status)
            expect(whole.outcome.agrees(with: failed), "pieces fail as the whole does: \(failed), \(whole.outcome)")
            return
        }
        let end = Outcome { () throws(ImageError) in try finished(decoder) }
        expect(end.agrees(with: whole.outcome), "pieces end as the whole does: \(end), \(whole.outcome)")
        checkFrames(decoder, whole)
    }

    /// Decodes all bytes at once.
    private struct Whole {
        let outcome: Outcome
        let image: Image?

        init(_ bytes: Bytes, _ options: DecodeOptions) {
            do throws(ImageError) {
                let image = try registry.decode(bytes, options: options, stop: CancellationToken())
                self.image = image
                outcome = .picture(Picture(image))
            } catch {
                image = nil
                outcome = .failure(error.status)
            }
        }
    }

    private static func drawOptions(_ byte: UInt8) -> DecodeOptions {
        var options = DecodeOptions()
        options.limits = .fuzzing
        options.firstFrameOnly = byte & 1 == 1
        options.acceptPartial = byte & 2 == 2
        options.applyOrientation = byte & 4 == 0
        options.convertToSRGB = byte & 8 == 0
        if byte & 0x10 != 0 { options.pixelFormat = .rgba8Premultiplied }
        options.earlyThumbnail = byte & 0x40 != 0
        if byte & 0x80 != 0 { options.dynamicRange = .hdr }
        if byte & 0x20 != 0 { options.thumbnailSize = PixelSize(width: 13, height: 9) }
        return options
    }

    private static func feed(
        _ decoder: IncrementalDecoder, _ bytes: UnsafeRawBufferPointer, sizes: UInt8, looks: UInt8, _ whole: Whole
    ) throws(ImageError) {
        var random = UInt32(sizes) &* 2_654_435_761 | 1
        var position = 0
        let least = max(1, bytes.count / mostPieces)
        while position < bytes.count {
            random = random &* 1_664_525 &+ 1_013_904_223
            let size = max(least, Int(random >> 16) % (1 << (1 + Int(sizes) % 12)))
            let end = min(position + size, bytes.count)
            try decoder.append(UnsafeRawBufferPointer(rebasing: bytes[position..<end]), isFinished: false)
            position = end
            if random >> 24 <= UInt32(looks) { try look(decoder, whole) }
        }
        try decoder.append(UnsafeRawBufferPointer(start: nil, count: 0), isFinished: true)
    }

    /// Checks a partial image: it has the size of the final image and is marked as partial.
    private static func look(_ decoder: IncrementalDecoder, _ whole: Whole) throws(ImageError) {
        guard let image = try decoder.image() else { return }
        let picture = Picture(image)
        expect(decoder.isSatisfied || image.metadata.isIncremental, "a part is marked as one")
        // The orientation of a WebP comes last.
        if let final = whole.image, final.metadata.format != .webp {
            expect(picture.size == final.size, "a part has the size of the whole")
        }
        _ = Outcome { () throws(ImageError) in try decoder.frame(at: max(decoder.frameCount - 1, 0)) }
    }

    private static func finished(_ decoder: IncrementalDecoder) throws(ImageError) -> Image {
        guard let image = try decoder.image() else {
            expect(false, "a finished decoder has a picture or an error")
            throw ImageError(.internalError, "no picture")
        }
        return image
    }

    private static func checkFrames(_ decoder: IncrementalDecoder, _ whole: Whole) {
        guard let image = whole.image else { return }
        let count = image.metadata.frameCount
        expect(decoder.frameCount == count, "a finished decoder has all frames: \(decoder.frameCount) of \(count)")
        for index in [count - 1, 0, count / 2] {
            let one = Outcome { () throws(ImageError) in try image.frame(at: index, stop: CancellationToken()) }
            let other = Outcome { () throws(ImageError) in try decoder.frame(at: index) }
            guard case .picture(let a) = one, case .picture(let b) = other else {
                expect(one.agrees(with: other), "frame \(index) of a decoder is that of the image: \(other), \(one)")
                continue
            }
            expect(a.sum == b.sum && a.size == b.size, "frame \(index) of a decoder is that of the image")
        }
    }
}
