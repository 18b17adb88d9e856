import CSDImage
import Foundation
import Testing

/// Transformers: their keys, their argument checks, and host transformers, alone and in loads.
@Suite struct TransformerTests {
    private typealias Out = UnsafeMutablePointer<OpaquePointer?>

    private func made(_ call: (Out, Out) -> sdimage_status) throws -> Owned { try make(sdimage_transformer_unref, call) }

    private func status(_ call: (Out) -> sdimage_status) -> sdimage_status {
        var transformer: OpaquePointer?
        let status = call(&transformer)
        sdimage_transformer_unref(transformer)
        return status
    }

    private func key(_ transformer: Owned) -> String { String(cString: sdimage_transformer_key(transformer.pointer)) }

    private func picture(_ width: UInt32 = 4, _ height: UInt32 = 3) throws -> Owned {
        let pixels = [UInt8](repeating: 9, count: Int(width * height))
        return try make(sdimage_image_unref) {
            sdimage_image_new(width, height, Int(width), .SDIMAGE_PIXEL_FORMAT_GRAY8, pixels, $0, $1)
        }
    }

    private func apply(_ transformer: Owned, _ image: Owned) throws -> Owned {
        try make(sdimage_image_unref) { sdimage_image_transform(image.pointer, transformer.pointer, $0, $1) }
    }

    // MARK: Keys

    @Test func keysAreThoseOfSDWebImage() throws {
        var black = sdimage_color(red: 0, green: 0, blue: 0, alpha: 1)
        let steps = [
            try made { sdimage_transformer_new_resize(100, 100, .SDIMAGE_SCALE_MODE_ASPECT_FILL, $0, $1) },
            try made { sdimage_transformer_new_rotate(.pi / 4, false, $0, $1) },
            try made { sdimage_transformer_new_round_corner(50, .max, 1, &black, $0, $1) },
            try made { sdimage_transformer_new_flip(true, true, $0, $1) },
            try made { sdimage_transformer_new_crop(sdimage_rect(x: 0, y: 0, width: 50, height: 50), $0, $1) },
            try made { sdimage_transformer_new_tint(sdimage_color(), .SDIMAGE_BLEND_MODE_SOURCE_IN, $0, $1) },
            try made { sdimage_transformer_new_blur(5, $0, $1) },
        ]
        let pointers = steps.map { Optional($0.pointer) }
        let pipeline = try made { sdimage_transformer_new_pipeline(pointers, pointers.count, $0, $1) }
        withExtendedLifetime(steps) {}
        let expected = [
            "SDImageResizingTransformer({100.000000,100.000000},2)", "SDImageRotationTransformer(0.785398,0)",
            "SDImageRoundCornerTransformer(50.000000,18446744073709551615,1.000000,#ff000000)",
            "SDImageFlippingTransformer(1,1)", "SDImageCroppingTransformer({0.000000,0.000000,50.000000,50.000000})",
            "SDImageTintTransformer(#00000000,18)", "SDImageBlurTransformer(5.000000)",
        ]
        #expect(key(pipeline) == expected.joined(separator: "-"))
        #expect(zip(steps, expected).allSatisfy { key($0) == $1 })
    }

    @Test func aKeyTellsColorsApartThatDifferInMoreThan8Bits() throws {
        func tint(_ red: Double) throws -> String {
            let color = sdimage_color(red: red, green: 0, blue: 0, alpha: 1)
            return key(try made { sdimage_transformer_new_tint(color, .SDIMAGE_BLEND_MODE_NORMAL, $0, $1) })
        }
        func border(_ red: Double) throws -> String {
            var color = sdimage_color(red: red, green: 0, blue: 0, alpha: 1)
            return key(try made { sdimage_transformer_new_round_corner(5, .max, 1, &color, $0, $1) })
        }
        #expect(try tint(128.0 / 255) == "SDImageTintTransformer(#ff800000,0)")
        #expect(try tint(0.5) != tint(0.501) && tint(0.5) == tint(0.5))
        #expect(try border(0.5) != border(0.501))
    }

