import CSDImage
import Foundation

/// A host coder for gray images of its own format: "LAMP", then width, height, orientation and frame count, one byte each, then
/// the rows of all frames. It neither scales, rotates nor converts.
final class LampCoder: @unchecked Sendable {
    // Unchecked: the other properties are set before the calls.
    /// Numbers of instances.
    private let counts = Locked((opened: 0, ended: 0))
    var opened: Int { counts.get().opened }
    /// Fails to read headers, as coders do that find metadata cut off.
    var refusesHeaders = false
    /// The number of frames that it states, in place of the true one.
    var statedFrames: UInt32?
    /// The color profile that it reports for its pixels.
    var profile: Owned?

    static let header = 8

    /// Waits until `count` instances were destroyed: at once, or on the callback thread when other tests run the engine.
    func waitForEnd(of count: Int) -> Bool { counts.wait { $0.ended >= count } && counts.get().ended == count }

    /// A file of the format; pixel x, y of frame n is x + 10 y + 100 n.
    static func file(width: UInt8, height: UInt8, orientation: UInt8 = 1, frames: UInt8 = 1) -> [UInt8] {
        var bytes = Array("LAMP".utf8) + [width, height, orientation, frames]
        for frame in 0..<Int(frames) {
            for y in 0..<Int(height) { bytes += (0..<Int(width)).map { UInt8(truncatingIfNeeded: $0 + 10 * y + 100 * frame) } }
        }
        return bytes
    }

    /// One incremental decode.
    private final class Instance {
        let coder: LampCoder
        var bytes: [UInt8] = []
        var isFinished = false

        init(_ coder: LampCoder) { self.coder = coder }

        var frameBytes: Int { bytes.count < LampCoder.header ? 0 : Int(bytes[4]) * Int(bytes[5]) }
        var wholeFrames: Int { frameBytes == 0 ? 0 : min(Int(bytes[7]), (bytes.count - LampCoder.header) / frameBytes) }

        static func of(_ pointer: UnsafeMutableRawPointer?) -> Instance { Unmanaged.fromOpaque(pointer!).takeUnretainedValue() }
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> LampCoder {
        Unmanaged.fromOpaque(pointer!).takeUnretainedValue()
    }

    private static func missing(_ error: UnsafeMutablePointer<OpaquePointer?>?) -> sdimage_status {
        error?.pointee = sdimage_error_new(.SDIMAGE_STATUS_TRUNCATED, "the lamp is short")
        return .SDIMAGE_STATUS_TRUNCATED
    }

    /// Returns frame `index` of the bytes; pixels after the end of the bytes are black.
    private func store(
        _ bytes: [UInt8], _ index: Int, _ image: UnsafeMutablePointer<OpaquePointer?>?,
        _ error: UnsafeMutablePointer<OpaquePointer?>?
    ) -> sdimage_status {
        let width = Int(bytes[4]), height = Int(bytes[5])
        var made: OpaquePointer?
        var pixels: UnsafeMutableRawPointer?
        var stride = 0
        let status = sdimage_image_new_uninitialized(
            UInt32(width), UInt32(height), .SDIMAGE_PIXEL_FORMAT_GRAY8, &made, &pixels, &stride, error)
        guard status == .SDIMAGE_STATUS_OK, let pixels else { return status }
        for y in 0..<height {
            for x in 0..<width {
                let position = LampCoder.header + width * height * index + y * width + x
                pixels.storeBytes(of: position < bytes.count ? bytes[position] : 0, toByteOffset: y * stride + x, as: UInt8.self)
            }
        }
        defer { sdimage_image_unref(made) }
        var metadata: OpaquePointer?
        sdimage_image_copy_metadata(made, &metadata, nil)
        defer { sdimage_metadata_unref(metadata) }
        describe(bytes, metadata)
        return sdimage_image_with_metadata(made, metadata, image, error)
    }

