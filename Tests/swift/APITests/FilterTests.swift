import CSDImage
import Foundation
import Testing

/// Filters by name, through the C API.
@Suite struct FilterTests {
    private static var names: [String] {
        (0..<sdimage_filter_count()).map { String(cString: sdimage_filter_name($0)) }
    }

    private static let formats: [sdimage_pixel_format] = [
        .SDIMAGE_PIXEL_FORMAT_GRAY8, .SDIMAGE_PIXEL_FORMAT_RGB8, .SDIMAGE_PIXEL_FORMAT_RGBA8,
        .SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED, .SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED, .SDIMAGE_PIXEL_FORMAT_GRAY16,
        .SDIMAGE_PIXEL_FORMAT_RGB16, .SDIMAGE_PIXEL_FORMAT_RGBA16, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT,
    ]

    private func options(_ values: [String: Double]) -> Owned {
        let options = Owned(sdimage_options_new()) { sdimage_options_unref($0) }
        for (name, value) in values { sdimage_options_set_double(options.pointer, name, value) }
        return options
    }

    private func filtered(_ image: Owned, _ name: String, _ values: [String: Double] = [:]) throws -> Owned {
        let options = options(values)
        return try make(sdimage_image_unref) { filteredImage(image.pointer, name, options.pointer, $0, $1) }
    }

    private func transformer(_ name: String, _ values: [String: Double] = [:]) throws -> Owned {
        let options = options(values)
        return try make(sdimage_transformer_unref) { sdimage_transformer_new_filter(name, options.pointer, $0, $1) }
    }

    private func key(_ name: String, _ values: [String: Double] = [:]) throws -> String {
        let made = try transformer(name, values)
        return withExtendedLifetime(made) { String(cString: sdimage_transformer_key(made.pointer)) }
    }

