import CCurl
import SDImage

/// Undoes the content coding of one body while it arrives. Never touched by another thread.
@safe final class ContentDecoder {
    /// The bytes of the content, in pieces; throws to end it.
    typealias Output = (UnsafeRawBufferPointer) throws(ImageError) -> Void

    /// Whether all of the content has come, or none of it.
    var isComplete: Bool { !hasBegun || hasEnded && next?.isComplete ?? true }
    /// A window of 16 MiB, the most of all codings.
    private(set) var hasLargestWindow = false
    private var hasBegun = false
    private let coding: ccurl_coding
    private var hasEnded = false
    private let decoder: OpaquePointer
    private let piece: UnsafeMutablePointer<UInt8>
    /// For what this one makes; nil for the only coding.
    private let next: ContentDecoder?

    /// Codings that this build can undo, by name.
    private static let codings: [String: ccurl_coding] = {
        let found = ccurl_find_decoders()
        let all: [(String, ccurl_coding)] = [
            ("gzip", CCURL_GZIP), ("x-gzip", CCURL_GZIP), ("deflate", CCURL_DEFLATE), ("br", CCURL_BROTLI), ("zstd", CCURL_ZSTD),
        ]
        return Dictionary(all.filter { found & 1 << $0.1.rawValue != 0 }, uniquingKeysWith: { first, _ in first })
    }()

    /// The value of Accept-Encoding.
    static let accepted = ["deflate", "gzip", "br", "zstd"].filter { codings[$0] != nil }.joined(separator: ", ")

    private static let pieceBytes = 64 << 10

    /// For the members of Content-Encoding, in their order; nil without any. More than two, or two that are not both DEFLATE, are
    /// refused: a few bytes could become work without end.
    static func make(for names: [String]) throws(ImageError) -> ContentDecoder? {
        let names = names.filter { $0 != "identity" }
        guard !names.isEmpty else { return nil }
        let kinds = names.compactMap { codings[$0] }
        guard kinds.count == names.count else { throw ImageError(.invalidResponse, "http: content coding is not known") }
        let isBounded = kinds.count == 1 || kinds.count == 2 && kinds.allSatisfy { $0 == CCURL_GZIP || $0 == CCURL_DEFLATE }
        guard isBounded else { throw ImageError(.invalidResponse, "http: too many content codings (\(kinds.count))") }
        // The last one was applied last, and is undone first.
        var made: ContentDecoder?
        for kind in kinds { made = try ContentDecoder(kind, next: made) }
        return made
    }

    private init(_ coding: ccurl_coding, next: ContentDecoder?) throws(ImageError) {
        guard let decoder = unsafe ccurl_decoder_make(coding) else {
            throw ImageError(.noMemory, "http: content decoder could not be prepared")
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

    /// Decodes a piece of the body. What follows the end of the content is passed over.
    func decode(_ bytes: UnsafeRawBufferPointer, _ output: Output) throws(ImageError) {
        var input = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        var left = bytes.count
        if !hasBegun, left > 0, let first = unsafe input?.pointee {
            hasBegun = true
            // The four bits that say 2^24 bytes (RFC 7932, section 9.1).
            hasLargestWindow = coding == CCURL_BROTLI && first & 15 == 15
        }
        while true {
            let before = left
            var made = 0
            let code = unsafe ccurl_decode(decoder, &input, &left, piece, ContentDecoder.pieceBytes, &made)
            guard code == CCURL_MORE || code == CCURL_ENDED else {
                if code == CCURL_NO_MEMORY { throw ImageError(.noMemory, "http: no memory for the content decoder") }
                throw ImageError(.invalidResponse, "http: content does not follow its coding")
            }
            hasEnded = code == CCURL_ENDED
            if made > 0 {
                let decoded = unsafe UnsafeRawBufferPointer(start: piece, count: min(made, ContentDecoder.pieceBytes))
                if let next { unsafe try next.decode(decoded, output) } else { unsafe try output(decoded) }
            }
            let isIdle = made == 0 && left == before
            if isIdle || left == 0 && (hasEnded || made < ContentDecoder.pieceBytes) { return }
        }
    }
}
