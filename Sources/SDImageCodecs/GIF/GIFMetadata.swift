import Glibc
import SDImage

/// Metadata in the extensions of a GIF: comments (GIF89a, section 24), XMP (XMP specification part 3, section 1.1.2), and the
/// color profile in ICC's application extension. For `GIFCoder.info`; a decode does not read it.
struct GIFMetadata {
    private(set) var found: EncodedMetadata
    private let bytes: Bytes
    /// Maximum bytes of a block.
    private let limit: Int
    /// Number of blocks that may still be read.
    private var blocksLeft = TextList.mostEntries

    init(_ bytes: Bytes, limits: DecodeLimits, stop: CancellationToken) throws(ImageError) {
        self.bytes = bytes
        limit = limits.metadataBytes
        found = EncodedMetadata(limit: limit)
        var blocks = GIFBlockReader(bytes)
        guard blocks.readScreen() != nil else { return }
        while blocksLeft > 0, let block = blocks.readBlock() {
            try stop.spend(1)
            switch block {
            case .extension(let label):
                let start = blocks.offset
                guard try blocks.skipSubBlocks(stop) else { return }
                readExtension(label, start..<blocks.offset)
            // Metadata may follow the images.
            case .image: guard try blocks.skipSubBlocks(stop) else { return }
            case .padding: continue
            case .end: return
            }
        }
    }

    /// Reads an extension from its sub-blocks, terminator included.
    private mutating func readExtension(_ label: UInt8, _ content: Range<Int>) {
        // Comment and application extensions.
        if label == 0xFE || label == 0xFF { blocksLeft -= 1 }
        if label == 0xFE, let comment = joined(content.lowerBound, limit: found.text.bytesLeft) {
            found.text.add(Array("comment".utf8), comment, .utf8OrLatin1)
        } else if label == 0xFF, bytes.reader.byte(at: content.lowerBound) == 11 {
            readApplication(content.lowerBound + 1, end: content.upperBound)
        }
    }

    /// Reads an application extension. `name` is the offset of its identifier of 11 bytes, `end` that after its terminator.
    private mutating func readApplication(_ name: Int, end: Int) {
        let reader = bytes.reader
        if reader.matches("XMP DataXMP", at: name) {
            found.setXMP(packet(name + 11..<end))
        } else if reader.matches("ICCRGBG1012", at: name), found.colorProfile == nil {
            found.setColorProfile(joined(name + 11, limit: limit))
        }
    }

    /// Returns the XMP packet, which is stored as is instead of in sub-blocks. It is followed by a 258-byte trailer that leads
    /// every sub-block reader to the end: 1, then 255 down to 0, and the terminator.
    private func packet(_ range: Range<Int>) -> Bytes? {
        let trailer = 258
        let reader = bytes.reader
        guard range.count > trailer else { return nil }
        // The sub-blocks may end at the last byte of the trailer before the terminator.
        let end = reader.byte(at: range.upperBound) == 0 && reader.byte(at: range.upperBound - trailer) != 1 ? 1 : 0
        let first = range.upperBound + end - trailer
        guard reader.byte(at: first) == 1, reader.byte(at: first + 1) == 0xFF, first <= bytes.count else {
            return joined(range.lowerBound, limit: limit)
        }
        return bytes.slice(range.lowerBound..<first)
    }

    /// Joins the data of sub-blocks starting at an offset; nil when they are empty or exceed `limit`.
    private func joined(_ start: Int, limit: Int) -> Bytes? {
        var reader = bytes.reader
        reader.seek(to: start)
        var total = 0
        // Counts first, so that memory is allocated once and never beyond the limit.
        while let length = reader.u8(), length > 0, reader.skip(Int(length)) { total += Int(length) }
        guard total > 0, total <= limit, let source = unsafe bytes.pointer, let memory = unsafe malloc(total) else { return nil }
        reader.seek(to: start)
        var filled = 0
        while let length = reader.u8(), length > 0, filled + Int(length) <= total {
            unsafe memcpy(memory + filled, source + reader.offset, Int(length))
            filled += Int(length)
            reader.skip(Int(length))
        }
        return unsafe Bytes.adopting(malloced: memory, count: filled)
    }
}