    @Test func aTransformerThatChangesNothingReturnsAStill() throws {
        let frames = [try picture(), try picture()]
        let (pointers, durations): ([OpaquePointer?], [UInt32]) = (frames.map(\.pointer), [50, 60])
        let moving = try make(sdimage_image_unref) { sdimage_image_new_animation(pointers, durations, 2, 0, $0, $1) }
        withExtendedLifetime(frames) {}
        let tint = sdimage_color(red: 1, green: 0, blue: 0, alpha: 0)
        for transformer in [
            try made { sdimage_transformer_new_resize(4, 3, .SDIMAGE_SCALE_MODE_FILL, $0, $1) },
            try made { sdimage_transformer_new_blur(0, $0, $1) },
            try made { sdimage_transformer_new_tint(tint, .SDIMAGE_BLEND_MODE_NORMAL, $0, $1) },
        ] {
            let still = try apply(transformer, moving)
            #expect(sdimage_image_frame_count(still.pointer) == 1 && !sdimage_image_is_animated(still.pointer))
            let all = try make(sdimage_image_unref) {
                sdimage_image_transform_frames(moving.pointer, transformer.pointer, $0, $1)
            }
            #expect(sdimage_image_frame_count(all.pointer) == 2)
        }
    }

    @Test func aKeyTellsEveryChoiceThatIsNotTheUsualOne() throws {
        let plain = try made {
            sdimage_transformer_new_resample(
                8, 4, .SDIMAGE_SCALE_MODE_FILL, .SDIMAGE_RESAMPLING_LANCZOS, false, $0, $1)
        }
        let light = try made {
            sdimage_transformer_new_resample(8, 4, .SDIMAGE_SCALE_MODE_FILL, .SDIMAGE_RESAMPLING_AREA, true, $0, $1)
        }
        let bare = try made { sdimage_transformer_new_round_corner(2.5, 3, 0, nil, $0, $1) }
        #expect(key(plain) == "SDImageResizingTransformer({8.000000,4.000000},0)")
        #expect(key(light) == "SDImageResizingTransformer({8.000000,4.000000},0,1,1)")
        #expect(key(bare) == "SDImageRoundCornerTransformer(2.500000,3,0.000000,(null))")
    }

    @Test func anEmptyPipelineHasNoKeyAndChangesNothing() throws {
        let pipeline = try made { sdimage_transformer_new_pipeline(nil, 0, $0, $1) }
        let image = try picture()
        #expect(key(pipeline).isEmpty)
        #expect(try apply(pipeline, image).pointer == image.pointer)
    }

    // MARK: Invalid arguments

    @Test(arguments: [0, -1, Double.nan, .infinity, -.infinity] as [Double])
    func aSizeThatIsNoneIsRefused(side: Double) {
        let refused = sdimage_status.SDIMAGE_STATUS_INVALID_ARGUMENT
        #expect(status { sdimage_transformer_new_resize(side, 9, .SDIMAGE_SCALE_MODE_FILL, $0, nil) } == refused)
        #expect(status { sdimage_transformer_new_resize(9, side, .SDIMAGE_SCALE_MODE_FILL, $0, nil) } == refused)
        let flat = sdimage_rect(x: 0, y: 0, width: 5, height: side)
        #expect(status { sdimage_transformer_new_crop(flat, $0, nil) } == refused)
    }

