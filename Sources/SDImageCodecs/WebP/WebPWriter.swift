import SDImage

/// The extended file format around one or more images (RFC 9649, section 2.7). `WebPEncoder` adds the images in order; flags and
/// sizes that are known last are filled in by `finish`.
struct WebPWriter {
    /// Metadata blocks.
    struct Blocks {
        var profile: Bytes?
        var exif: Bytes?
        var xmp: Bytes?

        var isEmpty: Bool { profile == nil && exif == nil && xmp == nil }
    }

    /// Flags in the first byte of the VP8X header.
    private enum Flag {
        static let animation: UInt8 = 1 << 1
        static let xmp: UInt8 = 1 << 2
        static let exif: UInt8 = 1 << 3
        static let alpha: UInt8 = 1 << 4
        static let profile: UInt8 = 1 << 5
    }

    /// Limits of the fields of ANIM and ANMF; the duration is in milliseconds.
    static let mostLoops = 65535
    static let longestDuration = 1 << 24 - 1
    /// Bytes of RIFF, size and WEBP.
    private static let fileHeader = 12
    /// Offset of the flags of VP8X in the file.
    private static let flagsPosition = 20

    private let output: OutputBytes
    private let canvas: PixelSize
    private let blocks: Blocks
    /// Flags of VP8X.
    private var flags: UInt8

    /// `loopCount` is that of an animation, 0 means forever; nil for a still.
    init(canvas: PixelSize, blocks: Blocks, loopCount: Int?) throws(ImageError) {
        output = try OutputBytes(expecting: 1 << 16)
        self.canvas = canvas
        self.blocks = blocks
        flags = loopCount == nil ? 0 : Flag.animation
        flags |= (blocks.profile == nil ? 0 : Flag.profile) | (blocks.exif == nil ? 0 : Flag.exif)
        flags |= blocks.xmp == nil ? 0 : Flag.xmp
        try output.append(Array("RIFF\0\0\0\0WEBP".utf8))
        // Sizes are stored minus one.
        try append("VP8X", [flags, 0, 0, 0] + WebPWriter.u24(canvas.width - 1) + WebPWriter.u24(canvas.height - 1))
        if let profile = blocks.profile { try append("ICCP", profile) }
        guard let loopCount else { return }
        guard loopCount <= WebPWriter.mostLoops else {
            throw .tooLarge("webp: loop count of \(loopCount)", limit: WebPWriter.mostLoops)
        }
        // A transparent background; it has no effect, because every frame covers the canvas.
        try append("ANIM", [0, 0, 0, 0] + [UInt8(loopCount & 255), UInt8(loopCount >> 8 & 255)])
    }

    /// Adds the only image, from a file written by libwebp.
    mutating func add(_ file: Bytes) throws(ImageError) {
        let image = try WebPWriter.imageChunks(file)
        if image.hasAlpha { flags |= Flag.alpha }
        try output.append(image.chunks)
    }

    /// Adds a frame that covers the canvas, replaces its content, and is disposed of to transparent.
    mutating func add(frame file: Bytes, milliseconds: Int) throws(ImageError) {
        let image = try WebPWriter.imageChunks(file)
        if image.hasAlpha { flags |= Flag.alpha }
        guard milliseconds <= WebPWriter.longestDuration else {
            throw .tooLarge("webp: frame duration of \(milliseconds) ms", limit: WebPWriter.longestDuration)
        }
        // Flags of ANMF.
        let isDisposedOf: UInt8 = 1
        let isNotBlended: UInt8 = 2
        let header =
            [0, 0, 0, 0, 0, 0] + WebPWriter.u24(canvas.width - 1) + WebPWriter.u24(canvas.height - 1)
            + WebPWriter.u24(milliseconds) + [isDisposedOf | isNotBlended]
        // The chunks inside have an even length, so the frame needs no padding.
        try appendHeader("ANMF", count: header.count + image.chunks.count)
        try output.append(header)
        try output.append(image.chunks)
    }

    mutating func finish() throws(ImageError) -> Bytes {
        // Metadata follows the images; only the profile precedes them.
        if let exif = blocks.exif { try append("EXIF", exif) }
        if let xmp = blocks.xmp { try append("XMP ", xmp) }
        guard let count = UInt32(exactly: output.count - 8) else {
            throw .tooLarge("webp: file of \(output.count) bytes", limit: Int(UInt32.max))
        }
        output.replace(at: 4, with: WebPWriter.u32(count))
        output.replace(at: WebPWriter.flagsPosition, with: [flags])
        return try output.finish()
    }

    /// Returns the chunks of a file with one image, without the VP8X header.
    private static func imageChunks(_ file: Bytes) throws(ImageError) -> (chunks: Bytes, hasAlpha: Bool) {
        // VP8X with its header: libwebp writes one for lossy images with alpha.
        let extended = 18
        let start = file.reader.matches("VP8X", at: fileHeader) ? fileHeader + extended : fileHeader
        guard let chunks = file.slice(start..<max(start, file.count)) else {
            throw ImageError(.encodeFailed, "webp: libwebp returned no image")
        }
        return (chunks, try WebPContainer.features(file).has_alpha != 0)
    }

    /// Appends a chunk, padded to an even length (RFC 9649, section 2.3).
    private func append(_ name: StaticString, _ content: [UInt8]) throws(ImageError) {
        try appendHeader(name, count: content.count)
        try output.append(content)
        if content.count % 2 != 0 { try output.append([0]) }
    }

    private func append(_ name: StaticString, _ content: Bytes) throws(ImageError) {
        try appendHeader(name, count: content.count)
        try output.append(content)
        if content.count % 2 != 0 { try output.append([0]) }
    }

    private func appendHeader(_ name: StaticString, count: Int) throws(ImageError) {
        guard let count = UInt32(exactly: count) else { throw .tooLarge("webp: chunk size in bytes", limit: Int(UInt32.max)) }
        try output.append((0..<4).map { unsafe name.utf8Start[$0] } + WebPWriter.u32(count))
    }

    private static func u24(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255), UInt8(value >> 16 & 255)] }

    private static func u32(_ value: UInt32) -> [UInt8] { u24(Int(value & 0xFFFFFF)) + [UInt8(value >> 24)] }
}
