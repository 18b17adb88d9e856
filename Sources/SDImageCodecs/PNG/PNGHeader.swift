import CPNG
import SDImage

/// The chunks before the image data, as read by libpng, which refuses invalid values and order. libpng reads nothing else: the
/// image data are inflated and unfiltered by this project.
struct PNGHeader: Sendable {
    let size: PixelSize
    let depth: Int
    let colorType: Int
    let isInterlaced: Bool
    /// As in `PNGEncodedImage`.
    private let palette: Bytes?
    private let transparency: Bytes?
    /// Offset of the first IDAT chunk.
    private let dataOffset: Int

    static var libraryVersion: String { unsafe String(cString: cpng_library_version()) }

    /// Throws `truncated` if the bytes end before the image data.
    init(_ bytes: Bytes) throws(ImageError) {
        guard let reader = unsafe cpng_open(bytes.pointer, bytes.count) else { throw .noMemory(1) }
        // The message belongs to the reader; `error` copies it before the reader is closed.
        defer { unsafe cpng_close(reader) }
        var header = cpng_header()
        let status = unsafe cpng_read_header(reader, &header)
        guard status == CPNG_OK else { throw unsafe PNGHeader.error(status, reader) }
        size = PixelSize(width: Int(header.width), height: Int(header.height))
        depth = Int(header.depth)
        colorType = Int(header.color_type)
        isInterlaced = header.is_interlaced != 0
        dataOffset = header.data_offset
        palette = try unsafe withUnsafeBytes(of: header.palette) { bytes throws(ImageError) in
            unsafe try PNGHeader.copy(bytes, count: header.palette_length)
        }
        transparency = try unsafe withUnsafeBytes(of: header.transparency) { bytes throws(ImageError) in
            unsafe try PNGHeader.copy(bytes, count: header.transparency_length)
        }
    }

    /// The image properties without its data.
    var encodedImage: PNGEncodedImage {
        PNGEncodedImage(
            size: size, depth: depth, colorType: colorType, isInterlaced: isInterlaced, palette: palette,
            transparency: transparency, parts: [])
    }

    /// A reader at the start of the data.
    var data: PNGDataReader { PNGDataReader(offset: dataOffset) }

    /// Returns the image, or a pass of it, with all available data.
    func filled(_ encodedImage: PNGEncodedImage, from bytes: Bytes, limits: DecodeLimits) throws(ImageError) -> PNGEncodedImage {
        var encodedImage = encodedImage
        var chunks = data
        encodedImage.parts = try chunks.read(bytes, limits: limits)
        encodedImage.ending = chunks.ending ?? .truncated
        return encodedImage
    }

    /// Copies bytes; nil for none.
    private static func copy(_ bytes: UnsafeRawBufferPointer, count: Int) throws(ImageError) -> Bytes? {
        count == 0 ? nil : unsafe try .copying(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
    }

    private static func error(_ status: cpng_status, _ reader: OpaquePointer) -> ImageError {
        let message = unsafe "png: " + String(cString: cpng_message(reader))
        if status == CPNG_TRUNCATED { return ImageError(.truncated, message, libraryCode: Int32(status.rawValue)) }
        return ImageError(status == CPNG_NO_MEMORY ? .noMemory : .badData, message, libraryCode: Int32(status.rawValue))
    }
}
