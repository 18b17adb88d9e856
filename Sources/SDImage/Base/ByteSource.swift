/// Random access to encoded bytes that are not necessarily all in memory. Several threads read at once.
/// Lets decoders read parts of a file, of memory, or of a source of the host.
package protocol ByteSource: AnyObject, Sendable {
    /// Fixed for the life of the source.
    var size: UInt64 { get }
    /// Copies bytes from `offset` on; returns their number, which is less than requested only at the end.
    /// Returns 0 for an offset past the end.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int
}

extension ByteSource {
    /// Reads `count` bytes, or fewer at the end. The caller has limited `count`.
    package func bytes(_ count: Int, at offset: UInt64 = 0) throws(ImageError) -> Bytes {
        let count = Int(clamping: min(UInt64(max(count, 0)), size > offset ? size - offset : 0))
        var builder = ByteBuilder(limit: count)
        var missing = count
        // A source of the host may return less than requested; only 0 ends the data.
        while missing > 0 {
            let position = offset + UInt64(builder.count)
            let wanted = missing
            let got = unsafe try builder.append(upTo: wanted) { room throws(ImageError) in
                unsafe try self.read(at: position, into: room)
            }
            if got == 0 { break }
            missing -= got
        }
        return builder.finish()
    }
}

/// Source that reads from bytes in memory.
package final class MemorySource: ByteSource {
    private let bytes: Bytes

    package init(_ bytes: Bytes) { self.bytes = bytes }

    package var size: UInt64 { UInt64(clamping: bytes.count) }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int {
        guard let start = Int(exactly: offset), start < bytes.count, let base = unsafe bytes.pointer else { return 0 }
        let count = min(buffer.count, bytes.count - start)
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(start: base + start, count: count))
        return count
    }
}
