import CSDImage
import Testing

/// Rounded corners whose radius is a fraction of the shorter side.
@Suite struct RoundFractionTests {
    private func white(_ width: Int, _ height: Int) throws -> Owned {
        try DrawnPicture.draw(width, height, .SDIMAGE_PIXEL_FORMAT_GRAY8) { _, _ in [255] }
    }

    private func points(_ image: Owned, _ radius: Double, border: Double = 0) throws -> Seen {
        var color = sdimage_color(red: 1, green: 0, blue: 0, alpha: 1)
        let result = try make(sdimage_image_unref) {
            cornersRoundedImage(image.pointer, radius, 5, border, &color, $0, $1)
        }
        return Seen(result.pointer)
    }

    private func fraction(_ image: Owned, _ fraction: Double, border: Double = 0) throws -> Seen {
        var color = sdimage_color(red: 1, green: 0, blue: 0, alpha: 1)
        let result = try make(sdimage_image_unref) {
            fractionRoundedImage(image.pointer, fraction, 5, border, &color, $0, $1)
        }
        return Seen(result.pointer)
    }

    @Test(arguments: [0, 0.1, 0.25, 0.5, 3], [0.0, 2]) func theRadiusFollowsTheShorterSide(part: Double, border: Double) throws {
        for (width, height) in [(40, 40), (80, 40), (40, 60)] {
            let image = try white(width, height)
            #expect(try fraction(image, part, border: border) == points(image, part * 40, border: border))
            // In points.
            let scaled = try DrawnPicture.told(image, scale: 2)
            #expect(try fraction(scaled, part, border: border) == points(scaled, part * 20, border: border))
        }
    }

    @Test func halfMakesACircle() throws {
        let image = try white(40, 40)
        let circle = try make(sdimage_image_unref) {
            fractionRoundedImage(image.pointer, 0.5, UInt64.max, 0, nil, $0, $1)
        }
        #expect(DrawnPicture.color(circle, 0, 0)[3] == 0 && DrawnPicture.color(circle, 39, 39)[3] == 0)
        #expect(DrawnPicture.color(circle, 20, 0)[3] > 0.9 && DrawnPicture.color(circle, 20, 20)[3] == 1)
    }

    @Test func theKeyDiffersFromThatOfPoints() throws {
        let keys = try [0.5, 0.25].map { fraction in
            let transformer = try make(sdimage_transformer_unref) {
                sdimage_transformer_new_round_corner_fraction(fraction, UInt64.max, 0, nil, $0, $1)
            }
            return String(cString: sdimage_transformer_key(transformer.pointer))
        }
        let plain = try make(sdimage_transformer_unref) {
            sdimage_transformer_new_round_corner(0.5, UInt64.max, 0, nil, $0, $1)
        }
        #expect(Set(keys + [String(cString: sdimage_transformer_key(plain.pointer))]).count == 3)
    }

    @Test(arguments: [-0.1, .nan, .infinity]) func aFractionThatIsNoneIsRefused(fraction: Double) {
        var transformer: OpaquePointer?
        #expect(
            sdimage_transformer_new_round_corner_fraction(fraction, UInt64.max, 0, nil, &transformer, nil)
                == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }
}
