import SDImage
import SDImagePixels

/// Inflates the zlib stream of an image in pieces. Used by one thread at a time.
@safe final class PNGInflater {
    enum State: Sendable {
        /// All parts are consumed.
        case needsInput
        /// The window is full.
        case isFull
        case ended
        case damaged
    }

    /// Number of previous bytes that must precede new ones, if there are that many (RFC 1951, section 2).
    static let history = 32 << 10

    private let memory: ScratchMemory
    private var parts: [Bytes]
    private var part = 0
    /// Offset in the current part.
    private var offset = 0
    /// Bytes of the released parts.
    private var taken = 0

    init(_ parts: [Bytes]) throws(ImageError) {
        memory = try ScratchMemory(sdpx_inflater_size())
        self.parts = parts
        unsafe sdpx_inflate_start(inflater)
    }

    /// Number of consumed bytes of the stream.
    var usedBytes: Int { unsafe taken + parts.prefix(part).reduce(0) { $0 + $1.count } + offset - sdpx_inflate_ahead(inflater) }

    private var inflater: OpaquePointer? { unsafe memory.bytes.baseAddress.map { OpaquePointer($0) } }

    /// Appends a part; releases the consumed ones.
    func append(_ next: Bytes) {
        taken += parts.prefix(part).reduce(0) { $0 + $1.count }
        parts.removeFirst(min(part, parts.count))
        part = 0
        parts.append(next)
    }

    /// Inflates into `window` from `position`, which is advanced.
    func fill(_ window: UnsafeMutableRawBufferPointer, from position: inout Int) -> State {
        guard let base = unsafe window.bindMemory(to: UInt8.self).baseAddress, position <= window.count else { return .isFull }
        while part < parts.count {
            let state = unsafe fill(base, capacity: window.count, from: &position, with: parts[part])
            if state != .needsInput { return state }
            part += 1
            offset = 0
        }
        return .needsInput
    }

    private func fill(
        _ window: UnsafeMutablePointer<UInt8>, capacity: Int, from position: inout Int, with part: Bytes
    ) -> State {
        unsafe part.withUnsafeBytes { bytes in
            guard let first = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return .needsInput }
            var next: UnsafePointer<UInt8>? = unsafe first + offset
            let code = unsafe sdpx_inflate(inflater, &next, first + bytes.count, window, &position, capacity)
            if let next = unsafe next { offset = unsafe next - first }
            return switch Int(code) {
            case SDPX_INFLATE_NEEDS_INPUT: .needsInput
            case SDPX_INFLATE_IS_FULL: .isFull
            case SDPX_INFLATE_ENDED: .ended
            default: .damaged
            }
        }
    }
}
