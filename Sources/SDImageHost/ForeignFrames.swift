import CSDImage
import SDImage

/// Frames made by the host: the adapter of `sdimage_frame_provider_vtable` (include/sdimage/sys/frames.h). Any thread may call,
/// several at once.
package final class ForeignFrames: FrameProvider {
    private let host: ForeignTable<sdimage_frame_provider_vtable>

    package init(_ table: UnsafePointer<sdimage_frame_provider_vtable>?, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_frame_provider_vtable>.offset(of: \.duration_ms) ?? 0
        let copy = unsafe try Input.table(table, size: size, required: required, empty: sdimage_frame_provider_vtable())
        guard unsafe copy.frame_count != nil, unsafe copy.frame != nil else {
            throw ImageError(.invalidArgument, "animation: vtable lacks frame_count or frame")
        }
        host = ForeignTable(copy, foreign)
    }

    /// Maximum number of frames: players and images iterate over all frames, each a call of the host.
    private static let mostFrames = 1 << 20

    package var frameCount: Int {
        min(Int(clamping: unsafe host.table.frame_count?(host.userData) ?? 0), ForeignFrames.mostFrames)
    }
    package var loopCount: Int { Int(clamping: unsafe host.table.loop_count?(host.userData) ?? 0) }
    /// True while further frames may be added.
    package var isGrowing: Bool { unsafe host.table.is_growing?(host.userData) ?? false }

    package var encoded: Bytes? {
        guard let data = unsafe host.table.bytes?(host.userData) else { return nil }
        defer { unsafe Handle.unref(data, as: Bytes.self) }
        return unsafe Handle.find(data, as: Bytes.self)
    }

    package func durationMilliseconds(at index: Int) -> Int {
        let count = frameCount
        guard index >= 0, index < count, let number = UInt32(exactly: index) else { return 0 }
        // Without a function, each frame takes 100 ms.
        return Int(clamping: unsafe host.table.duration_ms?(host.userData, number) ?? 100)
    }

    package func frame(at index: Int, stop: CancellationToken) throws(ImageError) -> Image {
        let count = frameCount
        guard index >= 0, index < count, let number = UInt32(exactly: index) else { throw .noFrame(index, of: count) }
        var image: Object = nil
        var error: Object = nil
        let status = unsafe host.table.frame?(host.userData, number, &image, &error)
        return unsafe try ForeignCoder.take(status, image, error).still
    }
}
