import CDeflate
import SDImage

/// Packs to streams of zlib (RFC 1950). In one go: all that is packed lies in memory, and there is no way to stop it.
@safe final class Deflater {
    private let compressor: OpaquePointer

    /// `effort` 1 to 9. The levels of libdeflate above 9 look for the best way through a block.
    init(effort: Int) throws(ImageError) {
        let levels: [Int32] = [1, 2, 3, 4, 5, 6, 8, 10, 12]
        guard let made = unsafe libdeflate_alloc_compressor(levels[min(max(effort, 1), levels.count) - 1]) else {
            throw .noMemory(1)
        }
        unsafe compressor = unsafe made
    }

    deinit { unsafe libdeflate_free_compressor(compressor) }

    /// Room that is enough whatever the bytes are.
    func bound(_ count: Int) -> Int { unsafe libdeflate_zlib_compress_bound(compressor, count) }

    /// How many bytes it became; 0 when there is not enough room.
    func pack(_ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
        guard let to = room.baseAddress else { return 0 }
        return unsafe libdeflate_zlib_compress(compressor, bytes.baseAddress, bytes.count, to, room.count)
    }

    static var libraryVersion: String { LIBDEFLATE_VERSION_STRING }
}
