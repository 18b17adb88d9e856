import CPNG
import SDImage
import SDImagePixels

/// Inflates the zlib stream of an image in pieces, with the inflater of this project or, if that is disabled, with zlib. Used by
/// one thread at a time.
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

    /// Compressed bytes between two checks of the token: blocks without output cost as much as 300 ns per byte.
    private static let bytesPerCheck = 64 << 10

    /// State of the inflater of this project; empty when zlib inflates.
    private let memory: ScratchMemory
    /// State of zlib; nil when it is not used.
    private let zlib: OpaquePointer?
    /// Compressed bytes that are not released yet, and the index of the part to read next.
    private var parts: [Bytes]
    private var part = 0
    /// Offset in the current part.
    private var offset = 0
    /// Bytes of the released parts.
    private var taken = 0

    /// `parts` of one zlib stream, in order; more may be appended.
    init(_ parts: [Bytes], limits: DecodeLimits) throws(ImageError) {
        self.parts = parts
        guard limits.disabledParsers.contains(.inflate) else {
            memory = try ScratchMemory(sdpx_inflater_size())
            unsafe zlib = nil
            unsafe sdpx_inflate_start(inflater)
            return
        }
        memory = try ScratchMemory(0)
        guard let opened = unsafe cpng_inflater_open() else { throw .noMemory(1) }
        unsafe zlib = opened
    }

    deinit { unsafe cpng_inflater_close(zlib) }

    /// True when the inflater of this project is disabled.
    var usesZlib: Bool { unsafe zlib != nil }

    /// Number of consumed bytes of the stream.
    var usedBytes: Int {
        let consumed = taken + parts.prefix(part).reduce(0) { $0 + $1.count } + offset
        // The inflater of this project loads whole words and reads a few bytes ahead.
        return usesZlib ? consumed : unsafe consumed - sdpx_inflate_ahead(inflater)
    }

    private var inflater: OpaquePointer? { unsafe memory.bytes.baseAddress.map { OpaquePointer($0) } }

    /// Appends a part; releases the consumed ones.
    func append(_ next: Bytes) {
        taken += parts.prefix(part).reduce(0) { $0 + $1.count }
        parts.removeFirst(min(part, parts.count))
        part = 0
        parts.append(next)
    }

    /// Inflates into `window` from `position`, which is advanced; throws, without advancing it, when the operation must end.
    /// The bytes before `position` are the history that matches refer to.
    func fill(
        _ window: UnsafeMutableRawBufferPointer, from position: inout Int, stop: CancellationToken
    ) throws(ImageError) -> State {
        guard let base = unsafe window.bindMemory(to: UInt8.self).baseAddress, position <= window.count else { return .isFull }
        let start = position
        // A part is a chunk, or a piece of one; the stream does not notice their borders.
        while part < parts.count {
            do throws(ImageError) { try stop.check() } catch {
                // The caller gets the bytes inflated so far, and the error from its next call.
                guard position > start else { throw error }
                return .isFull
            }
            let state = unsafe fill(base, capacity: window.count, from: &position, with: parts[part])
            if state != .needsInput { return state }
            guard offset >= parts[part].count else { continue }
            part += 1
            offset = 0
        }
        return .needsInput
    }

    /// Inflates the next bytes of a part; `needsInput` means that they are consumed.
    private func fill(
        _ window: UnsafeMutablePointer<UInt8>, capacity: Int, from position: inout Int, with part: Bytes
    ) -> State {
        unsafe part.withUnsafeBytes { bytes in
            guard let first = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return .needsInput }
            var next: UnsafePointer<UInt8>? = unsafe first + offset
            let end = unsafe first + min(bytes.count, offset + PNGInflater.bytesPerCheck)
            let state =
                if let zlib = unsafe zlib {
                    unsafe PNGInflater.state(cpng_inflate_some(zlib, &next, end, window, &position, capacity))
                } else {
                    unsafe PNGInflater.state(sdpx_inflate(inflater, &next, end, window, &position, capacity))
                }
            if let next = unsafe next { offset = unsafe next - first }
            return state
        }
    }

    private static func state(_ code: Int32) -> State {
        switch Int(code) {
        case SDPX_INFLATE_NEEDS_INPUT: .needsInput
        case SDPX_INFLATE_IS_FULL: .isFull
        case SDPX_INFLATE_ENDED: .ended
        default: .damaged
        }
    }

    private static func state(_ code: cpng_inflate_status) -> State {
        switch code {
        case CPNG_INFLATE_NEEDS_INPUT: .needsInput
        case CPNG_INFLATE_IS_FULL: .isFull
        case CPNG_INFLATE_ENDED: .ended
        default: .damaged
        }
    }
}
