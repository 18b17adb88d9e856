import CSDImage
import Foundation
import TestSupport
import Testing

/// The contract of decoder.h, statement by statement.
@Suite struct DecoderContractTests {
    private let png = makePNG(width: 40, height: 30)
    private let animation = "webp/moving.webp"

    @Test func nothingIsStoredWhileThereIsNoPicture() throws {
        let feeding = try Feeding()
        var image: OpaquePointer?
        #expect(sdimage_decoder_get_image(feeding.decoder.pointer, &image, nil) == .SDIMAGE_STATUS_NEED_MORE_DATA)
        #expect(feeding.append(png.prefix(10)) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_decoder_get_image(feeding.decoder.pointer, &image, nil) == .SDIMAGE_STATUS_NEED_MORE_DATA)
        #expect(image == nil)
        let size = sdimage_decoder_size(feeding.decoder.pointer)
        #expect(size.width == 0 && size.height == 0)
        #expect(sdimage_decoder_frame_count(feeding.decoder.pointer) == 0)
    }

    @Test func theLastBytesEndTheDecoderAndLaterOnesAreIgnored() throws {
        let feeding = try Feeding()
        #expect(feeding.append(png, finished: true) == .SDIMAGE_STATUS_END)
        let before = feeding.look()
        #expect(feeding.append(Array("more".utf8)) == .SDIMAGE_STATUS_END)
        #expect(feeding.append(Array("and more".utf8), finished: true) == .SDIMAGE_STATUS_END)
        #expect(feeding.look() == before)
        #expect(before == Outcome.whole(png))
        let bytes = try make(sdimage_data_unref) { sdimage_decoder_get_data(feeding.decoder.pointer, $0, $1) }
        #expect(sdimage_data_length(bytes.pointer) == png.count)
    }

