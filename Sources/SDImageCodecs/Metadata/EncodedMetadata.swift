import SDImage

/// Metadata blocks that all formats share in one form or another. The coder of each format fills it for `info`.
struct EncodedMetadata {
    /// A TIFF block, without the prefix of JPEG.
    private(set) var exif: Bytes?
    private(set) var xmp: Bytes?
    private(set) var colorProfile: Bytes?
    /// Resolution from the container; the one from EXIF is used when the container has none.
    var resolution: Resolution?
    var text: TextList

    /// Maximum bytes of each block.
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
        text = TextList(limit: limit)
    }

    /// Each setter keeps the first block of its kind; empty and oversized blocks are ignored.
    mutating func setExif(_ block: Bytes?) { if exif == nil, let block { exif = allowed(ExifDirectory.block(block)) } }
    mutating func setXMP(_ block: Bytes?) { if xmp == nil { xmp = allowed(block) } }
    mutating func setColorProfile(_ block: Bytes?) { if colorProfile == nil { colorProfile = allowed(block) } }

    /// The block, unless it is empty or exceeds the limit.
    private func allowed(_ block: Bytes?) -> Bytes? { block.flatMap { !$0.isEmpty && $0.count <= limit ? $0 : nil } }

    /// Copies the blocks to the properties of an image.
    func fill(_ info: inout ImageInfo) {
        info.exif = exif
        info.xmp = xmp
        info.colorProfile = colorProfile
        info.dpi = resolution ?? exif.flatMap(ExifResolution.read)
        info.text = text.entries
    }
}
