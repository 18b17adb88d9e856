import SDImage

/// Reads the body of a message from another process. Everything is checked: a worker may have been taken over by its image. All
/// functions throw `invalidMessage` for content that a sound process does not send; a host then ends the worker.
struct MessageReader {
    private let bytes: Bytes
    private var reader: ByteReader
    /// The descriptors of the message, which its body names by index.
    private let descriptors: [Descriptor]
    /// The worker that sent the message; nil for a host.
    var worker: DecoderProcess?

    init(_ bytes: Bytes, _ descriptors: [Descriptor]) {
        self.bytes = bytes
        self.descriptors = descriptors
        reader = bytes.reader
    }

    /// True after the last byte; a longer message than expected is invalid.
    var isAtEnd: Bool { reader.remaining == 0 }

    /// A number of any value, in the byte order of the machine.
    mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type = Number.self) throws(ImageError) -> Number {
        let start = reader.offset
        guard reader.skip(MemoryLayout<Number>.size), let base = unsafe bytes.pointer else { throw .invalidMessage }
        return unsafe base.loadUnaligned(fromByteOffset: start, as: Number.self)
    }

    /// One byte that is 0 or 1.
    mutating func flag() throws(ImageError) -> Bool {
        switch try number(UInt8.self) {
        case 0: false
        case 1: true
        default: throw .invalidMessage
        }
    }

    /// A finite number.
    mutating func double() throws(ImageError) -> Double {
        let value = Double(bitPattern: try number())
        guard value.isFinite else { throw .invalidMessage }
        return value
    }

    /// Limit of counts that nothing else limits: sums of them do not overflow.
    static let largestCount = 1 << 48

    /// A number from 0 to `limit`.
    mutating func count(_ limit: Int = largestCount) throws(ImageError) -> Int {
        let count = try number(Int.self)
        guard count >= 0, count <= limit else { throw .invalidMessage }
        return count
    }

    /// A text of at most `limit` bytes; invalid UTF-8 is repaired.
    mutating func text(limit: Int) throws(ImageError) -> String {
        let part = try slice(limit)
        return unsafe part.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// A copy of bytes, which does not keep the message.
    mutating func bytes(limit: Int) throws(ImageError) -> Bytes {
        let part = try slice(limit)
        return unsafe try part.withUnsafeBytes { bytes throws(ImageError) in unsafe try Bytes.copying(bytes) }
    }

    /// Bytes after their length, as a part of the message.
    private mutating func slice(_ limit: Int) throws(ImageError) -> Bytes {
        let length = try count(limit)
        let start = reader.offset
        guard reader.skip(length), let part = bytes.slice(start..<start + length) else { throw .invalidMessage }
        return part
    }

    /// A size of which each side fits 31 bits; it may be empty.
    mutating func size() throws(ImageError) -> PixelSize {
        PixelSize(width: try count(Int(Int32.max)), height: try count(Int(Int32.max)))
    }

    /// A flag, then the value if it is set.
    mutating func optional<Value>(
        _ body: (inout MessageReader) throws(ImageError) -> Value
    ) throws(ImageError) -> Value? {
        try flag() ? try body(&self) : nil
    }

    /// A case of an enum, by its raw value.
    mutating func choice<Choice: RawRepresentable>(
        _: Choice.Type = Choice.self
    ) throws(ImageError) -> Choice where Choice.RawValue: FixedWidthInteger & BitwiseCopyable {
        guard let choice = Choice(rawValue: try number()) else { throw .invalidMessage }
        return choice
    }

    /// The descriptor with the index that the body has here.
    mutating func descriptor() throws(ImageError) -> Descriptor {
        let index = try count()
        guard descriptors.indices.contains(index) else { throw .invalidMessage }
        return descriptors[index]
    }
}

extension ImageError {
    static let invalidMessage = ImageError(.decoderCrashed, "decoder process: invalid message")
}
