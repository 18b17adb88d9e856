import SDImage
import SDImagePixels
import Testing

/// Pixels moved, and multiplied by alpha: exact for any size.
@Suite struct OrientationKernelTests {
    /// The source position of pixel (x, y) of the result in an image of this size.
    private func origin(_ x: Int, _ y: Int, _ size: PixelSize, _ orientation: Orientation) -> (Int, Int) {
        let right = size.width - 1
        let bottom = size.height - 1
        return switch orientation {
        case .up: (x, y)
        case .upMirrored: (right - x, y)
        case .down: (right - x, bottom - y)
        case .downMirrored: (x, bottom - y)
        case .leftMirrored: (y, x)
        case .right: (y, bottom - x)
        case .rightMirrored: (right - y, bottom - x)
        case .left: (right - y, x)
        }
    }

    @Test(arguments: Orientation.allCases, PixelFormat.allCases)
    func everyPixelComesToItsPlace(orientation: Orientation, format: PixelFormat) throws {
        for (width, height) in [(1, 1), (1, 17), (33, 1), (16, 8), (37, 41), (64, 48), (130, 300)] {
            let source = try PixelBuffer.scene(width, height, format)
            let result = try source.turned(orientation, stop: CancellationToken())
            #expect(result.size == (orientation.swapsAxes ? source.size.swapped : source.size))
            var isRight = true
            for y in 0..<result.size.height {
                for x in 0..<result.size.width {
                    let from = origin(x, y, source.size, orientation)
                    for k in 0..<format.channels {
                        isRight = isRight && result.sample(x, y, k) == source.sample(from.0, from.1, k)
                    }
                }
            }
            #expect(isRight, "\(orientation) \(format) \(width)x\(height)")
        }
    }

    @Test func colorTimesAlphaIsRoundedToTheNearest() {
        for isBGRA in [false, true] {
            let format = isBGRA ? SDPX_BGRA8_PREMULTIPLIED : SDPX_RGBA8_PREMULTIPLIED
            for alpha in 0..<256 {
                // Complete vectors and a remainder.
                var row: [UInt8] = []
                var expected: [UInt8] = []
                for i in 0..<261 {
                    let pixel: [Int] = [i % 256, 255 - i % 256, (i * 7) % 256]
                    row += pixel.map { UInt8($0) } + [UInt8(alpha)]
                    let weighted: [UInt8] = pixel.map { UInt8(($0 * alpha * 2 + 255) / 510) }
                    expected += (isBGRA ? weighted.reversed() : weighted) + [UInt8(alpha)]
                }
                var result = [UInt8](repeating: 0, count: row.count)
                unsafe sdpx_convert_row(&result, Int32(format), row, Int32(SDPX_RGBA8), 261)
                #expect(result == expected)
            }
        }
    }
}
