import CCurl
import SDImage

/// Decodes the content coding of one body while it arrives. Confined to the transfer thread.
/// Made by `Transfer.beginDecoding`. The codings of HTTP are those of RFC 9110, section 8.4.1, RFC 7932 (br) and RFC
/// 8878 (zstd).
@safe final class ContentDecoder {
    /// Receives the decoded content in pieces; throws to stop decoding.
    typealias Output = (UnsafeRawBufferPointer) throws(ImageError) -> Void

    /// True if the content is complete, or none of it has arrived.
    var isComplete: Bool { !hasBegun || hasEnded && next?.isComplete ?? true }
    /// True for a window of 16 MiB, the largest of all codings.
    private(set) var hasLargestWindow = false
    /// True after the first byte.
    private var hasBegun = false
    private let coding: ccurl_coding
    /// True if the last call of the C decoder reached the end of the content.
    private var hasEnded = false
    /// Decoder of the C library; freed with this object.
    private let decoder: OpaquePointer
    /// Output of one call of the C decoder, `pieceBytes` long.
    private let piece: UnsafeMutablePointer<UInt8>
    /// Decoder for the output of this one; nil for the only or innermost coding.
    private let next: ContentDecoder?
    /// Number of bytes that may still be passed to `next`.
    private var allowance = ContentDecoder.firstAllowance

    /// Supported codings of this build, by name.
    /// The libraries for Brotli and Zstandard are found at run time, so a coding may be missing.
    private static let codings: [String: ccurl_coding] = {
        let found = ccurl_find_decoders()
        let all: [(String, ccurl_coding)] = [
            ("gzip", CCURL_GZIP), ("x-gzip", CCURL_GZIP), ("deflate", CCURL_DEFLATE), ("br", CCURL_BROTLI), ("zstd", CCURL_ZSTD),
        ]
        return Dictionary(all.filter { found & 1 << $0.1.rawValue != 0 }, uniquingKeysWith: { first, _ in first })
    }()

    /// The value of Accept-Encoding.
    static let accepted = ["deflate", "gzip", "br", "zstd"].filter { codings[$0] != nil }.joined(separator: ", ")

    /// Maximum number of decoded bytes passed to `output` at once.
    private static let pieceBytes = 64 << 10
    /// Coded bytes hardly shrink when they are coded again. Without this limit, a coding in another one would cost a thousand times
    /// the work of its input, and none of it would count against the size of a body if it decodes to nothing.
    private static let (firstAllowance, allowancePerByte, largestAllowance) = (256 << 10, 16, 1 << 40)

    /// Makes the decoder for the members of Content-Encoding, in their order; nil if there are none. More than two codings, or
    /// two that are not both DEFLATE, are refused: a few bytes could cause unbounded work.
    static func make(for names: [String]) throws(ImageError) -> ContentDecoder? {
        let names = names.filter { $0 != "identity" }
        guard !names.isEmpty else { return nil }
        let kinds = names.compactMap { codings[$0] }
        guard kinds.count == names.count else { throw ImageError(.invalidResponse, "http: unknown content coding") }
        let isBounded = kinds.count == 1 || kinds.count == 2 && kinds.allSatisfy { $0 == CCURL_GZIP || $0 == CCURL_DEFLATE }
        guard isBounded else { throw ImageError(.invalidResponse, "http: combination of \(kinds.count) content codings refused") }
        // The sender applied the last coding last; it is decoded first.
        var made: ContentDecoder?
        for kind in kinds { made = try ContentDecoder(kind, next: made) }
        return made
    }

    /// Throws `noMemory`.
    private init(_ coding: ccurl_coding, next: ContentDecoder?) throws(ImageError) {
        guard let decoder = unsafe ccurl_decoder_make(coding) else {
            throw ImageError(.noMemory, "http: no memory for the content decoder")
        }
        unsafe self.decoder = decoder
        self.coding = coding
        self.next = next
        unsafe piece = .allocate(capacity: ContentDecoder.pieceBytes)
    }

    deinit {
        unsafe ccurl_decoder_free(decoder)
        unsafe piece.deallocate()
    }

    /// Decodes a piece of the body. Bytes after the end of the content are ignored.
    /// Throws `invalidResponse` for bytes that are not of this coding, or that expand another coding too much, `noMemory`, and the
    /// errors of `output`.
    func decode(_ bytes: UnsafeRawBufferPointer, _ output: Output) throws(ImageError) {
        var input = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        var left = bytes.count
        allowance = min(allowance + left * ContentDecoder.allowancePerByte, ContentDecoder.largestAllowance)
        if !hasBegun, left > 0, let first = unsafe input?.pointee {
            hasBegun = true
            // A window of 2^24 bytes is coded as these four bits (RFC 7932, section 9.1).
            hasLargestWindow = coding == CCURL_BROTLI && first & 15 == 15
        }
        // One piece of input may give any number of pieces of output.
        while true {
            let before = left
            var made = 0
            let code = unsafe ccurl_decode(decoder, &input, &left, piece, ContentDecoder.pieceBytes, &made)
            guard code == CCURL_MORE || code == CCURL_ENDED else {
                if code == CCURL_NO_MEMORY { throw ImageError(.noMemory, "http: no memory for the content decoder") }
                throw ImageError(.invalidResponse, "http: body does not match its content coding")
            }
            hasEnded = code == CCURL_ENDED
            if made > 0 {
                let decoded = unsafe UnsafeRawBufferPointer(start: piece, count: min(made, ContentDecoder.pieceBytes))
                if let next {
                    allowance -= decoded.count
                    guard allowance >= 0 else {
                        throw ImageError(.invalidResponse, "http: content coding expands another one too much")
                    }
                    unsafe try next.decode(decoded, output)
                } else {
                    unsafe try output(decoded)
                }
            }
            // No progress: the decoder waits for more input, or has reached its end.
            let isIdle = made == 0 && left == before
            // A full output buffer means that more output may be pending without further input.
            if isIdle || left == 0 && (hasEnded || made < ContentDecoder.pieceBytes) { return }
        }
    }
}