    @Test(arguments: [-1, Double.nan, .infinity] as [Double])
    func aLengthThatIsNoneIsRefused(length: Double) {
        let refused = sdimage_status.SDIMAGE_STATUS_INVALID_ARGUMENT
        #expect(status { sdimage_transformer_new_blur(length, $0, nil) } == refused)
        #expect(status { sdimage_transformer_new_round_corner(length, .max, 0, nil, $0, nil) } == refused)
        #expect(status { sdimage_transformer_new_round_corner(1, .max, length, nil, $0, nil) } == refused)
        if length != -1 { #expect(status { sdimage_transformer_new_rotate(length, true, $0, nil) } == refused) }
    }

    @Test func unknownChoicesAreRefused() {
        let refused = sdimage_status.SDIMAGE_STATUS_INVALID_ARGUMENT
        let mode = unsafeBitCast(UInt32(9), to: sdimage_scale_mode.self)
        let blend = unsafeBitCast(UInt32(99), to: sdimage_blend_mode.self)
        let weights = unsafeBitCast(UInt32(99), to: sdimage_resampling.self)
        #expect(status { sdimage_transformer_new_resize(5, 5, mode, $0, nil) } == refused)
        #expect(status { sdimage_transformer_new_resample(5, 5, .SDIMAGE_SCALE_MODE_FILL, weights, false, $0, nil) } == refused)
        #expect(status { sdimage_transformer_new_tint(sdimage_color(), blend, $0, nil) } == refused)
        #expect(status { sdimage_transformer_new_filter("no such filter", nil, $0, nil) } == refused)
        let gap: [OpaquePointer?] = [nil]
        #expect(status { sdimage_transformer_new_pipeline(gap, 1, $0, nil) } == refused)
    }

    // MARK: Host transformers

    @Test func aTransformerOfTheHostMakesThePictureAndKeepsItsMetadata() throws {
        let host = CountingTransformer(width: 5)
        let image = try picture()
        var result = try apply(try host.makeTransformer(key: "five"), image)
        #expect(sdimage_image_width(result.pointer) == 5)
        #expect(sdimage_image_source_size(result.pointer).width == 4)
        #expect(host.keys == [""])
        result = try apply(try CountingTransformer(width: 5).makeTransformer(key: "five", preservesMetadata: false), image)
        #expect(sdimage_image_source_size(result.pointer).width == 5)
        #expect(host.isDestroyed())
    }

    @Test func aTransformerWithoutAKeyIsRefusedAndDestroyed() {
        let host = CountingTransformer(width: 5)
        #expect(throws: CallFailure.self) { try host.makeTransformer(key: "") }
        #expect(host.isDestroyed())
    }

    @Test func aFailureOfTheHostIsTheFailureOfTheCall() throws {
        let transformer = try CountingTransformer(width: 5, failure: .SDIMAGE_STATUS_BUSY).makeTransformer(key: "never")
        let image = try picture()
        do {
            _ = try apply(transformer, image)
            Issue.record("it did not fail")
        } catch let failure as CallFailure {
            #expect(failure.status == .SDIMAGE_STATUS_BUSY)
            #expect(failure.message == "not today")
        }
    }

    // MARK: In loads

    /// A manager with a memory cache and a loader that responds to every URL with an image of 6 by 4 pixels.
    private func manager(transformer: Owned? = nil, file: [UInt8]? = nil) throws -> Owned {
        let loader = try ScriptedLoader.answering(file ?? makePNG(width: 6, height: 4)).makeLoader()
        let cache = try makeCache(in: nil)
        let config = sdimage_manager_config_new()
        defer { sdimage_manager_config_unref(config) }
        sdimage_manager_config_set_cache(config, cache.pointer)
        sdimage_manager_config_set_loader(config, loader.pointer)
        sdimage_manager_config_set_transformer(config, transformer?.pointer)
        return try make(sdimage_manager_unref) { sdimage_manager_new(config, $0, $1) }
    }

    private func load(_ manager: Owned, _ change: (OpaquePointer) -> Void = { _ in }) throws -> Owned {
        let request = makeRequest("test://host/a.png")
        change(request.pointer)
        return try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
    }

    private func width(_ result: Owned) -> UInt32 { sdimage_image_width(sdimage_result_image(result.pointer)) }

    @Test func aTransformedPictureIsMadeOnceAndKeptUnderItsOwnKey() throws {
        let host = CountingTransformer(width: 5)
        let transformer = try host.makeTransformer(key: "five(1)")
        let manager = try manager()
        let first = try load(manager) { sdimage_request_add_transformer($0, transformer.pointer) }
        let second = try load(manager) { sdimage_request_add_transformer($0, transformer.pointer) }
        #expect([width(first), width(second)] == [5, 5])
        #expect(sdimage_result_source(second.pointer) == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        #expect(host.keys == ["test://host/a-five(1).png"])
        #expect(width(try load(manager)) == 6)
    }

    @Test func aCropCountsWhatItKeepsAliveAndALoadKeepsOnlyIt() throws {
        let whole = try picture(200, 100)
        let rect = sdimage_rect(x: 10, y: 10, width: 20, height: 10)
        let part = try make(sdimage_image_unref) { croppedImage(whole.pointer, rect, $0, $1) }
        #expect(sdimage_image_memory_cost(part.pointer) == sdimage_image_memory_cost(whole.pointer))
        let transformer = try made { sdimage_transformer_new_crop(rect, $0, $1) }
        let manager = try manager(file: makePNG(width: 200, height: 100))
        let result = try load(manager) { sdimage_request_add_transformer($0, transformer.pointer) }
        #expect(width(result) == 20)
        #expect(sdimage_image_memory_cost(sdimage_result_image(result.pointer)) == 64 * 10)
    }

    @Test func turningUprightChangesNoSample() throws {
        // Premultiplied samples with little alpha are moved unchanged.
        let pixels: [UInt8] = [1, 0, 1, 1, 3, 2, 1, 5]
        let stored = try make(sdimage_image_unref) {
            sdimage_image_new(2, 1, 8, .SDIMAGE_PIXEL_FORMAT_RGBA8_PREMULTIPLIED, pixels, $0, $1)
        }
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(stored.pointer, $0, $1) }
        sdimage_metadata_set_orientation(metadata.pointer, .SDIMAGE_ORIENTATION_RIGHT)
        let tagged = try make(sdimage_image_unref) {
            sdimage_image_with_metadata(stored.pointer, metadata.pointer, $0, $1)
        }
        let part = try make(sdimage_image_unref) {
            croppedImage(tagged.pointer, sdimage_rect(x: 0, y: 1, width: 1, height: 1), $0, $1)
        }
        #expect(sdimage_image_orientation(part.pointer) == .SDIMAGE_ORIENTATION_UP)
        let base = try #require(sdimage_image_pixels(part.pointer))
        let sample = withExtendedLifetime(part) { Array(UnsafeRawBufferPointer(start: base, count: 4)) }
        #expect(sample == [3, 2, 1, 5])
    }

