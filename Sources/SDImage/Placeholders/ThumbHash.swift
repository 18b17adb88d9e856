import Glibc

/// An image in some bytes, with its aspect ratio and alpha (the ThumbHash format, evanw.github.io/thumbhash).
/// Used by the C interface and for placeholders of targets.
package struct ThumbHash: Sendable {
    private let hasAlpha: Bool
    private let isLandscape: Bool
    /// Components of luma along each side, as stored.
    /// At least 3 are coded, even if fewer are stored here.
    private let lumaAcross: Int
    private let lumaDown: Int
    private var luma: CosineChannel
    /// Color differences: yellow to blue, and red to green.
    private var yellowBlue: CosineChannel
    private var redGreen: CosineChannel
    /// Exists also without alpha, and then is not stored.
    private var alpha: CosineChannel

    /// Longest side that is analyzed, and that is drawn, in pixels.
    private static let encodedSide = 100
    private static let drawnSide = 32.0

    /// Reads the image once. The mean color is weighted by alpha.
    package init(_ image: Image) throws(ImageError) {
        let size = ThumbHash.reduced(image.size)
        let cells = try ImageCells(image, size: size, inLight: false, passesAlphaOver: false)
        var pixels: [SIMD4<Double>] = []
        let columns = ImageCells.bounds(image.size.width, cells: size.width)
        let rows = ImageCells.bounds(image.size.height, cells: size.height)
        unsafe cells.forEachRow { row, sums in
            for x in 0..<size.width {
                // The cells hold sums over their pixels, so they are divided by their area.
                let area = Double((columns[x + 1] - columns[x]) * (rows[row + 1] - rows[row]))
                let sum = unsafe SIMD4(sums[4 * x], sums[4 * x + 1], sums[4 * x + 2], sums[4 * x + 3])
                pixels.append(SIMD4<Double>(sum) / area)
            }
        }
        // Transparent areas get the mean color of the rest.
        let sum = pixels.reduce(SIMD4(), +)
        let mean = sum.w > 0 ? sum / sum.w : SIMD4()
        // Less alpha in total than opaque pixels have, with a tolerance for rounding.
        hasAlpha = sum.w < Double(pixels.count) - 0.0001
        let colors = pixels.map { pixel in SIMD4(mean.x, mean.y, mean.z, 0) * (1 - pixel.w) + pixel }
        let longest = Double(max(size.width, size.height))
        // Alpha takes bits from luma.
        let limit = hasAlpha ? 5.0 : 7.0
        isLandscape = size.width > size.height
        // The longer side gets the most components, the other in proportion.
        lumaAcross = max(1, Int((limit * Double(size.width) / longest).rounded()))
        lumaDown = max(1, Int((limit * Double(size.height) / longest).rounded()))
        luma = CosineChannel(
            colors.map { ($0.x + $0.y + $0.z) / 3 }, size: size, across: max(3, lumaAcross), down: max(3, lumaDown))
        // Color differences need few components, because the eye sees them coarsely.
        yellowBlue = CosineChannel(colors.map { ($0.x + $0.y) / 2 - $0.z }, size: size, across: 3, down: 3)
        redGreen = CosineChannel(colors.map { $0.x - $0.y }, size: size, across: 3, down: 3)
        alpha = CosineChannel(colors.map(\.w), size: size, across: 5, down: 5)
    }

    /// The size to analyze, with the same aspect ratio and at least one pixel on a side.
    private static func reduced(_ size: PixelSize) -> PixelSize {
        let longest = max(size.width, size.height)
        guard longest > encodedSide else { return size }
        func side(_ length: Int) -> Int {
            max(1, Int((Double(length) * Double(encodedSide) / Double(longest)).rounded()))
        }
        return PixelSize(width: side(size.width), height: side(size.height))
    }

    // MARK: Bytes

    /// Least significant bit first; header of 5 or 6 bytes, then four bits for each component.
    package var bytes: [UInt8] {
        var bits = BitRow()
        bits.put(luma.mean, 6)
        bits.put((yellowBlue.mean + 1) / 2, 6)
        bits.put((redGreen.mean + 1) / 2, 6)
        bits.put(luma.scale, 5)
        bits.put(hasAlpha ? 1 : 0, 1)
        // Only the shorter side is stored: the longer one follows from `hasAlpha`.
        bits.put(number: isLandscape ? lumaDown : lumaAcross, 3)
        bits.put(yellowBlue.scale, 6)
        bits.put(redGreen.scale, 6)
        bits.put(isLandscape ? 1 : 0, 1)
        if hasAlpha {
            bits.put(alpha.mean, 4)
            bits.put(alpha.scale, 4)
        }
        for channel in [luma, yellowBlue, redGreen] + (hasAlpha ? [alpha] : []) {
            // Components from -1 to 1 become 0 to 15; all are 0 without a scale.
            for wave in channel.waves { bits.put(channel.scale > 0 ? 0.5 + 0.5 * wave / channel.scale : 0, 4) }
        }
        return bits.bytes
    }

    /// Parses untrusted bytes; throws `badData` if the header is invalid or the end is missing.
    package init(_ bytes: [UInt8]) throws(ImageError) {
        guard bytes.count >= 5 else { throw ImageError(.badData, "thumbhash: \(bytes.count) bytes, expected at least 5") }
        var bits = BitRow(bytes)
        let lumaMean = bits.unit(6)
        let (yellowBlueMean, redGreenMean) = (2 * bits.unit(6) - 1, 2 * bits.unit(6) - 1)
        let lumaScale = bits.unit(5)
        hasAlpha = bits.number(1) == 1
        let count = bits.number(3)
        let (yellowBlueScale, redGreenScale) = (bits.unit(6), bits.unit(6))
        isLandscape = bits.number(1) == 1
        // Alpha has one more byte in the header.
        guard count > 0, !hasAlpha || bytes.count > 5 else { throw ImageError(.badData, "thumbhash: invalid header") }
        let most = hasAlpha ? 5 : 7
        lumaAcross = isLandscape ? most : count
        lumaDown = isLandscape ? count : most
        let (alphaMean, alphaScale) = hasAlpha ? (bits.unit(4), bits.unit(4)) : (1, 0)
        luma = CosineChannel(mean: lumaMean, scale: lumaScale, across: max(3, lumaAcross), down: max(3, lumaDown))
        // Small values are drawn stronger than they were measured, to compensate for the loss by the few quantization steps.
        yellowBlue = CosineChannel(mean: yellowBlueMean, scale: yellowBlueScale * 1.25, across: 3, down: 3)
        redGreen = CosineChannel(mean: redGreenMean, scale: redGreenScale * 1.25, across: 3, down: 3)
        alpha = CosineChannel(mean: alphaMean, scale: alphaScale, across: 5, down: 5)
        luma.read(&bits)
        yellowBlue.read(&bits)
        redGreen.read(&bits)
        if hasAlpha { alpha.read(&bits) }
        // Reads past the end gave zeros, so one check at the end suffices.
        guard !bits.isExceeded else { throw ImageError(.badData, "thumbhash: data ends early (\(bytes.count) bytes)") }
    }

    // MARK: Drawing

    /// The image in rgba8, 32 pixels along the longer side.
    package func image() throws(ImageError) -> Image {
        // The aspect ratio is known only as the ratio of components.
        let ratio = Double(lumaAcross) / Double(lumaDown)
        let size = PixelSize(
            width: Int((ThumbHash.drawnSide * min(1, ratio)).rounded()),
            height: Int((ThumbHash.drawnSide / max(1, ratio)).rounded()))
        let buffer = try PixelBuffer(size: size, format: .rgba8)
        for y in 0..<size.height {
            guard let row = unsafe buffer.mutableRow(y) else { continue }
            for x in 0..<size.width {
                let (l, p, q) = (luma.value(x, y, size), yellowBlue.value(x, y, size), redGreen.value(x, y, size))
                // Inverse of the color differences above.
                let blue = l - 2 / 3 * p
                let red = (3 * l - blue + q) / 2
                let color = [red, red - q, blue, hasAlpha ? alpha.value(x, y, size) : 1]
                for channel in 0..<4 { unsafe row[4 * x + channel] = UInt8(255 * min(1, max(0, color[channel]))) }
            }
        }
        var metadata = ImageMetadata()
        metadata.hasAlpha = hasAlpha
        return Image(pixels: buffer, metadata: metadata)
    }
}