    private func describe(_ bytes: [UInt8], _ metadata: OpaquePointer?) {
        let isTurned = bytes[6] >= 5
        sdimage_metadata_set_source_size(metadata, UInt32(bytes[isTurned ? 5 : 4]), UInt32(bytes[isTurned ? 4 : 5]))
        sdimage_metadata_set_orientation(metadata, sdimage_orientation(rawValue: UInt32(bytes[6]))!)
        sdimage_metadata_set_bits_per_channel(metadata, 8)
        sdimage_metadata_set_channels(metadata, 1)
        sdimage_metadata_set_color_profile(metadata, profile?.pointer)
    }

    func makeCoder() throws -> Owned {
        var table = sdimage_coder_vtable()
        table.size = MemoryLayout<sdimage_coder_vtable>.size
        table.can_decode = { _, bytes, length in length >= 4 && memcmp(bytes!, "LAMP", 4) == 0 }
        table.decode = { userData, bytes, length, _, image, error in
            let bytes = Array(UnsafeRawBufferPointer(start: bytes, count: length))
            guard length >= LampCoder.header, length >= LampCoder.header + Int(bytes[4]) * Int(bytes[5]) * Int(bytes[7]) else {
                return LampCoder.missing(error)
            }
            return LampCoder.of(userData).store(bytes, 0, image, error)
        }
        table.info = { userData, bytes, length, metadata, error in
            guard length >= LampCoder.header, !LampCoder.of(userData).refusesHeaders else { return LampCoder.missing(error) }
            let bytes = Array(UnsafeRawBufferPointer(start: bytes, count: length))
            LampCoder.of(userData).describe(bytes, metadata)
            sdimage_metadata_set_frame_count(metadata, UInt32(bytes[7]))
            sdimage_metadata_set_loop_count(metadata, 3)
            sdimage_metadata_set_duration_ms(metadata, 70 * UInt64(bytes[7]))
            return .SDIMAGE_STATUS_OK
        }
        addInstances(&table)
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try make(sdimage_coder_unref) {
            sdimage_coder_new_custom(
                "lamp", &table, userData, { Unmanaged<LampCoder>.fromOpaque($0!).release() }, $0, $1)
        }
    }

    private func addInstances(_ table: inout sdimage_coder_vtable) {
        table.open = { userData, _, instance, _ in
            let coder = LampCoder.of(userData)
            coder.counts.change { $0.opened += 1 }
            instance!.pointee = Unmanaged.passRetained(Instance(coder)).toOpaque()
            return .SDIMAGE_STATUS_OK
        }
        table.instance_update = { _, instance, bytes, length, isFinished, error in
            let instance = Instance.of(instance)
            instance.bytes = Array(UnsafeRawBufferPointer(start: bytes, count: length))
            instance.isFinished = isFinished
            guard isFinished, length < LampCoder.header || instance.wholeFrames < Int(instance.bytes[7]) else {
                return .SDIMAGE_STATUS_OK
            }
            return LampCoder.missing(error)
        }
        table.instance_image = { _, instance, image, error in
            let instance = Instance.of(instance)
            guard instance.frameBytes > 0 else { return .SDIMAGE_STATUS_NEED_MORE_DATA }
            return instance.coder.store(instance.bytes, 0, image, error)
        }
        table.instance_frame_count = { _, instance in
            let instance = Instance.of(instance)
            return instance.coder.statedFrames ?? UInt32(instance.wholeFrames)
        }
        table.instance_loop_count = { _, _ in 3 }
        table.instance_duration_ms = { _, _, _ in 70 }
        table.instance_frame = { _, instance, index, image, error in
            let instance = Instance.of(instance)
            return instance.coder.store(instance.bytes, Int(index), image, error)
        }
        table.instance_destroy = { _, instance in
            let instance = Unmanaged<Instance>.fromOpaque(instance!).takeRetainedValue()
            instance.coder.counts.change { $0.ended += 1 }
        }
    }
}