    @Test func transformersOfARequestAreAppliedInTheirOrder() throws {
        let hosts = [CountingTransformer(width: 5), CountingTransformer(width: 8)]
        let transformers = try zip(hosts, ["five", "eight"]).map { try $0.makeTransformer(key: $1) }
        let result = try load(try manager()) { request in
            for transformer in transformers { sdimage_request_add_transformer(request, transformer.pointer) }
        }
        #expect(width(result) == 8)
        #expect(hosts[0].keys == ["test://host/a-five-eight.png"])
    }

    @Test func aRequestCanDoWithoutTheTransformerOfItsManager() throws {
        let manager = try manager(transformer: try CountingTransformer(width: 5).makeTransformer(key: "five"))
        #expect(width(try load(manager)) == 5)
        #expect(width(try load(manager) { sdimage_request_set_transformer($0, nil) }) == 6)
        let back = try load(manager) {
            sdimage_request_set_transformer($0, nil)
            sdimage_request_reset_transformer($0)
        }
        #expect(width(back) == 5)
    }

    @Test func anAnimationIsLeftAsItIsUnlessAskedFor() throws {
        let host = CountingTransformer(width: 5)
        let transformer = try host.makeTransformer(key: "five")
        let manager = try manager(file: LampCoder.file(width: 10, height: 8, frames: 3))
        let coder = try LampCoder().makeCoder()
        let wish: (OpaquePointer) -> Void = {
            sdimage_request_set_coder($0, coder.pointer)
            sdimage_request_add_transformer($0, transformer.pointer)
        }
        let plain = try load(manager, wish)
        let again = try load(manager, wish)
        #expect([width(plain), width(again)] == [10, 10])
        #expect(sdimage_result_source(again.pointer) == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        #expect(host.keys.isEmpty)
        let moving = try load(manager) {
            wish($0)
            sdimage_request_set_transform_animated($0, true)
        }
        #expect(width(moving) == 5)
        let image = sdimage_result_image(moving.pointer)
        #expect(sdimage_image_frame_count(image) == 3)
        let frame = try make(sdimage_image_unref) { sdimage_image_get_frame(image, 2, $0, $1) }
        #expect(sdimage_image_width(frame.pointer) == 5)
        #expect(host.keys.count == 2)
    }
}
