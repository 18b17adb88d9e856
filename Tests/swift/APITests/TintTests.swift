import CSDImage
import Testing

/// Colors blended over whole images.
@Suite struct TintTests {
    private static let black = sdimage_color(red: 0, green: 0, blue: 0, alpha: 1)

    private func tinted(
        _ image: Owned, _ color: sdimage_color = black, _ mode: sdimage_blend_mode = .SDIMAGE_BLEND_MODE_SOURCE_IN
    ) throws -> Owned {
        try make(sdimage_image_unref) { tintedImage(image.pointer, color, mode, $0, $1) }
    }

    @Test(arguments: [
        sdimage_pixel_format.SDIMAGE_PIXEL_FORMAT_RGBA8, .SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED,
        .SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED, .SDIMAGE_PIXEL_FORMAT_RGBA16, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT,
    ]) func theColorTakesTheShapeOfThePicture(_ format: sdimage_pixel_format) throws {
        let image = try tinted(try DrawnPicture.blockAndBar(format))
        #expect(DrawnPicture.size(image) == [300, 300] && sdimage_image_pixel_format(image.pointer) == format)
        #expect(DrawnPicture.color(image, 150, 150)[3] == 0)
        #expect(DrawnPicture.color(image, 80, 150) == DrawnPicture.black)
        #expect(DrawnPicture.color(image, 150, 20) == DrawnPicture.black)
        #expect(sdimage_image_has_alpha(image.pointer))
    }

    @Test func aClearColorChangesNothing() throws {
        let image = try DrawnPicture.blockAndBar()
        for mode in [sdimage_blend_mode.SDIMAGE_BLEND_MODE_SOURCE_IN, .SDIMAGE_BLEND_MODE_CLEAR, .SDIMAGE_BLEND_MODE_COPY] {
            #expect(try tinted(image, sdimage_color(red: 1, green: 0, blue: 0, alpha: 0), mode).pointer == image.pointer)
        }
    }

    @Test func formatsWithoutAlphaBecomeThoseWithIt() throws {
        let gray = try DrawnPicture.draw(2, 1, .SDIMAGE_PIXEL_FORMAT_GRAY8) { x, _ in [UInt8(100 * x)] }
        let weak = sdimage_color(red: 1, green: 0, blue: 0, alpha: 0.25)
        let image = try tinted(gray, weak, .SDIMAGE_BLEND_MODE_NORMAL)
        #expect(sdimage_image_pixel_format(image.pointer) == .SDIMAGE_PIXEL_FORMAT_RGBA8)
        #expect(!sdimage_image_has_alpha(image.pointer))
        #expect(DrawnPicture.color(image, 1, 0).map { Int($0 * 255 + 0.5) } == [139, 75, 75, 255])
        let clear = try tinted(gray, weak)
        #expect(sdimage_image_has_alpha(clear.pointer))
        #expect(DrawnPicture.color(clear, 1, 0).map { Int($0 * 255 + 0.5) } == [255, 0, 0, 64])
    }

    @Test func everyModeKeepsOpaquePicturesOpaqueOrSaysThatItDoesNot() throws {
        let photo = try DrawnPicture.draw(16, 16, .SDIMAGE_PIXEL_FORMAT_RGB8) { x, y in [UInt8(16 * x), UInt8(16 * y), 90] }
        for code in 0..<28 as Range<UInt32> {
            let mode = unsafeBitCast(code, to: sdimage_blend_mode.self)
            let image = try tinted(photo, sdimage_color(red: 0.2, green: 0.9, blue: 0.4, alpha: 0.6), mode)
            let isOpaque = DrawnPicture.color(image, 7, 9)[3] == 1
            #expect(sdimage_image_has_alpha(image.pointer) == !isOpaque, "mode \(code)")
        }
    }

    @Test func thePictureIsTurnedUprightFirst() throws {
        let wide = try DrawnPicture.draw(3, 2, .SDIMAGE_PIXEL_FORMAT_RGB8) { x, y in [UInt8(40 * x), UInt8(40 * y), 0] }
        let image = try tinted(
            try DrawnPicture.told(wide, scale: 2, orientation: .SDIMAGE_ORIENTATION_RIGHT),
            sdimage_color(red: 0, green: 0, blue: 0, alpha: 1), .SDIMAGE_BLEND_MODE_LIGHTEN)
        #expect(DrawnPicture.size(image) == [2, 3] && sdimage_image_orientation(image.pointer) == .SDIMAGE_ORIENTATION_UP)
        #expect(sdimage_image_scale(image.pointer) == 2)
        #expect(DrawnPicture.color(image, 0, 0).map { Int($0 * 255 + 0.5) } == [0, 40, 0, 255])
        #expect(DrawnPicture.color(image, 1, 2).map { Int($0 * 255 + 0.5) } == [80, 0, 0, 255])
    }

    @Test func badColorsAndModesAreInvalid() throws {
        let image = try DrawnPicture.blockAndBar()
        for bad in [Double.nan, .infinity] {
            #expect(throws: CallFailure.self) {
                try tinted(image, sdimage_color(red: bad, green: 0, blue: 0, alpha: 1))
            }
        }
        let unknown = unsafeBitCast(UInt32(28), to: sdimage_blend_mode.self)
        #expect(throws: CallFailure.self) { try tinted(image, Self.black, unknown) }
    }
}
