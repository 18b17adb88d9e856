import Glibc
import SDImage
import SDImagePixels

/// Writes the signature and chunks of a data stream (PNG, third edition, sections 5.2 and 5.3). `PNGEncoder` and `APNGEncoder`
/// write the chunks in the order of the file.
struct PNGWriter: ~Copyable {
    private var file = ByteBuilder(limit: Int.max)

    init() throws(ImageError) { try file.append([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) }

    /// Writes a chunk whose data are `data` and `rest`.
    mutating func chunk(_ name: StaticString, _ data: [UInt8], _ rest: Bytes = .empty) throws(ImageError) {
        let head = data.span
        unsafe try head.withUnsafeBytes { head throws(ImageError) in
            unsafe try rest.withUnsafeBytes { rest throws(ImageError) in
                let count = head.count + rest.count
                unsafe try chunk(name, upTo: count) { body in
                    unsafe body.copyMemory(from: head)
                    unsafe UnsafeMutableRawBufferPointer(rebasing: body[head.count...]).copyMemory(from: rest)
                    return count
                }
            }
        }
    }

    /// Writes a chunk of a few bytes and a compressed stream.
    mutating func chunk(
        _ name: StaticString, _ head: [UInt8], packed data: UnsafeRawBufferPointer, by deflater: PNGDeflater
    ) throws(ImageError) {
        try unsafe chunk(name, upTo: head.count + deflater.bound(data.count)) { body in
            unsafe body.copyBytes(from: head)
            let count = unsafe deflater.pack(data, into: UnsafeMutableRawBufferPointer(rebasing: body[head.count...]))
            return count > 0 ? head.count + count : -1
        }
    }

    /// Writes IEND and returns the file.
    mutating func finish() throws(ImageError) -> Bytes {
        try chunk("IEND", [])
        return file.finish()
    }

    /// Writes a chunk. `fill` writes its data, at most `count` bytes, and returns their number, or -1 on failure.
    private mutating func chunk(
        _ name: StaticString, upTo count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(ImageError) {
        let (room, overflow) = count.addingReportingOverflow(12)
        guard !overflow else { throw .tooLarge("png: chunk of \(count) bytes", limit: Int(Int32.max)) }
        // Room for the largest result: the length is known only after the data were written.
        _ = unsafe try file.append(upTo: room) { memory throws(ImageError) in
            let body = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[8..<memory.count - 4])
            let written = unsafe fill(body)
            guard written >= 0 else { throw ImageError(.encodeFailed, "png: compression failed") }
            guard let length = UInt32(exactly: written), length <= Int32.max else {
                throw .tooLarge("png: chunk of \(written) bytes", limit: Int(Int32.max))
            }
            // Length, type, data, and the check sum of type and data.
            unsafe memory.storeBytes(of: length.bigEndian, toByteOffset: 0, as: UInt32.self)
            unsafe memory.storeBytes(of: PNGChunk.name(name).bigEndian, toByteOffset: 4, as: UInt32.self)
            let sum = unsafe sdpx_crc32(0, memory.baseAddress.map { unsafe $0 + 4 }, written + 4)
            unsafe memory.storeBytes(of: sum.bigEndian, toByteOffset: 8 + written, as: UInt32.self)
            return written + 12
        }
    }
}

extension Int {
    /// Big-endian bytes of a 32-bit PNG integer.
    var pngBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) } }
}
