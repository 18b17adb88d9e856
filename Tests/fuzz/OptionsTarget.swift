import SDImage
import SDImageCodecs

/// An image of any format under options and limits drawn from the first bytes of the input.
enum OptionsTarget {
    static let header = 12
    static let target = FuzzTarget(name: "options", run: run, repair: { PNGChecksums.repair($0, from: header) })

    private static let registry = CoderRegistry(BuiltinCoders().registered)

    @Sendable private static func run(_ input: FuzzTarget.Input) {
        var drawing = Drawing(input)
        let options = drawOptions(&drawing)
        let bytes = Bytes.exact(drawing.bytes)
        do throws(ImageError) {
            check(try registry.decode(bytes, options: options, stop: CancellationToken()), options)
        } catch { return }
    }

    /// Consumes `header` bytes.
    private static func drawOptions(_ drawing: inout Drawing) -> DecodeOptions {
        var options = DecodeOptions()
        options.limits = .fuzzing
        let flags = drawing.byte()
        let box = PixelSize(width: drawing.number16(), height: drawing.number16())
        let limit = drawing.number16()
        options.thumbnailMode = flags & 1 == 0 ? .aspectFit : flags & 128 == 0 ? .fill : .aspectFill
        options.firstFrameOnly = flags & 2 != 0
        options.applyOrientation = flags & 4 == 0
        options.convertToSRGB = flags & 8 == 0
        options.acceptPartial = flags & 16 != 0
        if flags & 32 != 0 { options.thumbnailSize = box }
        if flags & 64 != 0 { options.limitBytes = limit }
        let range = DynamicRange(rawValue: Int32(drawing.number(below: 4)))
        (options.dynamicRange, options.keepsGainMap) = (range ?? .sdr, range == nil)
        options.displayHeadroom = Double(drawing.byte()) / 64
        options.pixelFormat = PixelFormat(rawValue: Int32(drawing.number(below: PixelFormat.allCases.count + 1)))
        options.formatHint = ImageFormat.allCases[drawing.number(below: ImageFormat.allCases.count)]
        options.scale = Double(drawing.byte()) / 16
        options.limits.outputBytes >>= drawing.number(below: 12)
        options.limits.workingBytes >>= drawing.number(below: 12)
        return options
    }

    private static func check(_ image: Image, _ options: DecodeOptions) {
        _ = Picture(image)
        expect(image.pixels.byteCount <= options.limits.outputBytes, "a bitmap keeps its limit")
        if let wanted = options.pixelFormat { expect(image.pixels.format == wanted, "the pixel format is the wanted one") }
        guard options.applyOrientation, options.limitBytes == 0, options.thumbnailMode != .aspectFill,
            let box = options.thumbnailSize, !box.isEmpty
        else { return }
        expect(
            image.size.width <= max(box.width, 1) && image.size.height <= max(box.height, 1),
            "a thumbnail fits its box: \(image.size), \(box)")
    }
}
