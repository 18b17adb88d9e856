import Glibc
import SDImagePixels

/// Receives decoded rows top to bottom, shrinks them, converts colour and pixel format, turns, and gives the finished
/// buffer. The full source picture is never held.
@safe package struct ScanlineWriter: ~Copyable {
    private let rowSize: PixelSize
    private let sourceFormat: PixelFormat
    private let acceptsPartial: Bool
    private let transform: (any RowTransform)?
    private let scaler: RowScaler?
    private var turner: RowTurner
    /// A row whose colour was changed; not where that is done in the scaler's own row.
    private let colorRow: ScratchMemory?
    /// Layout of rows whose colour was changed.
    private let colorFormat: PixelFormat
    private let output: PixelFormat
    private let outputRows: Int
    private let isDirect: Bool
    private var rowsIn = 0
    private var rowsOut = 0

    /// How much of the rows' columns and of their number the picture covers.
    package struct Extent: Sendable {
        package let width: Double
        package let height: Double

        package init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }
    }

    /// `rowSize`: size of the picture as rows arrive; a codec that scales itself passes its scaled size, never smaller
    /// than `plan.scaledSize`. `sourceFormat`: layout of those rows, straight, unless it equals `output` and nothing is
    /// to be scaled or colour-converted. `output`: a resolved format. `extent`: for a codec whose scaled rows end with a
    /// pixel that lies partly outside the picture; all of `rowSize` when nil.
    package init(
        rowSize: PixelSize, sourceFormat: PixelFormat, plan: DecodePlan, output: PixelFormat,
        transform: (any RowTransform)?, options: DecodeOptions, extent: Extent? = nil
    ) throws(ImageError) {
        let size = plan.scaledSize
        guard rowSize.width >= size.width, rowSize.height >= size.height else {
            throw ImageError(.internalError, "rows smaller than the picture they make")
        }
        let account = options.limits.account
        let turner = try RowTurner(size: size, format: output, turn: plan.turn, options: options)
        let colorFormat = transform?.output(for: sourceFormat) ?? sourceFormat
        var scaler: RowScaler?
        var colorRow: ScratchMemory?
        if rowSize != size {
            scaler = try RowScaler(
                from: rowSize, extent: extent ?? Extent(width: Double(rowSize.width), height: Double(rowSize.height)), to: size,
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

    /// Where the codec may write row `y` itself: nil when rows must pass through `write`. The answer is of the same
    /// kind for all rows inside the picture.
    package func directRow(_ y: Int) -> UnsafeMutableRawBufferPointer? {
        unsafe isDirect ? turner.destination(y) : nil
    }

    /// The next row; rows beyond the last are ignored.
    package mutating func write(_ row: UnsafeRawBufferPointer) throws(ImageError) {
        guard rowsIn < rowSize.height else { return }
        guard row.count >= rowSize.width * sourceFormat.bytesPerPixel else {
            throw ImageError(.internalError, "row too short")
        }
        let y = rowsIn
        rowsIn += 1
        guard let scaler else {
            guard let colorRow, let transform else { return unsafe store(row, format: sourceFormat) }
            unsafe transform.apply(row, to: colorRow.bytes, pixels: rowSize.width, format: sourceFormat)
            return unsafe store(UnsafeRawBufferPointer(colorRow.bytes), format: colorFormat)
        }
        unsafe scaler.add(row, y: y)
        drain(scaler)
    }

    /// The picture, turned as planned. Rows that never came are zero where partial pictures are accepted, and an error
    /// otherwise; rows written directly are the codec's to count.
    package consuming func finish() throws(ImageError) -> PixelBuffer {
        if !isDirect, rowsIn < rowSize.height {
            guard acceptsPartial else { throw ImageError(.truncated, "picture data ends early") }
        }
        turner.flush()
        return turner.buffer
    }

    /// A copy of the picture as far as it has come, but for a few rows of one that is turned by a quarter. Rows that have not
    /// come are zero where partial pictures are accepted.
    package func copy() throws(ImageError) -> PixelBuffer {
        let copy = try PixelBuffer(size: turner.buffer.size, format: output, limit: turner.buffer.byteCount)
        unsafe memcpy(copy.mutablePixels, turner.buffer.pixels, copy.byteCount)
        return copy
    }

    private mutating func drain(_ scaler: RowScaler) {
        let format = scaler.outputFormat
        while let row = unsafe scaler.nextRow(after: rowsIn) {
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

    private mutating func store(_ row: UnsafeRawBufferPointer, format: PixelFormat) {
        guard rowsOut < outputRows, let from = row.baseAddress,
            let destination = unsafe turner.destination(rowsOut), let to = destination.baseAddress
        else { return }
        unsafe sdpx_convert_row(to, output.rawValue, from, format.rawValue, destination.count / output.bytesPerPixel)
        turner.commit(rowsOut)
        rowsOut += 1
    }
}
