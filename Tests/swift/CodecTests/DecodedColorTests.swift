import Foundation
import SDImage
import SDImageCodecs
import Testing

/// The images of `Tests/fixtures/pictures`, compared with their drawn colors.
@Suite struct DecodedColorTests {
    struct Picture: Decodable, Sendable, CustomTestStringConvertible {
        struct Probe: Decodable, Sendable {
            let x: Int
            let y: Int
            let rgba: [UInt8]
            let tolerance: Int
        }

        let name: String
        let format: String
        let width: Int
        let height: Int
        let has_alpha: Bool
        let frames: Int?
        let loop: Int?
        let duration_ms: Int?
        let probes: [Probe]

        var testDescription: String { name }
    }

    private struct Manifest: Decodable { let pictures: [Picture] }

    /// Empty for an unreadable manifest, which the first test reports.
    static let pictures: [Picture] = {
        guard let data = try? CodecFixture.data("pictures/manifest.json") else { return [] }
        return (try? JSONDecoder().decode(Manifest.self, from: Data(data)).pictures) ?? []
    }()

    static let registry = CoderRegistry(BuiltinCoders().registered)

    static func decode(_ picture: Picture, _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodeOptions()
        change(&options)
        return try registry.decode(
            try CodecFixture.bytes("pictures/" + picture.name), options: options, stop: CancellationToken())
    }

    @Test func theManifestListsAllPictures() { #expect(DecodedColorTests.pictures.count == 26) }

    @Test(arguments: pictures) func looksAsItWasDrawn(_ picture: Picture) throws {
        let image = try DecodedColorTests.decode(picture) { $0.pixelFormat = .rgba8 }
        #expect(image.size == PixelSize(width: picture.width, height: picture.height))
        #expect(image.metadata.hasAlpha == picture.has_alpha)
        for probe in picture.probes {
            let got = image.pixel(probe.x, probe.y)
            // The color of fully transparent pixels is ignored.
            let compared = probe.rgba.last == 0 ? 3..<4 : 0..<4
            let distance = zip(got, probe.rgba).map { abs(Int($0) - Int($1)) }[compared].max() ?? 255
            #expect(distance <= probe.tolerance, "\(probe.x), \(probe.y): \(got), drawn \(probe.rgba)")
        }
    }

    @Test(arguments: pictures) func isToldByItsHeader(_ picture: Picture) throws {
        let info = try DecodedColorTests.registry.info(try CodecFixture.bytes("pictures/" + picture.name))
        #expect("\(info.format.name)" == picture.format)
        #expect(info.displayedSize == PixelSize(width: picture.width, height: picture.height))
        #expect(info.frameCount == picture.frames ?? 1)
        #expect(info.loopCount == picture.loop ?? 0)
        #expect(info.durationMilliseconds == picture.duration_ms ?? 0)
    }

    @Test(arguments: pictures) func shrinksIntoABox(_ picture: Picture) throws {
        let image = try DecodedColorTests.decode(picture) { $0.thumbnailSize = PixelSize(width: 100, height: 80) }
        let expected = PixelSize(width: picture.width, height: picture.height)
            .scaled(to: PixelSize(width: 100, height: 80), scaleUp: false)
        #expect(image.size == expected)
        #expect(image.metadata.sourceSize == PixelSize(width: picture.width, height: picture.height))
    }

    @Test(arguments: pictures) func damageNeverTraps(_ picture: Picture) throws {
        let data = try CodecFixture.data("pictures/" + picture.name)
        var state = UInt64(picture.width * picture.height)
        for round in 0..<12 {
            var damaged = data
            for _ in 0..<(1 + round % 4) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                damaged[Int(state >> 33) % damaged.count] ^= UInt8(1 << (state >> 60 & 7))
            }
            if round % 3 == 0 { damaged = Array(damaged[..<(Int(state >> 20) % damaged.count)]) }
            var options = DecodeOptions()
            options.thumbnailSize = PixelSize(width: 64, height: 64)
            options.acceptPartial = round % 2 == 0
            let bytes = try Bytes.copying(damaged)
            do throws(ImageError) {
                let image = try DecodedColorTests.registry.decode(bytes, options: options, stop: CancellationToken())
                #expect(image.size.width <= 64 && image.size.height <= 64)
            } catch { #expect(!error.message.isEmpty) }
        }
    }
}
