import CDeflate
import CPNG
import SDImage

/// Compresses to zlib streams (RFC 1950) in memory. libdeflate compresses in one call that cannot be cancelled; long data that a
/// caller may cancel goes through zlib, piece by piece. Used by one thread: a compressor of libdeflate has state.
@safe final class PNGDeflater {
    /// Length from which data that may be cancelled is compressed by zlib. libdeflate takes up to 0.3 s for 16 MiB of noise.
    private static let longBytes = 16 << 20

    private let compressor: OpaquePointer
    private let effort: Int
    private let stop: CancellationToken?

    /// `effort` is 1 to 9. The levels of libdeflate above 9 search for the best encoding of a block. `stop` ends the compression
    /// of long data.
    init(effort: Int, stop: CancellationToken? = nil) throws(ImageError) {
        let levels: [Int32] = [1, 2, 3, 4, 5, 6, 8, 10, 12]
        self.effort = min(max(effort, 1), levels.count)
        self.stop = stop
        guard let made = unsafe libdeflate_alloc_compressor(levels[self.effort - 1]) else { throw .noMemory(1) }
        unsafe compressor = unsafe made
    }

    deinit { unsafe libdeflate_free_compressor(compressor) }

    /// Upper bound of the compressed size.
    func bound(_ count: Int) -> Int { unsafe libdeflate_zlib_compress_bound(compressor, count) }

    /// Returns the compressed size; 0 when `room` is too small or `stop` has ended the compression.
    func pack(_ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
        guard let to = room.baseAddress else { return 0 }
        if let stop, bytes.count > PNGDeflater.longBytes {
            return unsafe cpng_deflate(
                Int32(effort), to, room.count, bytes.baseAddress, bytes.count,
                { context in
                    guard let context = unsafe context else { return true }
                    let stop = unsafe Unmanaged<CancellationToken>.fromOpaque(context).takeUnretainedValue()
                    do throws(ImageError) { try stop.check() } catch { return true }
                    return false
                }, Unmanaged.passUnretained(stop).toOpaque())
        }
        return unsafe libdeflate_zlib_compress(compressor, bytes.baseAddress, bytes.count, to, room.count)
    }

    static var libraryVersion: String { LIBDEFLATE_VERSION_STRING }
}
