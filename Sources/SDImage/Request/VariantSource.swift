/// Properties of the original of a stored variant (thumbnail or transformed image) that the variant does not show. They follow the record of the response in
/// the metadata of the entry, where earlier versions of the library ignore them.
package struct VariantSource: Hashable, Sendable {
    /// Size of the original as displayed; empty if it is unknown.
    /// Pixels; sides above 32 bits do not occur.
    package var size: PixelSize
    /// True if the original was decoded only partially because of damage.
    package var isDamaged: Bool

    /// `metadata`: that of the variant before it is encoded.
    package init(_ metadata: ImageMetadata) {
        size = metadata.sourceSize ?? PixelSize(width: 0, height: 0)
        isDamaged = metadata.isDamaged
    }

    /// First byte of the encoding, and its length.
    private static let mark: UInt8 = 1
    private static let length = 10

    /// The mark, width and height in four bytes each, little-endian, and flags.
    /// Written by `CachedData.variantSource`.
    var encoded: [UInt8] {
        var bytes = [VariantSource.mark]
        for side in [size.width, size.height] {
            for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: side >> shift)) }
        }
        bytes.append(isDamaged ? 1 : 0)
        return bytes
    }

    /// nil for other bytes.
    init?(encoded bytes: [UInt8]) {
        guard bytes.count == VariantSource.length, bytes.first == VariantSource.mark else { return nil }
        // Little-endian: the highest byte is the last.
        let sides = [bytes[1...4], bytes[5...8]].map { side in side.reversed().reduce(0) { $0 << 8 | Int($1) } }
        size = PixelSize(width: sides[0], height: sides[1])
        isDamaged = bytes[9] & 1 != 0
    }
}

extension Image {
    /// The image of a variant with the properties of its original; the size of the original is unknown without them.
    package func variant(of source: VariantSource?) -> Image {
        var metadata = metadata
        metadata.sourceSize = source?.size ?? PixelSize(width: 0, height: 0)
        metadata.isDamaged = metadata.isDamaged || source?.isDamaged ?? false
        return with(metadata)
    }
}
