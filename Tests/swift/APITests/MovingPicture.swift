import CSDImage

/// Encoded animations of single-color frames.
enum MovingPicture {
    /// Each frame is one gray value: 10 n + 5 for frame `n`.
    static func bytes(
        _ count: Int, _ format: sdimage_format, side: UInt32 = 8, duration: UInt32 = 100, loops: UInt32 = 0
    ) throws -> [UInt8] {
        let grays = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 10 + 5) }
        return try bytes(of: grays, format, side: side, duration: duration, loops: loops)
    }

    static func bytes(
        of grays: [UInt8], _ format: sdimage_format = .SDIMAGE_FORMAT_PNG, side: UInt32 = 8, duration: UInt32 = 100,
        loops: UInt32 = 0
    ) throws -> [UInt8] {
        let frames = try grays.map { gray in
            try DrawnPicture.draw(Int(side), Int(side), .SDIMAGE_PIXEL_FORMAT_RGBA8) { _, _ in [gray, gray, gray, 255] }
        }
        let pointers = frames.map { Optional($0.pointer) }
        let durations = [UInt32](repeating: duration, count: frames.count)
        let image = try make(sdimage_image_unref) {
            sdimage_image_new_animation(pointers, durations, frames.count, loops, $0, $1)
        }
        withExtendedLifetime(frames) {}
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        sdimage_encode_options_set_lossless(options.pointer, true)
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, format, options.pointer, $0, $1) }
        let bytes = UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer))
        return Array(bytes)
    }

    static func image(_ bytes: [UInt8]) throws -> Owned {
        try make(sdimage_image_unref) { sdimage_decode(bytes, bytes.count, nil, $0, $1) }
    }
}
