import CSDImage
import Foundation
import Testing

/// Images rotated by any angle.
@Suite struct RotateTests {
    private func rotated(_ image: Owned, _ angle: Double, fit: Bool) throws -> Owned {
        try make(sdimage_image_unref) { rotatedImage(image.pointer, angle, fit, $0, $1) }
    }

    private func numbered(_ width: Int, _ height: Int) throws -> Owned {
        try DrawnPicture.draw(width, height, .SDIMAGE_PIXEL_FORMAT_GRAY8) { x, y in [UInt8(10 * y + x + 1)] }
    }

    private func bytes(_ image: Owned) -> [[Int]] {
        let size = DrawnPicture.size(image)
        return (0..<size[1]).map { y in
            (0..<size[0]).map { x in
                let color = DrawnPicture.color(image, x, y)
                return color[3] == 0 ? 0 : Int(color[0] * 255 + 0.5)
            }
        }
    }

    @Test(arguments: [
        sdimage_pixel_format.SDIMAGE_PIXEL_FORMAT_RGBA8, .SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED,
        .SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED, .SDIMAGE_PIXEL_FORMAT_RGBA16, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT,
    ]) func anEighthTurnIsCounterClockwise(_ format: sdimage_pixel_format) throws {
        let picture = try DrawnPicture.blockAndBar(format)
        let cut = try rotated(picture, .pi / 4, fit: false)
        #expect(DrawnPicture.size(cut) == [300, 300] && sdimage_image_pixel_format(cut.pointer) == format)
        let whole = try rotated(picture, .pi / 4, fit: true)
        #expect(DrawnPicture.size(whole) == [425, 425])
        // A point 130 above the center is now above and left of it.
        #expect(DrawnPicture.color(whole, 120, 120) == DrawnPicture.black)
        #expect(DrawnPicture.color(cut, 58, 58) == DrawnPicture.black)
        #expect(DrawnPicture.color(whole, 304, 120)[3] == 0)
        #expect(DrawnPicture.color(whole, 0, 0) == DrawnPicture.clear)
    }

    @Test func quarterTurnsMovePixels() throws {
        let picture = try numbered(3, 2)
        #expect(bytes(try rotated(picture, .pi / 2, fit: true)) == [[3, 13], [2, 12], [1, 11]])
        #expect(bytes(try rotated(picture, -.pi / 2, fit: true)) == [[11, 1], [12, 2], [13, 3]])
        #expect(bytes(try rotated(picture, 5 * .pi / 2, fit: true)) == [[3, 13], [2, 12], [1, 11]])
        for fit in [false, true] {
            #expect(bytes(try rotated(picture, .pi, fit: fit)) == [[13, 12, 11], [3, 2, 1]])
            #expect(bytes(try rotated(picture, 0, fit: fit)) == [[1, 2, 3], [11, 12, 13]])
            #expect(bytes(try rotated(picture, -2 * .pi, fit: fit)) == [[1, 2, 3], [11, 12, 13]])
        }
        let turned = try rotated(picture, .pi / 2, fit: true)
        withExtendedLifetime(turned) {
            #expect(sdimage_image_pixel_format(turned.pointer) == .SDIMAGE_PIXEL_FORMAT_GRAY8)
        }
    }

    @Test func aQuarterTurnThatIsNotFittedIsCutAndCentered() throws {
        let picture = try numbered(5, 3)
        let image = try rotated(picture, .pi / 2, fit: false)
        #expect(bytes(image) == [[0, 4, 14, 24, 0], [0, 3, 13, 23, 0], [0, 2, 12, 22, 0]])
        #expect(sdimage_image_pixel_format(image.pointer) == .SDIMAGE_PIXEL_FORMAT_RGBA8)
    }

    @Test(arguments: [0.1, 1, 2.5, -0.7]) func turningThereAndBackIsNearThePicture(_ angle: Double) throws {
        let picture = try DrawnPicture.draw(80, 60, .SDIMAGE_PIXEL_FORMAT_RGB8) { x, y in
            [UInt8(127 + 100 * sin(Double(x) / 9)), UInt8(127 + 100 * cos(Double(y) / 7)), UInt8(x + y)]
        }
        let turned = try rotated(picture, angle, fit: true)
        let back = try rotated(turned, -angle, fit: true)
        let (dx, dy) = ((DrawnPicture.size(back)[0] - 80) / 2, (DrawnPicture.size(back)[1] - 60) / 2)
        var worst = 0.0
        for x in 4..<76 as Range<UInt32> {
            for y in 4..<56 as Range<UInt32> {
                let (a, b) = (DrawnPicture.color(picture, x, y), DrawnPicture.color(back, x + dx, y + dy))
                worst = max(worst, zip(a, b).map { abs($0 - $1) }.max() ?? 1)
            }
        }
        // The two centers may differ by half a pixel.
        #expect(worst < 0.05)
    }

    @Test func edgesAreSmoothAndTheInsideIsOpaque() throws {
        let picture = try DrawnPicture.draw(40, 40, .SDIMAGE_PIXEL_FORMAT_RGB8) { _, _ in [10, 200, 30] }
        let image = try rotated(picture, 0.4, fit: true)
        let size = DrawnPicture.size(image)
        var area = 0.0
        for y in 0..<size[1] {
            for x in 0..<size[0] {
                let color = DrawnPicture.color(image, x, y)
                area += color[3]
                if color[3] > 0.1 { #expect(abs(color[1] - 200.0 / 255) < 0.02 && abs(color[0] - 10.0 / 255) < 0.02) }
            }
        }
        #expect(abs(area - 1600) < 8)
        #expect(DrawnPicture.color(image, size[0] / 2, size[1] / 2)[3] == 1)
    }

    @Test func badAnglesAreInvalidAndHugeOnesAreAngles() throws {
        let picture = try numbered(3, 2)
        for bad in [Double.nan, .infinity, -.infinity] {
            #expect(throws: CallFailure.self) { try rotated(picture, bad, fit: true) }
        }
        let size = DrawnPicture.size(try rotated(picture, 1e300, fit: true))
        #expect(size[0] <= 5 && size[1] <= 5)
    }

    @Test func aPictureOfOnePixelStaysOne() throws {
        let image = try rotated(try numbered(1, 1), 0.5, fit: false)
        #expect(DrawnPicture.size(image) == [1, 1] && DrawnPicture.color(image, 0, 0)[3] > 0.8)
    }
}
