import CSDImage
import SDImageABI

/// Loads of data URLs through the C functions, with arbitrary URLs, and with arbitrary values of requests, options and
/// transformers.
enum RequestTarget {
    static let targets = [FuzzTarget(name: "dataurl", run: dataURL), FuzzTarget(name: "request", run: request)]

    private nonisolated(unsafe) static let manager = {
        let cacheConfig = sdimage_cache_config_new(), config = sdimage_manager_config_new()
        var cache: OpaquePointer?
        var manager: OpaquePointer?
        sdimage_cache_config_set_memory_only(cacheConfig, true)
        sdimage_cache_config_set_max_memory_count(cacheConfig, 16)
        expect(sdimage_cache_new(cacheConfig, &cache, nil) == .SDIMAGE_STATUS_OK, "a cache is made")
        sdimage_manager_config_set_cache(config, cache)
        expect(sdimage_manager_new(config, &manager, nil) == .SDIMAGE_STATUS_OK, "a manager is made")
        sdimage_cache_config_unref(cacheConfig)
        sdimage_manager_config_unref(config)
        sdimage_cache_unref(cache)
        return manager
    }()

    private static let picture =
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR42mP4z8DAAMIM/4EAAB/uBfvxq7p3AAAAAElFTkSuQmCC"

    /// The text after "data:".
    @Sendable private static func dataURL(_ input: FuzzTarget.Input) {
        let url = Array("data:".utf8) + Array(input)
        let request = url.withUnsafeBytes { bytes in
            sdimage_request_new_bytes(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        sdimage_request_set_include_data(request, true)
        load(request)
        sdimage_request_unref(request)
    }

    private static func load(_ request: OpaquePointer?) {
        var result: OpaquePointer?
        var error: OpaquePointer?
        let status = sdimage_manager_load_sync(manager, request, &result, &error)
        expect(status.rawValue >= 0 || error != nil, "a failed load has an error")
        expect(error == nil || sdimage_error_message(error) != nil, "an error has a message")
        touch(sdimage_result_image(result))
        sdimage_result_unref(result)
        sdimage_error_unref(error)
    }

    /// Reads the first and the last byte of the pixels.
    private static func touch(_ image: OpaquePointer?) {
        guard let image, let pixels = sdimage_image_pixels(image) else { return }
        let row = Int(sdimage_image_width(image)) * sdimage_pixel_format_bytes(sdimage_image_pixel_format(image))
        let last = (Int(sdimage_image_height(image)) - 1) * sdimage_image_stride(image) + row - 1
        let sum = UInt32(pixels.load(as: UInt8.self)) + UInt32(pixels.load(fromByteOffset: last, as: UInt8.self))
        expect(sum <= 510, "pixels can be read")
    }

    // MARK: Values

    @Sendable private static func request(_ input: FuzzTarget.Input) {
        var drawing = Drawing(input)
        let request = sdimage_request_new(picture)
        let decode = sdimage_decode_options_new(), encode = sdimage_encode_options_new(), bag = sdimage_options_new()
        // Small, so that the load ends soon with any other setting.
        sdimage_decode_options_set_max_bytes(decode, 1 << 20)
        var steps = 0
        while !drawing.bytes.isEmpty, steps < 24 {
            steps += 1
            switch drawing.number(below: 6) {
            case 0: setDecode(decode, &drawing)
            case 1: setEncode(encode, &drawing)
            case 2: setBag(bag, &drawing)
            case 3: setRequest(request, &drawing)
            default: addTransformer(request, bag, &drawing)
            }
        }
        sdimage_decode_options_set_options(decode, bag)
        sdimage_request_set_decode_options(request, decode)
        sdimage_request_set_encode_options(request, encode)
        sdimage_request_set_options(request, bag)
        load(request)
        encodePicture(encode, &drawing)
        sdimage_decode_options_unref(decode)
        sdimage_encode_options_unref(encode)
        sdimage_options_unref(bag)
        sdimage_request_unref(request)
    }

    private static func encodePicture(_ options: OpaquePointer?, _ drawing: inout Drawing) {
        let image = floats(&drawing)
        var data: OpaquePointer?
        let formats: [sdimage_format] = [.SDIMAGE_FORMAT_JPEG, .SDIMAGE_FORMAT_PNG, .SDIMAGE_FORMAT_GIF, .SDIMAGE_FORMAT_WEBP]
        sdimage_encode(image, formats[drawing.number(below: formats.count)], options, &data, nil)
        sdimage_data_unref(data)
        sdimage_image_unref(image)
    }

    /// 2 by 2 pixels of arbitrary float samples, including NaN.
    private static func floats(_ drawing: inout Drawing) -> OpaquePointer? {
        let samples = (0..<16).map { _ in drawing.double(to: Float.self) }
        var image: OpaquePointer?
        sdimage_image_new(2, 2, 32, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT, samples, &image, nil)
        return image
    }

    /// A value of a C enum, with or without a name.
    private static func anyValue<T: RawRepresentable>(_ raw: T.RawValue) -> T {
        T(rawValue: raw) ?? unsafeBitCast(raw, to: T.self)
    }

    private static func setDecode(_ options: OpaquePointer?, _ drawing: inout Drawing) {
        switch drawing.number(below: 8) {
        case 0:
            sdimage_decode_options_set_thumbnail_size(
                options, drawing.word(), drawing.word(), anyValue(drawing.word()))
        case 1: sdimage_decode_options_set_scale(options, drawing.double(to: Double.self))
        case 2: sdimage_decode_options_set_pixel_format(options, anyValue(drawing.word()))
        case 3: sdimage_decode_options_set_limit_bytes(options, Int(truncatingIfNeeded: drawing.long()))
        case 4: sdimage_decode_options_set_max_pixels(options, drawing.long())
        case 5: sdimage_decode_options_set_early_thumbnail(options, drawing.flag())
        case 6: sdimage_decode_options_set_format_hint(options, anyValue(drawing.word()))
        default: sdimage_decode_options_set_apply_orientation(options, drawing.flag())
        }
    }

    private static func setEncode(_ options: OpaquePointer?, _ drawing: inout Drawing) {
        switch drawing.number(below: 8) {
        case 0: sdimage_encode_options_set_quality(options, drawing.double(to: Double.self))
        case 1: sdimage_encode_options_set_effort(options, drawing.word())
        case 2: sdimage_encode_options_set_max_pixel_size(options, drawing.word(), drawing.word())
        case 3: sdimage_encode_options_set_max_file_size(options, Int(truncatingIfNeeded: drawing.long()))
        case 4: sdimage_encode_options_set_max_colors(options, drawing.word())
        case 5: sdimage_encode_options_set_dithering(options, drawing.double(to: Double.self))
        case 6:
            sdimage_encode_options_set_webp(
                options, anyValue(UInt32(drawing.number(below: 21))), drawing.double(to: Double.self))
        default: sdimage_encode_options_set_loop_count(options, drawing.word())
        }
    }

    private static let names = [
        "radius", "sharpness", "amount", "intensity", "scale", "page", "time", "power", "levels", "angle",
    ]

    private static func setBag(_ bag: OpaquePointer?, _ drawing: inout Drawing) {
        let name = names[drawing.number(below: names.count)]
        switch drawing.number(below: 4) {
        case 0: sdimage_options_set_int64(bag, name, Int64(bitPattern: drawing.long()))
        case 1: sdimage_options_set_double(bag, name, drawing.double(to: Double.self))
        case 2: sdimage_options_set_bool(bag, name, drawing.flag())
        default: sdimage_options_remove(bag, name)
        }
    }

    private static func setRequest(_ request: OpaquePointer?, _ drawing: inout Drawing) {
        switch drawing.number(below: 9) {
        case 0:
            sdimage_request_set_thumbnail_size(
                request, drawing.word(), drawing.word(), anyValue(drawing.word()))
        case 1: sdimage_request_set_timeout_ms(request, drawing.word())
        case 2: sdimage_request_set_max_body_bytes(request, Int(truncatingIfNeeded: drawing.long()))
        case 3: sdimage_request_set_progressive_interval_ms(request, drawing.word())
        case 4: sdimage_request_set_priority(request, anyValue(Int32(bitPattern: drawing.word())))
        case 5: sdimage_request_set_freshness(request, anyValue(drawing.word()))
        case 6: sdimage_request_set_transform_animated(request, drawing.flag())
        case 7: sdimage_request_set_encode_format(request, anyValue(drawing.word()))
        default: sdimage_request_set_progressive(request, drawing.flag())
        }
    }

    private static func addTransformer(_ request: OpaquePointer?, _ bag: OpaquePointer?, _ drawing: inout Drawing) {
        var made: OpaquePointer?
        func number() -> Double { drawing.double(to: Double.self) }
        func color() -> sdimage_color { sdimage_color(red: number(), green: number(), blue: number(), alpha: number()) }
        let mode: sdimage_scale_mode = anyValue(UInt32(drawing.number(below: 4)))
        switch drawing.number(below: 8) {
        case 0: sdimage_transformer_new_resize(number(), number(), mode, &made, nil)
        case 1:
            let resampling: sdimage_resampling = anyValue(UInt32(drawing.number(below: 6)))
            sdimage_transformer_new_resample(number(), number(), mode, resampling, drawing.flag(), &made, nil)
        case 2:
            sdimage_transformer_new_crop(sdimage_rect(x: number(), y: number(), width: number(), height: number()), &made, nil)
        case 3:
            var border = color()
            sdimage_transformer_new_round_corner(number(), drawing.long(), number(), &border, &made, nil)
        case 4: sdimage_transformer_new_rotate(number(), drawing.flag(), &made, nil)
        case 5:
            sdimage_transformer_new_tint(color(), anyValue(UInt32(drawing.number(below: 30))), &made, nil)
        case 6: sdimage_transformer_new_blur(number(), &made, nil)
        default:
            sdimage_transformer_new_filter(sdimage_filter_name(drawing.number(below: sdimage_filter_count())), bag, &made, nil)
        }
        sdimage_request_add_transformer(request, made)
        let image = floats(&drawing)
        var result: OpaquePointer?
        sdimage_image_transform(image, made, &result, nil)
        touch(result)
        sdimage_image_unref(result)
        sdimage_image_unref(image)
        sdimage_transformer_unref(made)
    }
}

extension Drawing {
    fileprivate mutating func word() -> UInt32 {
        (0..<4).reduce(0) { number, _ in number << 8 | UInt32(byte()) }
    }

    fileprivate mutating func long() -> UInt64 { UInt64(word()) << 32 | UInt64(word()) }

    /// A small number, or any bit pattern of a double.
    fileprivate mutating func double<T: BinaryFloatingPoint>(to type: T.Type) -> T {
        let kind = byte()
        return kind < 160 ? T(Int8(bitPattern: byte())) / 4 : T(Double(bitPattern: long()))
    }
}
