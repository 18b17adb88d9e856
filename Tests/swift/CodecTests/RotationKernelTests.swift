import Glibc
import SDImage
import SDImagePixels
import TestSupport
import Testing

/// Lines sampled across images, compared with the Catmull-Rom cubic in doubles.
@Suite struct RotationKernelTests {
    private static let (width, height) = (13, 9)

    /// Premultiplied pixels of an image as the kernel's input, each 0 ... 1.
    private static func premultiplied(_ stored: [Double], _ format: PixelFormat) -> [[Double]] {
        stride(from: 0, to: stored.count, by: format.channels).map { at in
            let pixel = Array(stored[at..<at + format.channels])
            if format.channels == 1 { return [pixel[0], pixel[0], pixel[0], 1] }
            if format.channels == 3 { return pixel + [1] }
            return format.isPremultiplied ? pixel : pixel[..<3].map { $0 * pixel[3] } + [pixel[3]]
        }
    }

    private static func weights(_ t: Double) -> [Double] {
        func cubic(_ x: Double) -> Double {
            let x = abs(x)
            return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
        }
        return [cubic(1 + t), cubic(t), cubic(1 - t), cubic(2 - t)]
    }

    private static func reference(_ pixels: [[Double]], _ x: Double, _ y: Double) -> [Double] {
        let (column, row) = (floor(x - 0.5), floor(y - 0.5))
        let (across, down) = (weights(x - 0.5 - column), weights(y - 0.5 - row))
        let part =
            max(0, min(1, min(x, Double(width) - x) + 0.5)) * max(0, min(1, min(y, Double(height) - y) + 0.5))
        return (0..<4).map { channel in
            var sum = 0.0
            for j in 0..<4 {
                for i in 0..<4 {
                    let px = max(0, min(width - 1, Int(column) - 1 + i)), py = max(0, min(height - 1, Int(row) - 1 + j))
                    sum += across[i] * down[j] * pixels[py * width + px][channel]
                }
            }
            return part > 0 ? sum * part : 0
        }
    }

    private static func compare<T>(_ stored: [T], _ format: PixelFormat, top: Double, _ unit: (T) -> Double) {
        let pixels = premultiplied(stored.map(unit), format)
        unsafe stored.withUnsafeBytes { bytes in
            var source = unsafe sdpx_source(
                pixels: bytes.baseAddress, stride: width * format.bytesPerPixel, width: Int32(width), height: Int32(height),
                format: format.rawValue, is_opaque: 0)
            for angle in [0, 0.3, 1.2, 2.9, -0.7] {
                for y in -3..<16 {
                    let (x0, y0) = (-2.3 + Double(y) * sin(angle), Double(y) * 0.9 + 0.17)
                    var line = [Float](repeating: -1, count: 4 * 24)
                    unsafe sdpx_read_line(&line, 24, &source, x0, y0, cos(angle), sin(angle))
                    for i in 0..<24 {
                        let want = reference(pixels, x0 + Double(i) * cos(angle), y0 + Double(i) * sin(angle))
                        for channel in 0..<4 {
                            let got = Double(line[4 * i + channel]) / top
                            #expect(abs(got - want[channel]) < 2e-5, "\(format) \(angle) \(i) \(y)")
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: [
        PixelFormat.gray8, .rgb8, .rgba8, .rgba8Premultiplied, .bgra8Premultiplied, .gray16, .rgb16, .rgba16, .rgbaFloat,
    ]) func linesAreThoseOfTheCubic(_ format: PixelFormat) {
        var randoms = Randoms(seed: 1)
        let count = Self.width * Self.height * format.channels
        switch format.bytesPerChannel {
        case 1: Self.compare((0..<count).map { _ in UInt8(randoms.below(256)) }, format, top: 255) { Double($0) / 255 }
        case 2: Self.compare((0..<count).map { _ in UInt16(randoms.below(65536)) }, format, top: 65535) { Double($0) / 65535 }
        default: Self.compare((0..<count).map { _ in Float(randoms.below(1000)) / 1000 }, format, top: 1) { Double($0) }
        }
    }

    @Test func aPictureNarrowerThanTheCubicIsReadInside() {
        let stored: [UInt8] = [10, 20, 30]
        unsafe stored.withUnsafeBytes { bytes in
            var source = unsafe sdpx_source(
                pixels: bytes.baseAddress, stride: 3, width: 1, height: 1, format: PixelFormat.rgb8.rawValue, is_opaque: 1)
            var line = [Float](repeating: -1, count: 12)
            unsafe sdpx_read_line(&line, 3, &source, -0.5, 0.5, 1, 0)
            #expect(line == [0, 0, 0, 0, 10, 20, 30, 255, 0, 0, 0, 0])
        }
    }
}
