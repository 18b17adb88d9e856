import Glibc
import SDImagePixels

/// Receives decoded rows from top to bottom, scales them, converts color and pixel format, and applies the orientation.
/// Never holds the full source image.
/// Used by every coder that decodes rows; on one thread. See `DecodePlan` for the sizes.
@safe package struct ScanlineWriter: ~Copyable {
    /// Size of the incoming rows.
    private let rowSize: PixelSize
    /// Format of the incoming rows.
    private let sourceFormat: PixelFormat
    private let acceptsPartial: Bool
    /// Conversion of colors; nil if the samples stay as they are.
    private let transform: (any RowTransform)?
    /// nil if the size stays the same.
    private let scaler: RowScaler?
    /// Writes the rows of the result.
    private var turner: RowTurner
    /// Buffer for a color-converted row; nil when the conversion happens in the row of the scaler.
    private let colorRow: ScratchMemory?
    /// Format of color-converted rows.
    private let colorFormat: PixelFormat
    /// Format of the result.
    private let output: PixelFormat
    /// Rows of the result before the orientation is applied.
    private let outputRows: Int
    /// True if codecs may write into the result.
    private let isDirect: Bool
    /// Rows received and rows stored.
    private var rowsIn = 0
    private var rowsOut = 0

    /// Columns and rows of the input that the image covers; may be fractional.
    package struct Extent: Sendable {
        package let width: Double
        package let height: Double

        package init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }
    }

    /// Creates a writer.
    ///
    /// - `rowSize`: size of the incoming image; a codec that scales passes its scaled size, at least `plan.scaledSize`.
    /// - `sourceFormat`: format of the rows; straight, unless it equals `output` and no scaling or color conversion is needed.
    /// - `output`: a resolved format.
    /// - `extent`: for a codec whose last scaled pixel lies partly outside the image; nil: all of `rowSize`.
    /// Throws `tooLarge` and `noMemory` for buffers that exceed the limits.
    package init(
        rowSize: PixelSize, sourceFormat: PixelFormat, plan: DecodePlan, output: PixelFormat,
        transform: (any RowTransform)?, options: DecodeOptions, extent: Extent? = nil
    ) throws(ImageError) {
        let size = plan.scaledSize
        guard rowSize.width >= size.width, rowSize.height >= size.height else {
            throw ImageError(.internalError, "image: rows are smaller than the result")
        }
        let account = options.limits.account
        let turner = try RowTurner(size: size, format: output, turn: plan.turn, options: options)
        let colorFormat = transform?.output(for: sourceFormat) ?? sourceFormat
        var scaler: RowScaler?
        var colorRow: ScratchMemory?
        // Colors are converted after scaling, so that fewer pixels are converted.
        if rowSize != size {
            scaler = try RowScaler(
                from: rowSize, extent: extent ?? Extent(width: Double(rowSize.width), height: Double(rowSize.height)), to: size,
                // Premultiplied output needs no division by alpha, unless colors are converted first.
                format: sourceFormat, premultiplied: output.isPremultiplied && transform == nil, account: account)
        }
        if transform != nil, scaler == nil || colorFormat != sourceFormat {
            colorRow = try ScratchMemory(size.width * colorFormat.bytesPerPixel, of: UInt8.self, account: account)
        }
        self.rowSize = rowSize
        self.sourceFormat = sourceFormat
        self.output = output
        self.transform = transform
        self.turner = turner
        self.scaler = scaler
        self.colorRow = colorRow
        self.colorFormat = colorFormat
        acceptsPartial = options.acceptPartial
        outputRows = size.height
        isDirect = scaler == nil && transform == nil && sourceFormat == output && turner.isDirect
    }

    /// Destination of row `y` for a codec that writes directly; nil when rows must pass through `write`. Either all rows inside
    /// the image have a destination or none.
    package func directRow(_ y: Int) -> UnsafeMutableRawBufferPointer? {
        unsafe isDirect ? turner.destination(y) : nil
    }

    /// Writes the next row; rows after the last are ignored.
    package mutating func write(_ row: UnsafeRawBufferPointer) throws(ImageError) {
        guard rowsIn < rowSize.height else { return }
        guard row.count >= rowSize.width * sourceFormat.bytesPerPixel else {
            throw ImageError(.internalError, "image: row of \(row.count) bytes is too short for \(rowSize.width) pixels")
        }
        rowsIn += 1
        guard let scaler else {
            guard let colorRow, let transform else { return unsafe store(row, format: sourceFormat) }
            unsafe transform.apply(row, to: colorRow.bytes, pixels: rowSize.width, format: sourceFormat)
            return unsafe store(UnsafeRawBufferPointer(colorRow.bytes), format: colorFormat)
        }
        unsafe scaler.add(row)
        drain(scaler, all: false)
    }

    /// Returns the image with the planned orientation. Missing rows are zero when partial images are accepted, and an error
    /// otherwise. A codec that writes directly must count its rows itself.
    /// Consumes the writer, because rows that follow would change a finished image.
    package consuming func finish() throws(ImageError) -> PixelBuffer {
        if !isDirect, rowsIn < rowSize.height {
            guard acceptsPartial else {
                throw ImageError(.truncated, "image: data ends after \(rowsIn) of \(rowSize.height) rows")
            }
        }
        drainAll()
        turner.flush()
        return turner.buffer
    }

    /// A copy of the image decoded so far. With a quarter turn, the last few rows may be missing. Missing rows are zero when
    /// partial images are accepted.
    /// For partial images of a progressive decode; the writer continues.
    package mutating func copy() throws(ImageError) -> PixelBuffer {
        drainAll()
        let copy = try PixelBuffer(size: turner.buffer.size, format: output, limit: turner.buffer.byteCount)
        unsafe memcpy(copy.mutablePixels, turner.buffer.pixels, copy.byteCount)
        return copy
    }

    /// Stores every row that the rows so far complete.
    private mutating func drainAll() {
        guard let scaler else { return }
        scaler.addPending()
        drain(scaler, all: true)
    }

    /// Converts and stores the rows that the scaler has completed.
    private mutating func drain(_ scaler: RowScaler, all: Bool) {
        let format = scaler.outputFormat
        while let row = unsafe scaler.nextRow(all: all) {
            let pixels = row.count / format.bytesPerPixel
            if let colorRow {
                unsafe transform?.apply(UnsafeRawBufferPointer(row), to: colorRow.bytes, pixels: pixels, format: format)
                unsafe store(UnsafeRawBufferPointer(colorRow.bytes), format: colorFormat)
            } else {
                unsafe transform?.apply(row, pixels: pixels, format: format)
                unsafe store(UnsafeRawBufferPointer(row), format: format)
            }
        }
    }

    /// Converts a row to the format of the result, and places it.
    private mutating func store(_ row: UnsafeRawBufferPointer, format: PixelFormat) {
        guard rowsOut < outputRows, let from = row.baseAddress,
            let destination = unsafe turner.destination(rowsOut), let to = destination.baseAddress
        else { return }
        unsafe sdpx_convert_row(to, output.rawValue, from, format.rawValue, destination.count / output.bytesPerPixel)
        turner.commit(rowsOut)
        rowsOut += 1
    }
}
