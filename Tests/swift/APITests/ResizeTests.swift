import CSDImage
import Foundation
import Testing

/// Sizes, modes and filters of resizing.
@Suite struct ResizeTests {
    private func resize(
        _ image: Owned, _ width: Double, _ height: Double, _ mode: sdimage_scale_mode = .SDIMAGE_SCALE_MODE_FILL
    ) throws -> Owned {
        try make(sdimage_image_unref) { sdimage_image_resize(image.pointer, width, height, mode, $0, $1) }
    }

    @Test func sizesAreExact() throws {
        let image = try DrawnPicture.blockAndBar()
        #expect(DrawnPicture.size(try resize(image, 200, 100)) == [200, 100])
        let fitted = try resize(image, 2000, 1000, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        #expect(DrawnPicture.size(fitted) == [2000, 1000])
        #expect(DrawnPicture.color(fitted, 1000, 50) == DrawnPicture.black)
        #expect(DrawnPicture.color(fitted, 499, 500) == DrawnPicture.clear)
        #expect(DrawnPicture.color(fitted, 500 + 270, 500).last == 1)
    }

    @Test func aFittedPictureHasClearBars() throws {
        let formats: [(sdimage_pixel_format, Int, sdimage_pixel_format)] = [
            (.SDIMAGE_PIXEL_FORMAT_GRAY8, 1, .SDIMAGE_PIXEL_FORMAT_RGBA8),
            (.SDIMAGE_PIXEL_FORMAT_RGB8, 3, .SDIMAGE_PIXEL_FORMAT_RGBA8),
            (.SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED, 4, .SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED),
            (.SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED, 4, .SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED),
            (.SDIMAGE_PIXEL_FORMAT_GRAY16, 2, .SDIMAGE_PIXEL_FORMAT_RGBA16),
            (.SDIMAGE_PIXEL_FORMAT_RGB16, 6, .SDIMAGE_PIXEL_FORMAT_RGBA16),
        ]
        for (format, bytes, expected) in formats {
            let white = try DrawnPicture.draw(8, 4, format) { _, _ in [UInt8](repeating: 255, count: bytes) }
            let fitted = try resize(white, 8, 8, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
            #expect(sdimage_image_pixel_format(fitted.pointer) == expected)
            #expect(sdimage_image_has_alpha(fitted.pointer))
            for y in UInt32(0)..<8 {
                #expect(DrawnPicture.color(fitted, 3, y) == ((2..<6).contains(y) ? [1, 1, 1, 1] : DrawnPicture.clear))
            }
            // An exact fit has no bars and needs no alpha.
            let exact = try resize(white, 16, 8, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
            #expect(sdimage_image_pixel_format(exact.pointer) == format)
        }
    }

    // Enlarged by three, every third row coincides with a source sample.
    @Test(
        arguments: [
            (.SDIMAGE_PIXEL_FORMAT_RGB8, 3), (.SDIMAGE_PIXEL_FORMAT_RGBA8, 4), (.SDIMAGE_PIXEL_FORMAT_GRAY8, 1),
            (.SDIMAGE_PIXEL_FORMAT_RGB16, 6),
        ] as [(sdimage_pixel_format, Int)])
    func rowsThatStandOnSamplesAreThoseOfTheWholePicture(_ format: sdimage_pixel_format, _ bytes: Int) throws {
        for (width, height) in [(32, 24), (320, 240)] {
            let image = try DrawnPicture.draw(width, height, format) { x, y in
                (0..<bytes).map { UInt8(truncatingIfNeeded: (x * 37 + y * 91 + $0 * 13) ^ (x * y)) | ($0 == 3 ? 255 : 0) }
            }
            let whole = try resize(image, Double(3 * width), Double(3 * height))
            let cut = height / 3
            let part = try resize(image, Double(3 * width), Double(3 * height - cut), .SDIMAGE_SCALE_MODE_ASPECT_FILL)
            for y in stride(from: 0, to: UInt32(3 * height - cut), by: 5) {
                for x in stride(from: UInt32(0), to: UInt32(3 * width), by: 7) {
                    let want = DrawnPicture.color(whole, x, y + UInt32(cut / 2)), have = DrawnPicture.color(part, x, y)
                    #expect(zip(want, have).allSatisfy { abs($0 - $1) < 0.005 }, "\(x) \(y): \(have), not \(want)")
                }
            }
        }
    }

    @Test func aFillingPictureLosesWhatStandsOver() throws {
        // Thirds: red, green, blue.
        let flag = try DrawnPicture.draw(30, 10, .SDIMAGE_PIXEL_FORMAT_RGB8) { x, _ in
            [x < 10 ? 255 : 0, (10..<20).contains(x) ? 255 : 0, x >= 20 ? 255 : 0]
        }
        let filled = try resize(flag, 20, 20, .SDIMAGE_SCALE_MODE_ASPECT_FILL)
        #expect(DrawnPicture.size(filled) == [20, 20])
        for x in UInt32(8)..<12 { #expect(DrawnPicture.color(filled, x, 9) == [0, 1, 0, 1]) }
        let wide = try resize(flag, 60, 20, .SDIMAGE_SCALE_MODE_ASPECT_FILL)
        #expect(DrawnPicture.color(wide, 5, 5) == [1, 0, 0, 1])
        #expect(DrawnPicture.color(wide, 55, 5) == [0, 0, 1, 1])
    }

    @Test func pointsBecomePixelsByTheScaleWhichStays() throws {
        let image = try DrawnPicture.told(try DrawnPicture.blockAndBar(), scale: 2)
        let half = try resize(image, 75, 75)
        #expect(DrawnPicture.size(half) == [150, 150])
        #expect(sdimage_image_scale(half.pointer) == 2)
        #expect(DrawnPicture.size(try resize(image, 0.1, 75)) == [1, 150])
    }

    @Test func theSameSizeIsTheSamePicture() throws {
        let image = try DrawnPicture.blockAndBar()
        #expect(try resize(image, 300, 300, .SDIMAGE_SCALE_MODE_ASPECT_FILL).pointer == image.pointer)
    }

    @Test func theNearestSampleBringsNoNewColors() throws {
        let image = try DrawnPicture.draw(5, 4, .SDIMAGE_PIXEL_FORMAT_RGBA8) { x, y in
            [UInt8(50 * x), UInt8(60 * y), 7, UInt8(x == 2 ? 0 : 40 * y)]
        }
        let transformer = try make(sdimage_transformer_unref) {
            sdimage_transformer_new_resample(15, 12, .SDIMAGE_SCALE_MODE_FILL, .SDIMAGE_RESAMPLING_NEAREST, false, $0, $1)
        }
        let result = try make(sdimage_image_unref) {
            sdimage_image_transform(image.pointer, transformer.pointer, $0, $1)
        }
        for y in UInt32(0)..<12 {
            for x in UInt32(0)..<15 { #expect(DrawnPicture.color(result, x, y) == DrawnPicture.color(image, x / 3, y / 3)) }
        }
    }

    @Test(arguments: [
        (0.0, 10.0), (10, 0), (-1, 10), (10, -1), (.nan, 10), (10, .nan), (.infinity, 10), (10, -.infinity),
    ])
    func sizesThatAreNoneAreRefused(size: (Double, Double)) throws {
        let image = try DrawnPicture.draw(2, 2, .SDIMAGE_PIXEL_FORMAT_GRAY8) { _, _ in [1] }
        let failure = #expect(throws: CallFailure.self) { try resize(image, size.0, size.1) }
        #expect(failure?.status == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(failure?.message.isEmpty == false)
    }

    @Test(arguments: [(20000.0, 20000.0), (1e300, 1), (1, 1e300), (1e9, 1e9), (3e9, 3e9), (1e18, 1e18)])
    func sizesBeyondTheLimitAreRefused(size: (Double, Double)) throws {
        let image = try DrawnPicture.draw(2, 2, .SDIMAGE_PIXEL_FORMAT_GRAY8) { _, _ in [1] }
        let failure = #expect(throws: CallFailure.self) { try resize(image, size.0, size.1) }
        #expect(failure?.status == .SDIMAGE_STATUS_TOO_LARGE)
        #expect(failure?.message.isEmpty == false)
    }

    @Test func aPictureIsTurnedAsItIsDisplayedFirst() throws {
        // Stored in landscape; the left column as displayed is the bottom row.
        let stored = try DrawnPicture.draw(4, 2, .SDIMAGE_PIXEL_FORMAT_GRAY8) { _, y in [y == 1 ? 255 : 0] }
        let image = try DrawnPicture.told(stored, orientation: .SDIMAGE_ORIENTATION_RIGHT)
        let result = try resize(image, 4, 8)
        #expect(DrawnPicture.size(result) == [4, 8])
        #expect(sdimage_image_orientation(result.pointer) == .SDIMAGE_ORIENTATION_UP)
        #expect(DrawnPicture.color(result, 0, 4) == [1, 1, 1, 1])
        #expect(DrawnPicture.color(result, 3, 4) == DrawnPicture.black)
    }
}
