import CSDImage
import Foundation
import TestSupport
import Testing

/// For every division of the bytes into pieces, the last image and the last error equal those of one decode call.
@Suite struct DecoderTests {
    /// Files of at least this size use only two kinds of pieces, because debug builds take long for them.
    private static let large = 12_000

    private static let wishes: [(name: String, options: Owned)] = [
        ("full size", decodeOptions()),
        ("thumbnail", decodeOptions { sdimage_decode_options_set_thumbnail_size($0, 24, 20, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }),
        ("first frame", decodeOptions { sdimage_decode_options_set_first_frame_only($0, true) }),
    ]

    private func cuts(_ bytes: [UInt8]) -> [Cut] { bytes.count < DecoderTests.large ? Cut.allCases : [.pages, .random] }

    @Test(arguments: Fixtures.pictures)
    func piecesEndInThePictureOfTheWhole(name: String) throws {
        let bytes = try Fixtures.bytes(name)
        for wish in DecoderTests.wishes {
            let whole = Outcome.whole(bytes, wish.options)
            for cut in cuts(bytes) {
                let feeding = try Feeding(wish.options)
                #expect(feeding.feed(bytes, cut) == whole, "\(wish.name), pieces of \(cut)")
            }
        }
    }

    @Test(arguments: Fixtures.pictures)
    func whatShowsOnTheWayHasTheSizeOfTheWholeAndIsMarked(name: String) throws {
        let bytes = try Fixtures.bytes(name)
        for wish in DecoderTests.wishes {
            guard let whole = Outcome.whole(bytes, wish.options).seen else { continue }
            let feeding = try Feeding(wish.options)
            var position = 0
            for end in Cut.random.ends(bytes.count - 1).suffix(24) {
                feeding.append(bytes[position..<end])
                position = end
                guard let part = feeding.look() else { continue }
                // The call to `look` may have found the image complete.
                let isComplete = feeding.append([]) == .SDIMAGE_STATUS_END
                let seen = try #require(part.seen, "\(wish.name): a picture, not \(part.status.rawValue)")
                // The orientation of a WebP file comes last.
                let isTurned = name == "webp/turned_6.webp"
                #expect(seen.width == whole.width && seen.height == whole.height || isTurned, "\(wish.name)")
                #expect(seen.isIncremental || isComplete, "\(wish.name)")
            }
        }
    }

    @Test(arguments: Fixtures.pictures)
    func prefixesEndWithTheStatusOfTheirDecode(name: String) throws {
        let bytes = try Fixtures.bytes(name)
        var randoms = Randoms(seed: 11)
        let near = [1, 8, 24, 63, 64, 65, bytes.count - 12, bytes.count - 2, bytes.count - 1]
            .filter { $0 < bytes.count && $0 > 0 }
        for count in near + (0..<4).map({ _ in randoms.below(bytes.count) }) {
            let prefix = Array(bytes.prefix(count))
            let whole = Outcome.whole(prefix)
            let feeding = try Feeding()
            #expect(feeding.feed(prefix, .random) == whole, "\(count) of \(bytes.count) bytes")
        }
    }

    @Test(arguments: Fixtures.pictures)
    func damagedBytesEndWithTheStatusOfTheirDecode(name: String) throws {
        let bytes = try Fixtures.bytes(name)
        guard bytes.count < DecoderTests.large else { return }
        var randoms = Randoms(seed: 13)
        for _ in 0..<8 {
            var damaged = bytes
            for _ in 0..<3 { damaged[randoms.below(bytes.count)] ^= UInt8(1 << randoms.below(8)) }
            let feeding = try Feeding()
            #expect(feeding.feed(damaged, .random) == Outcome.whole(damaged))
        }
    }

    @Test(arguments: Fixtures.pictures)
    func framesAreThoseOfTheImage(name: String) throws {
        let bytes = try Fixtures.bytes(name)
        let feeding = try Feeding()
        guard feeding.feed(bytes, .pages)?.seen != nil else { return }
        let image = try make(sdimage_image_unref) { sdimage_decode(bytes, bytes.count, nil, $0, $1) }
        let count = sdimage_image_frame_count(image.pointer)
        #expect(sdimage_decoder_frame_count(feeding.decoder.pointer) == count)
        #expect(sdimage_decoder_loop_count(feeding.decoder.pointer) == sdimage_image_loop_count(image.pointer))
        for index in Set([0, 1, count / 2, count - 1]) where index < count {
            let frame = try make(sdimage_image_unref) { sdimage_image_get_frame(image.pointer, index, $0, $1) }
            #expect(feeding.frame(Int(index)).seen?.sum == Seen(frame.pointer).sum, "frame \(index)")
            let duration = sdimage_image_frame_duration_ms(image.pointer, index)
            #expect(sdimage_decoder_frame_duration_ms(feeding.decoder.pointer, index) == duration)
        }
    }

    @Test func imagesAreMarkedUntilTheLastBytesAreDecoded() throws {
        let bytes = try Fixtures.bytes("pictures/pinwheel.gif")
        let whole = try #require(Outcome.whole(bytes).seen)
        let half = bytes.count / 2
        let feedings = try (0..<150).map { _ in try Feeding() }
        for feeding in feedings { feeding.append(bytes[..<half]) }
        let looks = Locked([Outcome?]())
        Race.run(rounds: feedings.count) { round in
            feedings[round].append(bytes[half...], finished: true)
        } against: { [decoders = feedings.map(\.decoder)] round in
            var image: OpaquePointer?
            guard sdimage_decoder_get_image(decoders[round].pointer, &image, nil) == .SDIMAGE_STATUS_OK else { return }
            defer { sdimage_image_unref(image) }
            looks.change { $0.append(.picture(Seen(image))) }
        }
        for look in looks.get() { #expect(look?.seen.map { $0.isIncremental || $0 == whole } == true) }
    }
}
