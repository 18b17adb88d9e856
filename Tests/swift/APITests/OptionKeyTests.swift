import CSDImage
import TestSupport
import Testing

/// Loads of one URL whose options differ receive no image of each other from memory.
@Suite struct OptionKeyTests {
    enum Option: String, Sendable, CaseIterable {
        case limitBytes, scale, acceptPartial

        func apply(to request: OpaquePointer) {
            let options = decodeOptions {
                switch self {
                case .limitBytes: sdimage_decode_options_set_limit_bytes($0, 4 * 4 * 4)
                case .scale: sdimage_decode_options_set_scale($0, 3)
                case .acceptPartial: sdimage_decode_options_set_accept_partial($0, true)
                }
            }
            sdimage_request_set_decode_options(request, options.pointer)
        }
    }

    private let folder = TemporaryDirectory()
    private let held = HeldLoader()

    /// Loads, and responds if the loader is called.
    private func load(_ manager: Owned, _ bytes: [UInt8], _ option: Option?) throws -> Delivered {
        let request = makeRequest("test://h/cat.png")
        option?.apply(to: request.pointer)
        let listener = Listener()
        let task = try listener.load(manager, request)
        while listener.results.isEmpty {
            if let sink = held.next(within: 0.05) {
                #expect(sdimage_load_sink_write(sink, bytes, bytes.count, nil) == .SDIMAGE_STATUS_OK)
                sdimage_load_sink_finish(sink, nil)
                sdimage_load_sink_unref(sink)
            }
        }
        return try withExtendedLifetime(task) { try #require(listener.final()) }
    }

    @Test(arguments: [true, false]) func aLimitHoldsForItsLoadAlone(isFirst: Bool) throws {
        let manager = try makeManager(cache: try makeCache(in: folder.path), loader: try held.makeLoader())
        for option in isFirst ? [Option.limitBytes, nil] : [nil, .limitBytes] {
            let result = try load(manager, makePNG(width: 16, height: 16), option)
            #expect(result.status == .SDIMAGE_STATUS_OK && (option == nil ? result.width == 16 : result.width <= 4))
        }
    }

    @Test func aScaleHoldsForItsLoadAlone() throws {
        let manager = try makeManager(cache: try makeCache(in: folder.path), loader: try held.makeLoader())
        for option in [nil, Option.scale, nil, .scale] {
            let result = try load(manager, makePNG(width: 16, height: 16), option)
            #expect(result.scale == (option == nil ? 1 : 3))
        }
    }

    @Test func anIncompleteImageIsForLoadsThatAcceptIt() throws {
        let manager = try makeManager(cache: try makeCache(in: folder.path), loader: try held.makeLoader())
        let whole = makePNG(width: 64, height: 64)
        let cut = Array(whole.prefix(whole.count / 2))
        #expect(try load(manager, cut, .acceptPartial).status == .SDIMAGE_STATUS_OK)
        #expect(try load(manager, cut, nil).status == .SDIMAGE_STATUS_TRUNCATED)
    }

    /// The scale of a name is not repeated in the key.
    @Test func theScaleOfTheNameIsInItAlready() throws {
        let manager = try makeManager(cache: try makeCache(in: folder.path), loader: try held.makeLoader())
        for (scale, key) in [(2.0, "test://h/cat@2x.png"), (3, "test://h/cat@2x.png\u{1F}Scale(3.0)")] {
            let request = makeRequest("test://h/cat@2x.png")
            let options = decodeOptions { sdimage_decode_options_set_scale($0, scale) }
            sdimage_request_set_decode_options(request.pointer, options.pointer)
            let data = try make(sdimage_data_unref) {
                sdimage_manager_get_entry_key(manager.pointer, request.pointer, $0, $1)
            }
            let bytes = UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer))
            #expect(String(decoding: bytes, as: UTF8.self) == key)
        }
    }
}
