import CDeflate
import SDImage

/// Compresses to zlib streams (RFC 1950) in a single call: the complete result is in memory, and compression cannot be cancelled.
@safe final class Deflater {
    private let compressor: OpaquePointer

    /// `effort` is 1 to 9. The levels of libdeflate above 9 search for the best encoding of a block.
    init(effort: Int) throws(ImageError) {
        let levels: [Int32] = [1, 2, 3, 4, 5, 6, 8, 10, 12]
        guard let made = unsafe libdeflate_alloc_compressor(levels[min(max(effort, 1), levels.count) - 1]) else {
            throw .noMemory(1)
        }
        unsafe compressor = unsafe made
    }

    deinit { unsafe libdeflate_free_compressor(compressor) }

    /// Upper bound of the compressed size.
    func bound(_ count: Int) -> Int { unsafe libdeflate_zlib_compress_bound(compressor, count) }

    /// Returns the compressed size; 0 when `room` is too small.
    func pack(_ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
        guard let to = room.baseAddress else { return 0 }
        return unsafe libdeflate_zlib_compress(compressor, bytes.baseAddress, bytes.count, to, room.count)
    }

    static var libraryVersion: String { LIBDEFLATE_VERSION_STRING }
}
