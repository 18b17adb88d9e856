import CSDImage
import Testing

/// Rounded corners and borders.
@Suite struct RoundCornerTests {
    private func rounded(
        _ image: Owned, _ radius: Double, corners: UInt64 = UInt64.max, border: Double = 0, _ color: sdimage_color? = nil
    ) throws -> Owned {
        try make(sdimage_image_unref) { result, error in
            guard var color else { return cornersRoundedImage(image.pointer, radius, corners, border, nil, result, error) }
            return cornersRoundedImage(image.pointer, radius, corners, border, &color, result, error)
        }
    }

    private func white(_ width: Int, _ height: Int) throws -> Owned {
        try DrawnPicture.draw(width, height, .SDIMAGE_PIXEL_FORMAT_GRAY8) { _, _ in [255] }
    }

    private func alpha(_ image: Owned, _ x: UInt32, _ y: UInt32) -> Double { DrawnPicture.color(image, x, y)[3] }

    @Test(arguments: [
        sdimage_pixel_format.SDIMAGE_PIXEL_FORMAT_RGBA8, .SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED,
        .SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED, .SDIMAGE_PIXEL_FORMAT_RGBA16, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT,
    ]) func theBorderIsDrawnAndThePictureStaysUpright(_ format: sdimage_pixel_format) throws {
        let black = sdimage_color(red: 0, green: 0, blue: 0, alpha: 1)
        let image = try rounded(try DrawnPicture.blockAndBar(format), 50, border: 1, black)
        #expect(DrawnPicture.size(image) == [300, 300] && sdimage_image_pixel_format(image.pointer) == format)
        #expect(DrawnPicture.color(image, 0, 0) == DrawnPicture.clear)
        #expect(DrawnPicture.color(image, 1, 150) == DrawnPicture.black)
        #expect(DrawnPicture.color(image, 150, 20) == DrawnPicture.black)
        #expect(alpha(image, 150, 280) == 0)
        let bar = DrawnPicture.color(image, 80, 150)
        let expected: [Double] = [151, 36, 31, 255]
        #expect(zip(bar, expected).allSatisfy { abs($0 * 255 - $1) < 0.75 })
    }

    @Test func onlyTheCornersAskedForAreCut() throws {
        let places: [(UInt64, UInt32, UInt32)] = [(1, 0, 0), (2, 39, 0), (4, 0, 29), (8, 39, 29)]
        for mask in 0..<16 as Range<UInt64> {
            let image = try rounded(try white(40, 30), 10, corners: mask)
            for (bit, x, y) in places { #expect(alpha(image, x, y) == (mask & bit == 0 ? 1 : 0), "\(mask) \(bit)") }
        }
    }

    @Test func theRadiusIsAtMostHalfOfTheSmallerSide() throws {
        let image = try rounded(try white(60, 40), 1000)
        // Half discs at both ends.
        let area = (0..<40).reduce(0.0) { sum, y in
            sum + (0..<60).reduce(0.0) { $0 + alpha(image, UInt32($1), UInt32(y)) }
        }
        #expect(abs(area - (20 * 40 + .pi * 400)) < 2)
        #expect(alpha(image, 30, 0) == 1 && alpha(image, 30, 39) == 1 && alpha(image, 0, 0) == 0)
    }

    @Test func lengthsArePoints() throws {
        let image = try rounded(try DrawnPicture.told(try white(40, 40), scale: 2), 10)
        let plain = try rounded(try white(40, 40), 20)
        for x in 0..<40 as Range<UInt32> { #expect(alpha(image, x, 3) == alpha(plain, x, 3)) }
        #expect(sdimage_image_scale(image.pointer) == 2)
    }

    @Test func aBorderThatLeavesNothingGivesAClearPicture() throws {
        let red = sdimage_color(red: 1, green: 0, blue: 0, alpha: 1)
        for width in [15.0, 16, 1e300] {
            let image = try rounded(try white(40, 30), 5, border: width, red)
            #expect(DrawnPicture.size(image) == [40, 30])
            #expect((0..<30).allSatisfy { y in (0..<40).allSatisfy { alpha(image, UInt32($0), UInt32(y)) == 0 } })
        }
    }

    @Test func aBorderWithoutAColorOnlyShrinksThePicture() throws {
        let image = try rounded(try white(40, 30), 0, border: 3)
        #expect(alpha(image, 2, 15) == 0 && alpha(image, 3, 15) == 1 && alpha(image, 20, 2) == 0 && alpha(image, 20, 3) == 1)
    }

    @Test func badNumbersAreInvalid() throws {
        let image = try white(4, 4)
        for bad in [-1, Double.nan, .infinity] {
            #expect(throws: CallFailure.self) { try rounded(image, bad) }
            #expect(throws: CallFailure.self) { try rounded(image, 1, border: bad) }
        }
        #expect(throws: CallFailure.self) {
            try rounded(image, 1, border: 1, sdimage_color(red: 0, green: .nan, blue: 0, alpha: 1))
        }
    }
}
