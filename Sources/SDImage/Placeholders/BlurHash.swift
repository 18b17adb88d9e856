import Glibc
import SDImagePixels

/// An image as text: some of its cosine components (the BlurHash algorithm, github.com/woltapp/blurhash).
/// Text for the C interface, and placeholders of targets. Encoding reads the image once; drawing needs the components
/// only.
package struct BlurHash: Sendable {
    /// Components along each side, 1 to 9.
    /// Both are stored in the first character.
    private let across: Int
    private let down: Int
    /// Red, green and blue of each component, in linear light; the mean first, then along x.
    private var components: [[Double]]

    /// Maximum number of cells along each side that are evaluated: the highest component has nine half waves.
    private static let cells = 256

    /// Throws `invalidArgument` for a number of components outside 1 to 9.
    package init(_ image: Image, across: Int, down: Int) throws(ImageError) {
        guard 1...9 ~= across, 1...9 ~= down else {
            throw ImageError(.invalidArgument, "blurhash: \(across)x\(down) components, expected 1 to 9 per side")
        }
        self.across = across
        self.down = down
        let whole = image.size
        // Larger images are averaged in cells.
        let size = PixelSize(width: min(whole.width, BlurHash.cells), height: min(whole.height, BlurHash.cells))
        let cells = try ImageCells(image, size: size, inLight: true, passesAlphaOver: true)
        let waves = (0..<across).map { BlurHash.wave($0, length: whole.width, cells: size.width) }
        let columnWaves = (0..<down).map { BlurHash.wave($0, length: whole.height, cells: size.height) }
        var sums = [[Double]](repeating: [0, 0, 0], count: across * down)
        // One pass over the rows; the products along y are added with the factor of each row.
        unsafe cells.forEachRow { row, cells in
            for x in 0..<across {
                let sum = unsafe BlurHash.sum(cells, times: waves[x])
                for y in 0..<down {
                    for channel in 0..<3 { sums[y * across + x][channel] += sum[channel] * columnWaves[y][row] }
                }
            }
        }
        let pixels = Double(whole.width) * Double(whole.height)
        // Normalization of the format: 1 / pixels for the mean and 2 / pixels for the others.
        components = sums.enumerated().map { index, sum in sum.map { $0 * (index == 0 ? 1 : 2) / pixels } }
    }

    /// Mean of cos(πkx / length) over each cell.
    /// `number` is k. Positions are those of pixels, without a half, as the format defines it.
    private static func wave(_ number: Int, length: Int, cells: Int) -> [Double] {
        let bounds = ImageCells.bounds(length, cells: cells)
        let step = Double.pi * Double(number) / Double(length)
        return (0..<cells).map { cell in
            let range = bounds[cell]..<bounds[cell + 1]
            return range.reduce(0) { $0 + cos(step * Double($1)) } / Double(range.count)
        }
    }

    /// Sums of each color times the wave along a row.
    private static func sum(_ cells: UnsafeBufferPointer<Float>, times wave: [Double]) -> [Double] {
        var (red, green, blue) = (0.0, 0.0, 0.0)
        for (index, value) in wave.enumerated() {
            unsafe red += value * Double(cells[4 * index])
            unsafe green += value * Double(cells[4 * index + 1])
            unsafe blue += value * Double(cells[4 * index + 2])
        }
        return [red, green, blue]
    }

    // MARK: Text

    /// ASCII; one character for the size, one for the scale, four for the mean, two for each component.
    package var text: [UInt8] {
        let waves = components.dropFirst()
        // One scale for all components, quantized to 83 steps of 1 / 166.
        let largest = waves.joined().reduce(0) { max($0, abs($1)) }
        let step = waves.isEmpty ? 0 : Int(saturating: max(0, min(82, (largest * 166 - 0.5).rounded(.down))))
        let scale = waves.isEmpty ? 1 : Double(step + 1) / 166
        // The mean in sRGB with 24 bits.
        let mean = components[0].reduce(0) { $0 << 8 | Int(saturating: BlurHash.encoded($1) * 255 + 0.5) }
        var text = Base83.text((across - 1) + (down - 1) * 9, digits: 1) + Base83.text(step, digits: 1)
        text += Base83.text(mean, digits: 4)
        for wave in waves {
            let number = wave.reduce(0) { number, value in
                // The square root gives small components finer steps; 0 is digit 9 of 0 to 18.
                let root = sqrt(abs(value / scale)) * (value < 0 ? -1 : 1)
                return number * 19 + Int(saturating: max(0, min(18, (root * 9 + 9.5).rounded(.down))))
            }
            text += Base83.text(number, digits: 2)
        }
        return text
    }

    /// Parses untrusted text; throws `badData` if it is not the text of an encoder.
    package init(_ text: [UInt8]) throws(ImageError) {
        let numbers = try Base83.numbers(text)
        // 9 + 8 * 9 = 81 sizes exist; larger numbers are no size.
        guard numbers.count >= 6, numbers[0] < 81 else {
            throw ImageError(.badData, "blurhash: invalid header or length (\(numbers.count) characters)")
        }
        across = numbers[0] % 9 + 1
        down = numbers[0] / 9 + 1
        // The size determines the length.
        guard numbers.count == 4 + 2 * across * down else {
            throw ImageError(.badData, "blurhash: \(numbers.count) characters, expected \(4 + 2 * across * down)")
        }
        let scale = Double(numbers[1] + 1) / 166
        let mean = numbers[2..<6].reduce(0) { $0 * 83 + $1 }
        // Four digits hold more than 24 bits.
        guard mean < 1 << 24 else { throw ImageError(.badData, "blurhash: average color \(mean) exceeds 24 bits") }
        components = [[16, 8, 0].map { BlurHash.light(Double(mean >> $0 & 255) / 255) }]
        for index in stride(from: 6, to: numbers.count, by: 2) {
            let number = numbers[index] * 83 + numbers[index + 1]
            // Three digits of base 19.
            guard number < 19 * 19 * 19 else {
                throw ImageError(.badData, "blurhash: component \(number) exceeds the limit of 6858")
            }
            components.append(
                [number / 361, number / 19 % 19, number % 19].map { digit in
                    let root = Double(digit - 9) / 9
                    return root * abs(root) * scale
                })
        }
    }

    /// sRGB transfer function (IEC 61966-2-1) and its inverse, for values from 0 to 1.
    private static func encoded(_ light: Double) -> Double {
        let v = min(1, max(0, light))
        return v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055
    }

    private static func light(_ v: Double) -> Double { v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4) }

    // MARK: Drawing

    /// The image in rgb8. `punch`: contrast factor.
    /// Throws `invalidArgument` for impossible sizes or contrast.
    package func image(size: PixelSize, punch: Double) throws(ImageError) -> Image {
        guard 1...4096 ~= size.width, 1...4096 ~= size.height else {
            throw ImageError(
                .invalidArgument, "blurhash: image size is \(size.width)x\(size.height), expected sides of 1 to 4096")
        }
        guard punch.isFinite, punch >= 0 else {
            throw ImageError(.invalidArgument, "blurhash: punch is \(punch), expected 0 or more")
        }
        let buffer = try PixelBuffer(size: size, format: .rgb8)
        // One row in linear light: the kernel converts it to sRGB.
        let scratch = try ScratchMemory(4 * size.width * MemoryLayout<Float>.size)
        let light = unsafe scratch.bound(to: Float.self)
        let waves = (0..<across).map { BlurHash.wave($0, length: size.width, cells: size.width).map { Float($0) } }
        let columnWaves = (0..<down).map { BlurHash.wave($0, length: size.height, cells: size.height) }
        for y in 0..<size.height {
            guard let to = unsafe buffer.mutableRow(y)?.baseAddress else { continue }
            unsafe light.update(repeating: 0)
            // The factor of a wave along x is the same for the whole row.
            for x in 0..<across {
                let factors = (0..<3).map { channel in
                    (0..<down).reduce(Float(0)) { sum, wave in
                        let part = components[wave * across + x][channel] * columnWaves[wave][y]
                        return sum + Float(part * (wave + x == 0 ? 1 : punch))
                    }
                }
                unsafe BlurHash.add(waves[x], factors, to: light)
            }
            unsafe sdpx_convert_row(
                to, PixelFormat.rgb8.rawValue, scratch.bytes.baseAddress, PixelFormat.rgbaFloat.rawValue, size.width)
        }
        return Image(pixels: buffer, metadata: ImageMetadata())
    }

    /// Adds a wave along x with the factor of each color.
    private static func add(_ wave: [Float], _ factors: [Float], to light: UnsafeMutableBufferPointer<Float>) {
        let (red, green, blue) = (factors[0], factors[1], factors[2])
        for (index, value) in wave.enumerated() {
            unsafe light[4 * index] += red * value
            unsafe light[4 * index + 1] += green * value
            unsafe light[4 * index + 2] += blue * value
        }
    }
}
