import CPNG
import SDImage

/// One pass of libpng over the bytes of a picture.
@safe final class PNGReader {
    private let bytes: Bytes
    private let reader: OpaquePointer
    let header: cpng_header

    /// Reads up to the first picture data. `acceptPartial`: see `cpng_accept_partial`.
    init(_ bytes: Bytes, acceptPartial: Bool = false) throws(ImageError) {
        guard let reader = unsafe cpng_open(bytes.pointer, bytes.count) else { throw .noMemory(1) }
        if acceptPartial { unsafe cpng_accept_partial(reader) }
        var header = cpng_header()
        let status = unsafe cpng_read_header(reader, &header)
        guard status == CPNG_OK else {
            defer { unsafe cpng_close(reader) }
            throw unsafe PNGReader.error(status, reader)
        }
        self.bytes = bytes
        unsafe self.reader = unsafe reader
        self.header = header
    }

    deinit { unsafe cpng_close(reader) }

    static var libraryVersion: String { unsafe String(cString: cpng_library_version()) }

    var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }
    var isInterlaced: Bool { header.is_interlaced != 0 }
    /// Bit 1 of the colour type: colour; bit 2: alpha (PNG, third edition, table 9).
    var isGray: Bool { header.color_type & 2 == 0 }
    var isPalette: Bool { header.color_type == 3 }
    var hasAlpha: Bool { header.color_type & 4 != 0 || header.has_transparency != 0 }

    /// The smallest straight format that holds the picture.
    var format: PixelFormat {
        let isDeep = header.depth == 16
        if hasAlpha { return isDeep ? .rgba16 : .rgba8 }
        if isGray { return isDeep ? .gray16 : .gray8 }
        return isDeep ? .rgb16 : .rgb8
    }

    /// Rows will have this layout. Returns how many times the picture is gone over.
    func start(_ layout: PixelFormat) throws(ImageError) -> Int {
        var passes: Int32 = 1
        let layout = cpng_layout(channels: Int32(layout.channels), bits: Int32(layout.bytesPerChannel * 8))
        unsafe try check(cpng_start(reader, layout, &passes))
        return Int(passes)
    }

    /// `fill`: see `cpng_read_row`.
    func read(into row: UnsafeMutableRawBufferPointer, fill: Bool = false) throws(ImageError) {
        unsafe try check(cpng_read_row(reader, row.baseAddress, fill ? 1 : 0))
    }

    /// Checks the rest of the picture data. Bytes that end behind the last row are not missed: every pixel is there.
    func finish() throws(ImageError) {
        let status = unsafe cpng_finish(reader)
        if status != CPNG_TRUNCATED { try check(status) }
    }

    private func check(_ status: cpng_status) throws(ImageError) {
        if status != CPNG_OK { throw unsafe PNGReader.error(status, reader) }
    }

    private static func error(_ status: cpng_status, _ reader: OpaquePointer) -> ImageError {
        let message = unsafe "png: " + String(cString: cpng_message(reader))
        if status == CPNG_TRUNCATED { return ImageError(.truncated, message, libraryCode: Int32(status.rawValue)) }
        return ImageError(status == CPNG_NO_MEMORY ? .noMemory : .badData, message, libraryCode: Int32(status.rawValue))
    }
}