    @Test func allBytesSoFarAreThere() throws {
        let feeding = try Feeding()
        feeding.append(png[..<100])
        feeding.append(png[100..<1000])
        let data = try make(sdimage_data_unref) { sdimage_decoder_get_data(feeding.decoder.pointer, $0, $1) }
        feeding.append(png[1000...], finished: true)
        let bytes = UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer))
        #expect(Array(bytes) == Array(png.prefix(1000)))
    }

    @Test func anErrorIsTheSameFromEveryLaterCall() throws {
        let feeding = try Feeding()
        let text = "no picture at all, wherever one looks in these bytes, of which there are enough to tell"
        let status = feeding.append(Array(text.utf8))
        let end = status.rawValue < 0 ? status : feeding.append([], finished: true)
        #expect(end == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        #expect(feeding.append(png) == end)
        #expect(feeding.append(png, finished: true) == end)
        #expect(feeding.look() == .failure(end))
    }

    @Test func theErrorOfTheHeaderIsThatOfTheDecoder() throws {
        let lamp = LampCoder()
        let (coder, file) = (try lamp.makeCoder(), LampCoder.file(width: 3, height: 2))
        let whole = try Feeding(coder: coder)
        #expect(whole.append(file, finished: true) == .SDIMAGE_STATUS_END)
        lamp.refusesHeaders = true
        let cut = try Feeding(coder: coder)
        #expect(cut.append(file) == .SDIMAGE_STATUS_OK)
        #expect(cut.append([], finished: true) == .SDIMAGE_STATUS_TRUNCATED)
        #expect(cut.look() == .failure(.SDIMAGE_STATUS_TRUNCATED))
        // Only the number of frames makes a decode read the header first.
        let first = try Feeding(decodeOptions { sdimage_decode_options_set_first_frame_only($0, true) }, coder: coder)
        #expect(first.append(file, finished: true) == .SDIMAGE_STATUS_END)
    }

    @Test func aStillHasNoDuration() throws {
        let feeding = try Feeding()
        #expect(feeding.append(makeAPNG(width: 3, height: 2), finished: true) == .SDIMAGE_STATUS_END)
        #expect(sdimage_decoder_frame_count(feeding.decoder.pointer) == 1)
        #expect(sdimage_decoder_frame_duration_ms(feeding.decoder.pointer, 0) == 0)
    }

    @Test func whatIsMissingIsAnErrorOnlyOnceFinished() throws {
        let feeding = try Feeding()
        #expect(feeding.append(png.prefix(png.count / 2)) == .SDIMAGE_STATUS_OK)
        #expect(feeding.append([], finished: true) == .SDIMAGE_STATUS_TRUNCATED)
    }

    @Test func noBytesAtAllAreEmptyData() throws {
        let feeding = try Feeding()
        #expect(feeding.append([]) == .SDIMAGE_STATUS_OK)
        #expect(feeding.append([], finished: true) == .SDIMAGE_STATUS_EMPTY_DATA)
    }

    @Test func framesOutsideAreInvalidArguments() throws {
        let feeding = try Feeding()
        #expect(feeding.frame(0) == .failure(.SDIMAGE_STATUS_INVALID_ARGUMENT))
        feeding.append(try Fixtures.bytes(animation), finished: true)
        let count = Int(sdimage_decoder_frame_count(feeding.decoder.pointer))
        #expect(count > 1)
        for index in [count, count + 1, Int(Int32.max), Int(UInt32.max)] {
            #expect(feeding.frame(index) == .failure(.SDIMAGE_STATUS_INVALID_ARGUMENT))
            #expect(sdimage_decoder_frame_duration_ms(feeding.decoder.pointer, UInt32(index)) == 0)
        }
    }

    @Test func aFrameIsTheSameInWhateverOrderItIsAskedFor() throws {
        let bytes = try Fixtures.bytes(animation)
        let forward = try Feeding(), backward = try Feeding()
        forward.append(bytes, finished: true)
        backward.append(bytes, finished: true)
        let count = Int(sdimage_decoder_frame_count(forward.decoder.pointer))
        let first = (0..<count).map { forward.frame($0) }
        let last = (0..<count).reversed().map { backward.frame($0) }
        #expect(first == last.reversed())
        #expect(first.allSatisfy { $0.seen != nil })
    }

    @Test func frameCountGrowsWithTheBytes() throws {
        let bytes = try Fixtures.bytes(animation)
        let feeding = try Feeding()
        var counts: [UInt32] = []
        var start = 0
        for end in Cut.pages.ends(bytes.count) {
            feeding.append(bytes[start..<end], finished: end == bytes.count)
            start = end
            counts.append(sdimage_decoder_frame_count(feeding.decoder.pointer))
        }
        #expect(counts == counts.sorted())
        #expect(counts.last ?? 0 > 1)
    }

    @Test func theFirstFrameAloneIsAStill() throws {
        let feeding = try Feeding(decodeOptions { sdimage_decode_options_set_first_frame_only($0, true) })
        feeding.append(try Fixtures.bytes(animation), finished: true)
        #expect(sdimage_decoder_frame_count(feeding.decoder.pointer) == 1)
        #expect(feeding.look()?.seen?.frames == 1)
    }

    @Test func optionsAreCopied() throws {
        let options = decodeOptions { sdimage_decode_options_set_thumbnail_size($0, 10, 10, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
        let feeding = try Feeding(options)
        sdimage_decode_options_set_thumbnail_size(options.pointer, 0, 0, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        feeding.append(png, finished: true)
        #expect(feeding.look()?.seen?.width == 10)
    }

    @Test func anotherKindOfHandleIsToldApart() throws {
        let data = try make(sdimage_data_unref) { sdimage_data_new("x", 1, $0, $1) }
        var decoder: OpaquePointer?
        #expect(sdimage_decoder_new(data.pointer, nil, &decoder, nil) == .SDIMAGE_STATUS_BAD_HANDLE)
        #expect(sdimage_decoder_append(data.pointer, png, png.count, true, nil) == .SDIMAGE_STATUS_BAD_HANDLE)
        #expect(sdimage_decoder_append(nil, png, png.count, true, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(sdimage_decoder_frame_count(data.pointer) == 0)
    }

    /// Sendable wrapper of the decoder pointer.
    private struct Shared: @unchecked Sendable { let decoder: Owned }

    @Test func framesCanBeTakenByThreadsWhileBytesArrive() throws {
        let bytes = try Fixtures.bytes(animation)
        let feeding = try Feeding()
        let shared = Shared(decoder: feeding.decoder)
        let group = DispatchGroup()
        for thread in 0..<4 {
            DispatchQueue.global().async(group: group) {
                var randoms = Randoms(seed: UInt64(thread))
                for _ in 0..<40 {
                    let decoder = shared.decoder.pointer
                    let count = Int(sdimage_decoder_frame_count(decoder))
                    var image: OpaquePointer?
                    let status = sdimage_decoder_get_frame(decoder, UInt32(randoms.below(count + 1)), &image, nil)
                    #expect(status == .SDIMAGE_STATUS_OK || status == .SDIMAGE_STATUS_INVALID_ARGUMENT)
                    sdimage_image_unref(image)
                    image = nil
                    #expect(sdimage_decoder_get_image(decoder, &image, nil).rawValue >= 0)
                    sdimage_image_unref(image)
                }
            }
        }
        var start = 0
        for end in Cut.pages.ends(bytes.count) {
            #expect(feeding.append(bytes[start..<end], finished: end == bytes.count).rawValue >= 0)
            start = end
        }
        group.wait()
        #expect(feeding.look() == Outcome.whole(bytes))
    }
}
