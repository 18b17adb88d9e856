import CSDImage
import Testing

/// Options of isolation. This test program has no workers, and so shows what happens where none can be started; the suite
/// `isolation` decodes in workers.
@Suite(.serialized) struct IsolationTests {
    private let file = makePNG(width: 4, height: 3)

    private func decode(_ isolation: sdimage_isolation, coder: Owned? = nil) -> sdimage_status {
        let options = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
        sdimage_decode_options_set_isolation(options.pointer, isolation)
        var image: OpaquePointer?
        let status = sdimage_decode(file, file.count, options.pointer, &image, nil)
        sdimage_image_unref(image)
        return status
    }

    private var isolation: sdimage_isolation {
        var isolation = sdimage_isolation.SDIMAGE_ISOLATION_DEFAULT
        sdimage_get_isolation(&isolation)
        return isolation
    }

    @Test func theProcessHasAMode() {
        defer { sdimage_set_isolation(.SDIMAGE_ISOLATION_NONE) }
        #expect(isolation == .SDIMAGE_ISOLATION_NONE)
        sdimage_set_isolation(.SDIMAGE_ISOLATION_RISKY)
        #expect(isolation == .SDIMAGE_ISOLATION_RISKY)
        sdimage_set_isolation(.SDIMAGE_ISOLATION_DEFAULT)
        #expect(isolation == .SDIMAGE_ISOLATION_NONE)
    }

    @Test func optionsHaveAModeOfTheirOwn() {
        let options = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
        #expect(sdimage_decode_options_isolation(options.pointer) == .SDIMAGE_ISOLATION_DEFAULT)
        for isolation in [sdimage_isolation.SDIMAGE_ISOLATION_NONE, .SDIMAGE_ISOLATION_RISKY, .SDIMAGE_ISOLATION_ALL] {
            sdimage_decode_options_set_isolation(options.pointer, isolation)
            #expect(sdimage_decode_options_isolation(options.pointer) == isolation)
        }
        sdimage_decode_options_set_isolation(options.pointer, .SDIMAGE_ISOLATION_DEFAULT)
        #expect(sdimage_decode_options_isolation(options.pointer) == .SDIMAGE_ISOLATION_DEFAULT)
    }

    @Test func withoutWorkersIsolatedImagesAreUnsupported() {
        #expect(decode(.SDIMAGE_ISOLATION_ALL) == .SDIMAGE_STATUS_UNSUPPORTED)
        #expect(decode(.SDIMAGE_ISOLATION_NONE) == .SDIMAGE_STATUS_OK)
        // A built-in coder is not risky.
        #expect(decode(.SDIMAGE_ISOLATION_RISKY) == .SDIMAGE_STATUS_OK)
    }

    @Test func withoutWorkersTheProcessDecodesIfItMay() {
        #expect(!sdimage_has_isolation_fallback())
        sdimage_set_isolation_fallback(true)
        defer { sdimage_set_isolation_fallback(false) }
        #expect(sdimage_has_isolation_fallback())
        #expect(decode(.SDIMAGE_ISOLATION_ALL) == .SDIMAGE_STATUS_OK)
    }

    @Test func aCoderOfTheHostCannotBeIsolated() throws {
        let coder = try LampCoder().makeCoder()
        let options = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
        sdimage_decode_options_set_isolation(options.pointer, .SDIMAGE_ISOLATION_ALL)
        let feeding = try Feeding(options, coder: coder)
        #expect(feeding.append(LampCoder.file(width: 9, height: 10), finished: true) == .SDIMAGE_STATUS_UNSUPPORTED)
        sdimage_decode_options_set_isolation(options.pointer, .SDIMAGE_ISOLATION_RISKY)
        let other = try Feeding(options, coder: coder)
        #expect(other.append(LampCoder.file(width: 9, height: 10), finished: true) == .SDIMAGE_STATUS_END)
    }

    @Test func statisticsCountWorkers() throws {
        var used = sdimage_isolation_statistics()
        used.size = MemoryLayout<sdimage_isolation_statistics>.size
        #expect(sdimage_isolation_get_statistics(&used, nil) == .SDIMAGE_STATUS_OK)
        #expect(used.running == 0)
        #expect(sdimage_isolation_get_statistics(nil, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        let json = try make(sdimage_data_unref) { sdimage_isolation_statistics_to_json($0, $1) }
        withExtendedLifetime(json) { #expect(sdimage_data_length(json.pointer) > 0) }
        sdimage_isolation_end_idle()
    }

    @Test func noHostHasStartedThisProcess() { #expect(sdimage_isolation_main() != 0) }
}
