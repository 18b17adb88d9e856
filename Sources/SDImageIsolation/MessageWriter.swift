import SDImage

/// Writes the body of a message: numbers in the byte order of the machine, and texts and bytes after their length.
/// `MessageReader` has the counterpart of each function.
struct MessageWriter: ~Copyable {
    /// Limit of a body: the metadata of an image, of which each block has a limit of its own.
    static let limit = 64 << 20

    private var body = ByteBuilder(limit: limit)
    /// Memory sent with the message. The body refers to it by index.
    private(set) var descriptors: [Descriptor] = []
    /// Pixels that the receiver copies from the arena of this worker: they remain until the next call.
    private(set) var held: [PixelBuffer] = []
    /// The pixel memory of this worker; nil in a host.
    private let memory: WorkerMemory?

    init(_ memory: WorkerMemory? = nil) { self.memory = memory }

    mutating func put<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) throws(ImageError) {
        let copy = number
        var failure: ImageError?
        unsafe withUnsafeBytes(of: copy) { bytes in
            do throws(ImageError) { unsafe try body.append(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    mutating func put(_ flag: Bool) throws(ImageError) { try put(UInt8(flag ? 1 : 0)) }
    mutating func put(_ number: Double) throws(ImageError) { try put(number.bitPattern) }

    mutating func put(_ text: String) throws(ImageError) {
        let utf8 = Array(text.utf8)
        try put(utf8.count)
        try body.append(utf8)
    }

    mutating func put(_ bytes: Bytes) throws(ImageError) {
        try put(bytes.count)
        unsafe try bytes.withUnsafeBytes { bytes throws(ImageError) in unsafe try body.append(bytes) }
    }

    mutating func put(_ size: PixelSize) throws(ImageError) {
        try put(size.width)
        try put(size.height)
    }

    /// Writes whether there is a value, then the value.
    mutating func put<Value>(
        optional value: Value?, _ body: (inout MessageWriter, Value) throws(ImageError) -> Void
    ) throws(ImageError) {
        try put(value != nil)
        if let value { try body(&self, value) }
    }

    /// Writes the index of a descriptor, which the message takes along.
    mutating func put(_ descriptor: Descriptor) throws(ImageError) {
        try put(descriptors.count)
        descriptors.append(descriptor)
    }

    /// Keeps pixels until the host has copied them.
    mutating func hold(_ pixels: PixelBuffer) { held.append(pixels) }

    /// The memory of an arena, if the host does not have it, and this message does not either.
    func unsent(_ arena: ResultArena) -> Descriptor? {
        guard !descriptors.contains(where: { $0 === arena.memory }) else { return nil }
        return memory.map { $0.unsent(arena) } ?? arena.memory
    }

    /// Returns the body; nothing may be written afterwards.
    mutating func finish() -> Bytes { body.finish() }
}
