import Glibc
import SDImage

/// One decode: from the lines of a frame to the finished buffer.
struct GIFRun {
    /// How often the stop signal is looked at.
    private static let rowsPerCheck = 16

    private let reader: GIFReader
    private let frame: GIFFrame
    private let plan: DecodePlan
    private let layout: PixelFormat
    private let output: PixelFormat
    private let palette: GIFPalette
    private let options: DecodeOptions
    private let stop: StopSignal
    private let line: ScratchMemory

    init(
        bytes: Bytes, frame: GIFFrame, plan: DecodePlan, hasAlpha: Bool, output: PixelFormat, options: DecodeOptions,
        stop: StopSignal
    ) throws(ImageError) {
        // The palette can hold the pixels of any 4-byte format, so that rows need no second conversion.
        let isFinal = !plan.shrinks && output.bytesPerPixel == 4
        layout = isFinal ? output : hasAlpha ? .rgba8 : .rgb8
        reader = try GIFReader(bytes, position: frame.position)
        palette = GIFPalette(bytes, frame.palette, transparentIndex: frame.transparentIndex, format: layout)
        line = try ScratchMemory(max(reader.width, 1))
        self.frame = frame
        self.plan = plan
        self.output = output
        self.options = options
        self.stop = stop
    }

    private var canvas: PixelSize { plan.storedSize }
    /// Lines of the frame that lie on the canvas.
    private var visibleLines: Int { max(0, min(frame.size.height, canvas.height - frame.top)) }
    private var visiblePixels: Int { max(0, min(frame.size.width, reader.width, canvas.width - frame.left)) }

    func decode() throws(ImageError) -> PixelBuffer {
        guard let area = canvas.pixelCount, area <= options.limits.heldPixels else {
            throw .tooLarge("canvas area in pixels", limit: options.limits.heldPixels)
        }
        var writer = try ScanlineWriter(
            rowSize: canvas, sourceFormat: layout, plan: plan, output: output, transform: nil, options: options)
        if unsafe writer.directRow(0) != nil {
            try decodeDirect(&writer)
        } else if frame.isInterlaced {
            try decodeInterlaced(&writer)
        } else {
            try decodeStreamed(&writer)
        }
        return try writer.finish()
    }

    // MARK: The three ways of the lines

    /// Rows are final memory, in whatever order the lines come.
    private func decodeDirect(_ writer: inout ScanlineWriter) throws(ImageError) {
        if visibleLines < canvas.height || visiblePixels < canvas.width || options.acceptPartial {
            for y in 0..<canvas.height {
                if let row = unsafe writer.directRow(y), let base = row.baseAddress { unsafe memset(base, 0, row.count) }
            }
        }
        for (index, y) in lineOrder.enumerated() {
            guard try readLine(index) else { return }
            if y < visibleLines, let row = unsafe writer.directRow(frame.top + y) { unsafe expand(into: row) }
        }
    }

    private func decodeStreamed(_ writer: inout ScanlineWriter) throws(ImageError) {
        let row = try ScratchMemory(canvas.width, of: UInt32.self, limit: options.limits.workingBytes)
        let blank = try ScratchMemory(canvas.width, of: UInt32.self, limit: options.limits.workingBytes)
        for _ in 0..<frame.top { unsafe try writer.write(UnsafeRawBufferPointer(blank.bytes)) }
        for y in 0..<visibleLines {
            guard try readLine(y) else { return }
            unsafe expand(into: row.bytes)
            unsafe try writer.write(UnsafeRawBufferPointer(row.bytes))
        }
        for _ in min(frame.top + visibleLines, canvas.height)..<canvas.height {
            unsafe try writer.write(UnsafeRawBufferPointer(blank.bytes))
        }
    }

    /// The writer wants rows from top to bottom, so the indices of all of them are gathered first.
    private func decodeInterlaced(_ writer: inout ScanlineWriter) throws(ImageError) {
        let whole = try PixelBuffer(
            size: canvas, format: layout, limit: options.limits.workingBytes, zeroed: true)
        for (index, y) in lineOrder.enumerated() {
            guard try readLine(index) else { break }
            if y < visibleLines, let row = unsafe whole.mutableRow(frame.top + y) { unsafe expand(into: row) }
        }
        for y in 0..<canvas.height {
            if let row = unsafe whole.row(y) { unsafe try writer.write(row) }
        }
    }

    // MARK: Lines

    /// The row of the frame that each line is for, in stored order (GIF89a, appendix E).
    private var lineOrder: [Int] {
        let height = frame.size.height
        guard frame.isInterlaced else { return Array(0..<visibleLines) }
        return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0.0, to: height, by: $0.1)) }
    }

    /// False when the data ends or is damaged here and what came before is wanted all the same.
    private func readLine(_ index: Int) throws(ImageError) -> Bool {
        if index % GIFRun.rowsPerCheck == 0 { try stop.check() }
        do throws(ImageError) {
            unsafe try reader.read(into: line.bytes)
            return true
        } catch {
            // Without a single line there is no picture to speak of.
            guard options.acceptPartial, index > 0 else { throw error }
            return false
        }
    }

    private func expand(into row: UnsafeMutableRawBufferPointer) {
        unsafe palette.expand(UnsafeRawBufferPointer(line.bytes), count: visiblePixels, to: row, left: frame.left)
    }
}
