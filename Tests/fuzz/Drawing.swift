import SDImage

/// Choices drawn from the first bytes of an input; zeros after its end.
struct Drawing {
    private var rest: Slice<FuzzTarget.Input>

    init(_ input: FuzzTarget.Input) { rest = input[...] }

    /// The bytes not drawn yet.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: rest)) }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }
    mutating func flag() -> Bool { byte() & 1 == 1 }
    mutating func number(below limit: Int) -> Int { Int(byte()) % limit }
    mutating func number16() -> Int { Int(byte()) << 8 | Int(byte()) }
}

extension DecodeLimits {
    /// Limits small enough for thousands of images per second.
    static let fuzzing = {
        var limits = DecodeLimits()
        limits.streamedPixels = 1 << 18
        limits.heldPixels = 1 << 18
        limits.outputBytes = 2 << 20
        limits.workingBytes = 8 << 20
        limits.frames = 64
        limits.metadataBytes = 1 << 18
        return limits
    }()
}

extension Bytes {
    /// A block of exactly this size, to detect reads past its end.
    static func exact(_ bytes: UnsafeRawBufferPointer) -> Bytes { (try? Bytes.copying(bytes)) ?? .empty }
}
