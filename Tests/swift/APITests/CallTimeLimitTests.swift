import CSDImage
import SDImage
import Testing

/// Calls outside a load have their own time limits. A limit of 0 has expired at the first check.
@Suite struct CallTimeLimitTests {
    private typealias Call = (UnsafeMutablePointer<OpaquePointer?>) -> sdimage_status

    private func status(_ call: Call) -> sdimage_status {
        var result: OpaquePointer?
        defer { sdimage_image_unref(result) }
        return call(&result)
    }

    private func expectLimit(of limit: TaskLocal<UInt64>, _ call: Call) {
        #expect(limit.withValue(0) { status(call) } == .SDIMAGE_STATUS_TIMEOUT)
        #expect(status(call) == .SDIMAGE_STATUS_OK)
    }

    private func moving() throws -> Owned { try MovingPicture.image(try MovingPicture.bytes(3, .SDIMAGE_FORMAT_GIF)) }

    private func blur() throws -> Owned {
        try make(sdimage_transformer_unref) { sdimage_transformer_new_blur(2, $0, $1) }
    }

    @Test func theLimitsAreThoseOfAnEncodeAndOfADecode() {
        #expect(CallTimeLimits.transformation == 60_000_000_000)
        #expect(CallTimeLimits.frame == 10_000_000_000)
    }

    /// The number is part of the documentation of sdimage_manager_close.
    @Test func closingWaitsForTwoSeconds() { #expect(CallTimeLimits.closing == 2_000_000_000) }

    @Test func aTransformationEnds() throws {
        let image = try MovingPicture.image(makePNG(width: 6, height: 4)), transformer = try blur()
        expectLimit(of: CallTimeLimits.$transformation) { sdimage_image_transform(image.pointer, transformer.pointer, $0, nil) }
        expectLimit(of: CallTimeLimits.$transformation) {
            sdimage_image_transform_frames(image.pointer, transformer.pointer, $0, nil)
        }
    }

    @Test func aFrameOfAnImageEnds() throws {
        expectLimit(of: CallTimeLimits.$frame) { result in
            // Each call needs an image of its own, because decoded frames stay cached.
            guard let image = try? moving() else { return .SDIMAGE_STATUS_BAD_DATA }
            return sdimage_image_get_frame(image.pointer, 2, result, nil)
        }
    }

    @Test func aFrameOfAProviderEnds() throws {
        expectLimit(of: CallTimeLimits.$frame) { result in
            guard let image = try? moving(),
                let provider = try? make(
                    sdimage_frame_provider_unref, { sdimage_frame_provider_new_image(image.pointer, $0, $1) })
            else { return .SDIMAGE_STATUS_BAD_DATA }
            return sdimage_frame_provider_get_frame(provider.pointer, 2, result, nil)
        }
    }

    @Test func preloadingFramesEnds() throws {
        let image = try moving()
        expectLimit(of: CallTimeLimits.$frame) { _ in sdimage_image_preload_frames(image.pointer, nil) }
    }

    @Test func theFirstFrameOfAViewEnds() throws {
        let image = try moving(), transformer = try blur()
        expectLimit(of: CallTimeLimits.$frame) { _ in
            let watcher = ViewWatcher()
            guard let view = try? watcher.makeView() else { return .SDIMAGE_STATUS_BAD_DATA }
            sdimage_animated_view_set_transformer(view.pointer, transformer.pointer)
            return sdimage_animated_view_set_image(view.pointer, image.pointer, nil)
        }
    }
}
