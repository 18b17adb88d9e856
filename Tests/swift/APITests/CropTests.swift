import CSDImage
import Foundation
import Testing

/// Cropped and mirrored images.
@Suite struct CropTests {
    private func crop(_ image: Owned, _ x: Double, _ y: Double, _ width: Double, _ height: Double) throws -> Owned {
        try make(sdimage_image_unref) {
            croppedImage(image.pointer, sdimage_rect(x: x, y: y, width: width, height: height), $0, $1)
        }
    }

    private func flip(_ image: Owned, _ horizontal: Bool, _ vertical: Bool) throws -> Owned {
        try make(sdimage_image_unref) { flippedImage(image.pointer, horizontal, vertical, $0, $1) }
    }

    private func numbered(_ width: Int, _ height: Int) throws -> Owned {
        try DrawnPicture.draw(width, height, .SDIMAGE_PIXEL_FORMAT_RGB8) { x, y in [UInt8(x), UInt8(y), 9] }
    }

    /// The original coordinates of a pixel of `numbered`.
    private func position(_ image: Owned, _ x: UInt32, _ y: UInt32) -> [Int] {
        DrawnPicture.color(image, x, y).prefix(2).map { Int(($0 * 255).rounded()) }
    }

    @Test func aPartBeginsWhereItWasAskedTo() throws {
        let part = try crop(try DrawnPicture.blockAndBar(), 50, 10, 200, 200)
        #expect(DrawnPicture.size(part) == [200, 200])
        #expect(DrawnPicture.color(part, 0, 0) == DrawnPicture.clear)
        #expect(DrawnPicture.color(part, 100, 10) == DrawnPicture.black)
    }

    @Test func noPixelIsCopied() throws {
        let image = try numbered(40, 30)
        let before = try #require(sdimage_image_pixels(image.pointer))
        let part = try crop(image, 5, 3, 10, 10)
        #expect(sdimage_image_pixels(part.pointer) == before + 3 * sdimage_image_stride(image.pointer) + 15)
        #expect(sdimage_image_stride(part.pointer) == sdimage_image_stride(image.pointer))
    }

    @Test func aPartOutlivesItsPicture() throws {
        let part = try crop(try crop(try numbered(40, 30), 5, 3, 30, 20), 2, 1, 10, 10)
        // Allocates images that would reuse the source image's memory if it had been freed.
        let others = try (0..<4).map { _ in try DrawnPicture.draw(40, 30, .SDIMAGE_PIXEL_FORMAT_RGB8) { _, _ in [255, 255, 255] }
        }
        #expect(position(part, 0, 0) == [7, 4])
        #expect(position(part, 9, 9) == [16, 13])
        withExtendedLifetime(others) {}
    }

    @Test func partsAreRoundedOutwardsAndHeldInside() throws {
        let image = try numbered(40, 30)
        let rounded = try crop(image, 4.9, 2.1, 1.2, 0.5)
        #expect(DrawnPicture.size(rounded) == [3, 1])
        #expect(position(rounded, 0, 0) == [4, 2])
        let corner = try crop(image, 38, -5, 1e300, 7)
        #expect(DrawnPicture.size(corner) == [2, 2])
        #expect(position(corner, 0, 0) == [38, 0])
        #expect(try crop(image, -1, -1, 50, 50).pointer == image.pointer)
    }

    @Test func aPartIsInPoints() throws {
        let image = try numbered(40, 30)
        let scaled = try DrawnPicture.told(image, scale: 2)
        let part = try crop(scaled, 5, 5, 4, 3)
        #expect(DrawnPicture.size(part) == [8, 6])
        #expect(position(part, 0, 0) == [10, 10])
        #expect(sdimage_image_scale(part.pointer) == 2)
    }

    @Test(arguments: [
        [0.0, 0, 0, 5], [0, 0, 5, 0], [0, 0, -5, 5], [40, 0, 5, 5], [0, 30, 5, 5], [-5, 0, 5, 5], [1e300, 0, 5, 5],
        [.nan, 0, 5, 5], [0, 0, .infinity, 5],
    ])
    func partsThatAreNoneAreRefused(numbers: [Double]) throws {
        let image = try numbered(40, 30)
        let failure = #expect(throws: CallFailure.self) { try crop(image, numbers[0], numbers[1], numbers[2], numbers[3]) }
        #expect(failure?.status == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(failure?.message.isEmpty == false)
    }

    @Test func mirroringMovesEveryPixel() throws {
        let image = try numbered(7, 5)
        for (horizontal, vertical) in [(true, false), (false, true), (true, true)] {
            let mirrored = try flip(image, horizontal, vertical)
            #expect(DrawnPicture.size(mirrored) == [7, 5])
            for y in UInt32(0)..<5 {
                for x in UInt32(0)..<7 {
                    #expect(position(mirrored, x, y) == [Int(horizontal ? 6 - x : x), Int(vertical ? 4 - y : y)])
                }
            }
        }
        #expect(try flip(image, false, false).pointer == image.pointer)
    }

    @Test func bothTogetherAreHalfATurn() throws {
        let turned = try flip(try DrawnPicture.blockAndBar(), true, true)
        #expect(DrawnPicture.size(turned) == [300, 300])
        #expect(DrawnPicture.color(turned, 150, 285) == DrawnPicture.black)
        #expect(position(turned, 219, 149) == [151, 36])
    }
}
