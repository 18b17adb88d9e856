import Glibc

/// A bitmap in pooled memory: rows from top to bottom, each padded to a multiple of 64 bytes.
///
/// Written by its creator, then immutable inside an `Image`.
@safe package final class PixelBuffer: @unchecked Sendable {
    // Unchecked: written by its creator before it is shared, read-only afterwards.
    package let size: PixelSize
    package let format: PixelFormat
    /// Bytes from one row to the next.
    package let stride: Int
    /// First byte of row 0.
    private let base: UnsafeMutableRawPointer
    /// Frees or returns the memory.
    private let release: @Sendable () -> Void
    /// Share of the working memory that the buffer is counted on.
    private let reservation: WorkingMemory.Reservation?
    /// The memory that can be passed to another process, in a worker; nil elsewhere, and for adopted pixels.
    package let region: (any PixelRegion)?

    /// Bytes from the first row to the end of the last one, with padding.
    package var byteCount: Int { stride * size.height }
    /// Bytes that the buffer keeps allocated; for a view, those of the whole buffer.
    package let heldBytes: Int

    /// Allocates memory from the pool, uninitialized unless `zeroed`. Throws before allocating more than `limit` bytes.
    /// `account`: memory account of the operation; nil for the result of an operation.
    /// Throws `badData` for an empty size, `tooLarge` for a size above a limit, and `noMemory`.
    package init(
        size: PixelSize, format: PixelFormat, limit: Int = DecodeLimits.standard.outputBytes, zeroed: Bool = false,
        account: WorkingMemory? = nil
    ) throws(ImageError) {
        guard !size.isEmpty else { throw ImageError(.badData, "image: empty size \(size.width)x\(size.height)") }
        let stride = try PixelBuffer.stride(width: size.width, format: format)
        let (bytes, overflow) = stride.multipliedReportingOverflow(by: size.height)
        guard !overflow, bytes <= limit else {
            throw .tooLarge("image: decoded size in bytes (\(size.width)x\(size.height) pixels)", limit: limit)
        }
        reservation = if let account { try WorkingMemory.Reservation(bytes, of: account) } else { nil }
        self.size = size
        self.format = format
        self.stride = stride
        heldBytes = bytes
        // In a worker process, pixels are shared with the parent instead of copied.
        region = try SharedPixels.memory?.region(bytes)
        if let region {
            unsafe base = unsafe region.address
            release = {}
            if zeroed, !region.isZeroed { unsafe memset(base, 0, bytes) }
            return
        }
        let block = unsafe try PixelPool.shared.allocate(bytes)
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

    /// Adopts external pixels, which stay valid until `release` is called. `stride * height` must not overflow. `holding`:
    /// bytes that stay allocated for the buffer, when more than its own.
    package init(
        adopting base: UnsafeMutableRawPointer, size: PixelSize, format: PixelFormat, stride: Int,
        holding: Int = 0, release: @escaping @Sendable () -> Void
    ) {
        self.size = size
        self.format = format
        self.stride = stride
        heldBytes = max(holding, stride * size.height)
        reservation = nil
        region = nil
        unsafe self.base = base
        self.release = release
    }

    deinit { release() }

    /// Ends the accounting as working memory, because the buffer becomes the result of its operation or is held longer.
    package func becomeResult() { reservation?.release() }

    /// Bytes of a row, padded to a multiple of 64 and checked for overflow.
    package static func stride(width: Int, format: PixelFormat) throws(ImageError) -> Int {
        let (bytes, overflow) = width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard !overflow, width > 0, bytes <= Int.max - 63 else { throw .tooLarge("image: row size in bytes", limit: Int.max) }
        return (bytes + 63) & ~63
    }

    /// The first byte of row 0; valid as long as this object.
    package var pixels: UnsafeRawPointer { unsafe UnsafeRawPointer(base) }

    /// Row `y`; nil outside the bitmap.
    /// Without the padding.
    package func row(_ y: Int) -> UnsafeRawBufferPointer? {
        guard y >= 0, y < size.height else { return nil }
        return unsafe UnsafeRawBufferPointer(start: base + y * stride, count: size.width * format.bytesPerPixel)
    }

    /// Mutable access for the creator, before the buffer is shared.
    package func mutableRow(_ y: Int) -> UnsafeMutableRawBufferPointer? {
        guard y >= 0, y < size.height else { return nil }
        region?.willWrite()
        return unsafe UnsafeMutableRawBufferPointer(start: base + y * stride, count: size.width * format.bytesPerPixel)
    }

    /// Mutable access for the creator, before the buffer is shared.
    package var mutablePixels: UnsafeMutableRawPointer {
        region?.willWrite()
        return unsafe base
    }
}
