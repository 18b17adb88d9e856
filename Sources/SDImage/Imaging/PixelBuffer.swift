import Glibc

/// A rectangle of pixels in pooled memory: rows top to bottom, each padded to 64 bytes.
///
/// Written while one owner builds it, then frozen inside an `Image`.
@safe package final class PixelBuffer: @unchecked Sendable {
    // Unchecked: written by its one creator before it is shared, read-only afterwards.
    package let size: PixelSize
    package let format: PixelFormat
    /// Bytes from one row to the next.
    package let stride: Int
    private let base: UnsafeMutableRawPointer
    private let release: @Sendable () -> Void
    /// Of working memory.
    private let reservation: WorkingMemory.Reservation?

    package var byteCount: Int { stride * size.height }
    /// What stays allocated for it: of a view all pixels of the whole.
    package let heldBytes: Int

    /// Uninitialised memory from the pool, unless `zeroed`. Refuses more than `limit` bytes before allocating. `account`: that of
    /// the operation, unless the buffer is its result.
    package init(
        size: PixelSize, format: PixelFormat, limit: Int = DecodeLimits.standard.outputBytes, zeroed: Bool = false,
        account: WorkingMemory? = nil
    ) throws(ImageError) {
        guard !size.isEmpty else { throw ImageError(.badData, "picture without pixels") }
        let stride = try PixelBuffer.stride(width: size.width, format: format)
        let (bytes, overflow) = stride.multipliedReportingOverflow(by: size.height)
        guard !overflow, bytes <= limit else { throw .tooLarge("decoded size in bytes", limit: limit) }
        reservation = if let account { try WorkingMemory.Reservation(bytes, of: account) } else { nil }
        let block = unsafe try PixelPool.shared.allocate(bytes)
        self.size = size
        self.format = format
        self.stride = stride
        heldBytes = bytes
        unsafe base = block.base
        let address = unsafe UInt(bitPattern: block.base)
        let capacity = unsafe block.capacity
        release = {
            if let base = unsafe UnsafeMutableRawPointer(bitPattern: address) {
                unsafe PixelPool.shared.release(PixelPool.Block(base: base, capacity: capacity))
            }
        }
        if zeroed { unsafe memset(base, 0, bytes) }
    }

    /// Takes over foreign pixels that stay valid until `release` is called. `stride * height` must not overflow. `holding`:
    /// more bytes than its own that stay allocated for it.
    package init(
        adopting base: UnsafeMutableRawPointer, size: PixelSize, format: PixelFormat, stride: Int,
        holding: Int = 0, release: @escaping @Sendable () -> Void
    ) {
        self.size = size
        self.format = format
        self.stride = stride
        heldBytes = max(holding, stride * size.height)
        reservation = nil
        unsafe self.base = base
        self.release = release
    }

    deinit { release() }

    /// The buffer becomes the result of its operation, or is held longer: no longer working memory.
    package func becomeResult() { reservation?.release() }

    /// Row bytes padded to 64, checked for overflow.
    package static func stride(width: Int, format: PixelFormat) throws(ImageError) -> Int {
        let (bytes, overflow) = width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard !overflow, width > 0, bytes <= Int.max - 63 else { throw .tooLarge("row size in bytes", limit: Int.max) }
        return (bytes + 63) & ~63
    }

    /// The first byte of row 0; lives as long as this object.
    package var pixels: UnsafeRawPointer { unsafe UnsafeRawPointer(base) }

    /// Row `y`, which must lie inside; nil otherwise.
    package func row(_ y: Int) -> UnsafeRawBufferPointer? {
        guard y >= 0, y < size.height else { return nil }
        return unsafe UnsafeRawBufferPointer(start: base + y * stride, count: size.width * format.bytesPerPixel)
    }

    /// For the creator, before the buffer is shared.
    package func mutableRow(_ y: Int) -> UnsafeMutableRawBufferPointer? {
        guard y >= 0, y < size.height else { return nil }
        return unsafe UnsafeMutableRawBufferPointer(start: base + y * stride, count: size.width * format.bytesPerPixel)
    }

    /// For the creator, before the buffer is shared.
    package var mutablePixels: UnsafeMutableRawPointer { unsafe base }
}
