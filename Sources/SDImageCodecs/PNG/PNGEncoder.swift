import SDImage

/// Writes stills without loss, as a palette image if they have few colors. `PNGCoder` creates one for each encode; `APNGEncoder`
/// uses it for the parts that stills and frames share.
struct PNGEncoder {
    let options: EncodeOptions
    let stop: CancellationToken
    private let deflater: PNGDeflater
    /// Fast deflater for comparisons only.
    private let sampler: PNGDeflater

    /// Effort, 1 to 9, when the options give none.
    private static let standardEffort = 6

    init(_ options: EncodeOptions, stop: CancellationToken) throws(ImageError) {
        guard !options.isProgressive else { throw ImageError(.unsupported, "png: interlaced encoding is not available") }
        self.options = options
        self.stop = stop
        deflater = try PNGDeflater(effort: options.effort ?? PNGEncoder.standardEffort, stop: options.isCancellable ? stop : nil)
        sampler = try PNGDeflater(effort: 1)
    }

    /// Returns the file, with a palette if the image has few colors.
    func encode(_ image: Image) throws(ImageError) -> Bytes {
        try PNGEncoder.check(image.size)
        // PNG has integers only.
        let image = image.pixels.format == .rgbaFloat ? try image.still.converted(to: .rgba16) : image
        let layout = PNGColorType(image)
        let rows = try ImageRows(image.pixels, as: layout.format)
        if let indexed = try palette(rows) { return try encode(indexed, image.metadata) }
        var file = try PNGWriter()
        try file.chunk("IHDR", PNGColorType.header(image.size, depth: layout.depth, colorType: layout.colorType))
        try writePrelude(image.metadata, isGray: layout.colorType == 0, &file)
        try write(PNGScanlineSource(rows), "IDAT", [], to: &file)
        return try file.finish()
    }

    /// PNG integers have 31 bits (section 7.1).
    static func check(_ size: PixelSize) throws(ImageError) {
        guard max(size.width, size.height) <= Int32.max else {
            throw .tooLarge("png: longer side of \(size.width)x\(size.height) pixels", limit: Int(Int32.max))
        }
    }

    // MARK: Palette

    /// Returns the image as indices; nil when there are too many colors or a palette would not pay off.
    private func palette(_ rows: ImageRows) throws(ImageError) -> IndexedImage? {
        // A palette holds colors of 8 bits, and gray needs none.
        guard rows.format == .rgb8 || rows.format == .rgba8,
            let indexed = try IndexedImage(rows, account: options.account, stop: stop),
            let pixels = rows.size.pixelCount, indexed.palette.count * 4 <= pixels
        else { return nil }
        return indexed
    }

    /// Writes an image with a palette.
    private func encode(_ indexed: IndexedImage, _ metadata: ImageMetadata) throws(ImageError) -> Bytes {
        let colors = indexed.palette
        // The smallest depth for the indices: rows of 1, 2 or 4 bits are packed.
        let bits = [1, 2, 4].first { colors.count <= 1 << $0 } ?? 8
        var file = try PNGWriter()
        try file.chunk("IHDR", PNGColorType.header(indexed.indices.size, depth: UInt8(bits), colorType: 3))
        let prelude = PNGAncillaryWriter(metadata, options, isGray: false)
        // The order of chunks: color, PLTE, tRNS, metadata, data (PNG, third edition, section 5.6).
        try prelude.writeColor(&file, deflater: deflater)
        try file.chunk("PLTE", colors.flatMap { color in (0..<3).map { UInt8(truncatingIfNeeded: color >> (8 * $0)) } })
        // Colors that are not opaque come first, so tRNS ends with the last of them.
        let alphas = colors.map { UInt8($0 >> 24) }.filter { $0 < 255 }
        if !alphas.isEmpty { try file.chunk("tRNS", alphas) }
        try prelude.writeBlocks(&file)
        let stored = bits < 8 ? try indexed.packed(bits: bits, account: options.account) : indexed.indices
        try write(PNGScanlineSource(ImageRows(stored, as: .gray8)), "IDAT", [], to: &file)
        return try file.finish()
    }

    // MARK: Parts

    /// Writes the chunks before the data of an image without a palette.
    func writePrelude(
        _ metadata: ImageMetadata, isGray: Bool = false, _ file: inout PNGWriter
    ) throws(ImageError) {
        let prelude = PNGAncillaryWriter(metadata, options, isGray: isGray)
        try prelude.writeColor(&file, deflater: deflater)
        try prelude.writeBlocks(&file)
    }

    /// Chooses a filter unless one is given, and writes the rows as one chunk.
    func write(
        _ rows: PNGScanlineSource, _ name: StaticString, _ head: [UInt8], filter: PNGFilterType? = nil, to file: inout PNGWriter
    ) throws(ImageError) {
        let lines = try PNGScanlineFilter(rows, account: options.account)
        let chosen = if let filter { filter } else { try lines.bestFilter(for: sampler).filter }
        let filtered = try lines.filtered(chosen, stop: stop)
        do throws(ImageError) {
            unsafe try file.chunk(name, head, packed: UnsafeRawBufferPointer(filtered.bytes), by: deflater)
        } catch {
            // Compression that `stop` ended fails without its reason.
            try stop.check()
            throw error
        }
        try stop.check()
    }

    /// The filter that compresses a sample of the rows best, and the compressed size of that sample.
    func bestFilter(_ rows: PNGScanlineSource) throws(ImageError) -> (filter: PNGFilterType, cost: Int) {
        try PNGScanlineFilter(rows, account: options.account).bestFilter(for: sampler)
    }
}
