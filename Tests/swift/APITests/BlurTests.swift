import CSDImage
import Foundation
import Testing

@Suite struct BlurTests {
    private func blur(_ image: Owned, _ radius: Double) throws -> Owned {
        try make(sdimage_image_unref) { blurredImage(image.pointer, radius, $0, $1) }
    }

    @Test(arguments: [
        sdimage_pixel_format.SDIMAGE_PIXEL_FORMAT_RGBA8, .SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED,
        .SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED, .SDIMAGE_PIXEL_FORMAT_RGBA16,
    ])
    func colorsFadeIntoWhatIsClearAndKeepTheirHue(format: sdimage_pixel_format) throws {
        let blurred = try blur(try DrawnPicture.blockAndBar(format), 25)
        #expect(DrawnPicture.size(blurred) == [300, 300])
        let color = DrawnPicture.color(blurred, 80, 150)
        // The bar is 55 pixels wide; three box filters of 47 pixels leave 0.75.
        for (value, expected) in zip(color, [0.59, 0.14, 0.12, 0.75]) { #expect(abs(value - expected) < 0.01, "\(color)") }
        #expect(DrawnPicture.color(blurred, 150, 20) != DrawnPicture.color(blurred, 150, 280))
    }

    @Test func aRadiusIsInPointsAndZeroChangesNothing() throws {
        let image = try DrawnPicture.blockAndBar()
        let scaled = try DrawnPicture.told(image, scale: 2.5)
        let fine = try blur(scaled, 10)
        #expect(DrawnPicture.color(fine, 100, 140) == DrawnPicture.color(try blur(image, 25), 100, 140))
        #expect(sdimage_image_scale(fine.pointer) == 2.5)
        #expect(try blur(image, 0).pointer == image.pointer)
    }

    @Test(arguments: [-1.0, .nan, .infinity])
    func radiiThatAreNoneAreRefused(radius: Double) throws {
        let image = try DrawnPicture.blockAndBar()
        let failure = #expect(throws: CallFailure.self) { try blur(image, radius) }
        #expect(failure?.status == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }
}