    private func description(_ name: String) throws -> [String: Any] {
        let index = sdimage_filter_index(name)
        let data = try make(sdimage_data_unref) { sdimage_filter_to_json(index, $0, $1) }
        let bytes = Data(bytes: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer))
        return try JSONSerialization.jsonObject(with: bytes) as? [String: Any] ?? [:]
    }

    private func parameters(_ name: String) throws -> [[String: Any]] {
        try description(name)["parameters"] as? [[String: Any]] ?? []
    }

    private func bytes(_ image: Owned, _ x: UInt32 = 0, _ y: UInt32 = 0) -> [Int] {
        DrawnPicture.color(image, x, y).map { Int($0 * 255 + 0.5) }
    }

    private func colors(_ list: [[UInt8]]) throws -> Owned {
        try DrawnPicture.draw(list.count, 1, .SDIMAGE_PIXEL_FORMAT_RGB8) { x, _ in list[x] }
    }

    // MARK: The catalog

    @Test func theCatalogTellsEveryFilter() throws {
        let names = Self.names
        #expect(names.count >= 25 && Set(names).count == names.count && names.contains("CIColorInvert"))
        #expect(sdimage_filter_name(names.count) == nil && sdimage_filter_name(-1) == nil)
        var all = Set<String>()
        for name in names {
            let text = try description(name)
            #expect(text["name"] as? String == name && (text["summary"] as? String)?.isEmpty == false)
            #expect(["light", "encoded"].contains(text["space"] as? String))
            let aliases = text["aliases"] as? [String] ?? []
            #expect(!aliases.isEmpty && all.isDisjoint(with: aliases + [name]))
            all.formUnion(aliases + [name])
            for alias in aliases { #expect(try description(alias)["name"] as? String == name) }
            for parameter in try parameters(name) {
                let numbers = ["minimum", "default", "maximum"].compactMap { parameter[$0] as? Double }
                #expect(numbers.count == 3 && numbers == numbers.sorted() && numbers[0] < numbers[2])
            }
        }
        #expect(throws: CallFailure.self) { try description("CINothing") }
    }

    @Test func everyFilterRunsOnEveryFormat() throws {
        let straight = try DrawnPicture.blockAndBar()
        for format in Self.formats {
            let picture = try make(sdimage_image_unref) { sdimage_image_convert(straight.pointer, format, $0, $1) }
            for name in Self.names {
                for edge in ["minimum", "default", "maximum"] {
                    let values = try parameters(name).map { ($0["name"] as? String ?? "", $0[edge] as? Double ?? 0) }
                    let image = try filtered(picture, name, Dictionary(uniqueKeysWithValues: values))
                    #expect(DrawnPicture.size(image) == [300, 300], "\(name) \(format)")
                }
            }
        }
    }

    @Test func keysNameTheFilterAndWhatWasGiven() throws {
        #expect(try key("CIColorInvert") == "SDImageFilterTransformer(CIColorInvert)")
        #expect(try key("invert") == "SDImageFilterTransformer(CIColorInvert)")
        #expect(try key("sepia", ["intensity": 0.5]) == "SDImageFilterTransformer(CISepiaTone,intensity=0.500000)")
        #expect(
            try key("CIColorControls", ["contrast": 1.5, "saturation": 2])
                == "SDImageFilterTransformer(CIColorControls,saturation=2.000000,contrast=1.500000)")
    }

    // MARK: Bad input

    @Test func unknownNamesAreInvalid() {
        for name in ["", "CINothing", "cicolorinvert", "CIColorInvert "] {
            #expect(throws: CallFailure.self) { try transformer(name) }
        }
        #expect(sdimage_transformer_new_filter(nil, nil, nil, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func unknownParametersAndNumbersOutsideAreInvalid() throws {
        #expect(throws: CallFailure.self) { try transformer("CIColorInvert", ["intensity": 1]) }
        #expect(throws: CallFailure.self) { try transformer("sepia", ["Intensity": 1]) }
        #expect(throws: CallFailure.self) { try transformer("sepia", ["intensity": 1, "radius": 1]) }
        for name in Self.names {
            for parameter in try parameters(name) {
                let label = parameter["name"] as? String ?? ""
                let (low, high) = (parameter["minimum"] as? Double ?? 0, parameter["maximum"] as? Double ?? 0)
                for bad in [Double.nan, .infinity, -.infinity, low - 0.001, high + 0.001] {
                    #expect(throws: CallFailure.self, "\(name) \(label) \(bad)") { try transformer(name, [label: bad]) }
                }
                #expect(throws: Never.self) { try transformer(name, [label: low]) }
                #expect(throws: Never.self) { try transformer(name, [label: high]) }
            }
        }
    }

    @Test func valuesOfOtherTypesAreInvalidAndWholeNumbersAreNumbers() throws {
        let options = options([:])
        sdimage_options_set_int64(options.pointer, "intensity", 1)
        #expect(throws: Never.self) {
            try make(sdimage_transformer_unref) { sdimage_transformer_new_filter("sepia", options.pointer, $0, $1) }
        }
        sdimage_options_set_bool(options.pointer, "intensity", true)
        #expect(throws: CallFailure.self) {
            try make(sdimage_transformer_unref) { sdimage_transformer_new_filter("sepia", options.pointer, $0, $1) }
        }
        sdimage_options_set_string(options.pointer, "intensity", "1")
        do {
            _ = try make(sdimage_transformer_unref) { sdimage_transformer_new_filter("sepia", options.pointer, $0, $1) }
            Issue.record("a text was taken for a number")
        } catch let failure as CallFailure {
            #expect(failure.status == .SDIMAGE_STATUS_INVALID_ARGUMENT && failure.message.contains("intensity"))
        }
    }

    // MARK: Results

    @Test func invertingIsDoneInLight() throws {
        let image = try filtered(try DrawnPicture.blockAndBar(), "CIColorInvert")
        let red = DrawnPicture.color(image, 80, 150)
        #expect(zip(red, [0.85098, 0.992157, 0.992157, 1]).allSatisfy { abs($0 - $1) < 0.01 })
        #expect(DrawnPicture.color(image, 150, 20) == [1, 1, 1, 1])
        #expect(DrawnPicture.color(image, 150, 280)[3] == 0)
    }

    @Test func numbersThatChangeNothingLeaveThePictureAsItIs() throws {
        let picture = try colors([[0, 0, 0], [255, 255, 255], [200, 30, 90], [1, 2, 3]])
        let neutral: [(String, [String: Double])] = [
            ("CIColorControls", [:]), ("CIGammaAdjust", [:]), ("CIExposureAdjust", [:]), ("CIHueAdjust", [:]),
            ("CIVibrance", [:]), ("CITemperatureAndTint", [:]), ("CIColorMatrix", [:]), ("CISepiaTone", ["intensity": 0]),
            ("CIColorMonochrome", ["intensity": 0]), ("CIColorPosterize", ["levels": 256]), ("CIVignette", ["intensity": 0]),
            ("CIBoxBlur", ["radius": 0]), ("CISharpenLuminance", ["sharpness": 0]), ("CIUnsharpMask", ["intensity": 0]),
            ("CIPixellate", ["scale": 1]),
        ]
        for (name, values) in neutral {
            let image = try filtered(picture, name, values)
            for x in 0..<4 as Range<UInt32> { #expect(bytes(image, x) == bytes(picture, x), "\(name)") }
        }
    }

    @Test func colorsAreThoseOfTheFormulas() throws {
        func made(_ color: [UInt8], _ name: String, _ values: [String: Double] = [:]) throws -> [Int] {
            Array(bytes(try filtered(try colors([color]), name, values))[..<3])
        }
        // Filter Effects Module Level 1: 0.393 r + 0.769 g + 0.189 b, …
        #expect(try made([100, 150, 201], "sepia") == [193, 172, 134])
        #expect(try made([100, 150, 200], "mono") == [143, 143, 143])
        #expect(try made([100, 150, 200], "saturation", ["saturation": 0]) == [143, 143, 143])
        #expect(try made([100, 150, 200], "brightness", ["brightness": 0.2]) == [151, 201, 251])
        #expect(try made([100, 150, 200], "contrast", ["contrast": 1.5]) == [86, 161, 236])
        // Twice the linear light: 0.127 becomes 0.254, which encodes to 138.
        #expect(try made([100, 0, 255], "exposure", ["ev": 1]) == [138, 0, 255])
        #expect(try made([100, 0, 255], "gamma", ["power": 2]) == [34, 0, 255])
        #expect(try made([255, 0, 0], "hue", ["angle": 2 * .pi]) == [255, 0, 0])
        #expect(try made([100, 150, 200], "posterize", ["levels": 2]) == [0, 255, 255])
        #expect(try made([100, 150, 200], "threshold", ["threshold": 0.5]) == [255, 255, 255])
        #expect(try made([100, 150, 200], "threshold", ["threshold": 0.6]) == [0, 0, 0])
        #expect(try made([200, 200, 200], "monochrome") == [120, 90, 60])
        let swap = ["red_from_red": 0, "red_from_blue": 1, "blue_from_blue": 0, "blue_from_red": 1.0]
        #expect(try made([100, 150, 200], "color_matrix", swap) == [200, 150, 100])
        let warm = try made([255, 200, 150], "temperature", ["temperature": 3000])
        #expect(warm[2] - warm[0] > 150 - 255 + 60)
        let magenta = try made([128, 128, 128], "temperature_and_tint", ["tint": 100])
        #expect(magenta[1] > magenta[0] && magenta[1] > magenta[2])
    }

    @Test func aColorMatrixCanMakeAPictureClear() throws {
        let image = try filtered(try colors([[10, 20, 30]]), "color_matrix", ["alpha_from_alpha": 0.5])
        #expect(sdimage_image_pixel_format(image.pointer) == .SDIMAGE_PIXEL_FORMAT_RGBA8)
        #expect(sdimage_image_has_alpha(image.pointer) && bytes(image) == [10, 20, 30, 128])
    }

    @Test func cellsBlursAndSharpeningLookAtNeighbors() throws {
        let edge = try DrawnPicture.draw(20, 10, .SDIMAGE_PIXEL_FORMAT_GRAY8) { x, _ in [x < 10 ? 100 : 160] }
        let cells = try filtered(edge, "pixellate", ["scale": 4])
        #expect([0, 3, 8, 11, 12, 19].map { bytes(cells, $0, 5)[0] } == [100, 100, 130, 130, 160, 160])
        let box = try filtered(edge, "box_blur", ["radius": 2])
        #expect([6, 7, 8, 9, 10, 11, 12].map { bytes(box, $0, 5)[0] } == [100, 100, 112, 124, 136, 148, 160])
        for name in ["sharpen", "unsharp_mask"] {
            let sharp = try filtered(edge, name)
            #expect(bytes(sharp, 9, 5)[0] < 96 && bytes(sharp, 10, 5)[0] > 164 && bytes(sharp, 0, 5)[0] == 100)
        }
        let dark = try filtered(edge, "vignette")
        #expect(bytes(dark, 0, 0)[0] < 5 && bytes(dark, 9, 5)[0] > 95)
    }

    @Test func clearPixelsLendNoColorToTheirNeighbors() throws {
        let picture = try DrawnPicture.draw(8, 8, .SDIMAGE_PIXEL_FORMAT_RGBA8) { x, _ in
            x < 4 ? [200, 100, 50, 255] : [0, 255, 0, 0]
        }
        for (name, values) in [("box_blur", ["radius": 1.0]), ("pixellate", ["scale": 8])] {
            let color = bytes(try filtered(picture, name, values), 4, 4)
            #expect(Array(color[..<3]) == [200, 100, 50] && color[3] < 255 && color[3] > 0, "\(name) \(color)")
        }
    }

    @Test func lengthsArePoints() throws {
        let picture = try DrawnPicture.blockAndBar()
        let scaled = try DrawnPicture.told(picture, scale: 2)
        let (a, b) = (try filtered(scaled, "pixellate", ["scale": 5]), try filtered(picture, "pixellate", ["scale": 10]))
        #expect((0..<300).allSatisfy { bytes(a, UInt32($0), 150) == bytes(b, UInt32($0), 150) })
    }

    @Test func numbersThatAreNoneDoNoHarm() throws {
        let light: [Float] = [.nan, .infinity, -.infinity, 1, 1e38, -1e38, 0, .nan, 0.5, 0.5, 0.5, .infinity]
        let picture = try make(sdimage_image_unref) {
            sdimage_image_new(3, 1, 48, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT, light, $0, $1)
        }
        for name in Self.names { #expect(DrawnPicture.size(try filtered(picture, name)) == [3, 1]) }
        for mode in 0..<28 as Range<UInt32> {
            let tint = sdimage_color(red: 0.3, green: 0.6, blue: 0.9, alpha: 0.5)
            _ = try make(sdimage_image_unref) {
                tintedImage(picture.pointer, tint, unsafeBitCast(mode, to: sdimage_blend_mode.self), $0, $1)
            }
        }
        _ = try make(sdimage_image_unref) { rotatedImage(picture.pointer, 0.5, true, $0, $1) }
        _ = try make(sdimage_data_unref) { sdimage_blurhash_encode(picture.pointer, 4, 3, $0, $1) }
        _ = try make(sdimage_data_unref) { sdimage_thumbhash_encode(picture.pointer, $0, $1) }
    }
}
