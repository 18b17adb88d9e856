import SDImage

/// One decode: from the reader's rows to the finished buffer.
struct PNGRun {
    /// How often the stop signal is looked at.
    private static let rowsPerCheck = 16
    /// libpng keeps this many rows of its own beside the one that is handed out.
    private static let rowsHeld = 3

    let reader: PNGReader
    let plan: DecodePlan
    let output: PixelFormat
    let transform: (any RowTransform)?
    let options: DecodeOptions
    let stop: StopSignal

    func decode() throws(ImageError) -> PixelBuffer {
        let layout = layout
        let row = try PixelBuffer.stride(width: plan.storedSize.width, format: layout)
        guard row <= options.limits.workingBytes / PNGRun.rowsHeld else {
            throw .tooLarge("working memory in bytes", limit: options.limits.workingBytes)
        }
        let passes = try reader.start(layout)
        return passes == 1 ? try decodeRows(layout, rowBytes: row) : try decodePasses(passes, layout)
    }

    /// What libpng is asked for: the final layout where that is all that remains to be done, else the picture's own.
    private var layout: PixelFormat {
        let native = reader.format
        guard !plan.shrinks, transform == nil, output.channels >= native.channels,
            output.bytesPerChannel <= native.bytesPerChannel
        else { return native }
        if !output.isPremultiplied { return output }
        return output == .rgba8Premultiplied && !native.hasAlpha ? output : native
    }

    private func makeWriter(_ layout: PixelFormat) throws(ImageError) -> ScanlineWriter {
        try ScanlineWriter(
            rowSize: plan.storedSize, sourceFormat: layout, plan: plan, output: output, transform: transform, options: options)
    }

    // MARK: Top to bottom

    private func decodeRows(_ layout: PixelFormat, rowBytes: Int) throws(ImageError) -> PixelBuffer {
        var writer = try makeWriter(layout)
        let isDirect = unsafe writer.directRow(0) != nil
        let scratch = isDirect ? nil : try ScratchMemory(rowBytes)
        for y in 0..<plan.storedSize.height {
            if y % PNGRun.rowsPerCheck == 0 { try stop.check() }
            guard let row = unsafe isDirect ? writer.directRow(y) : scratch?.bytes else { break }
            guard unsafe try readRow(into: row, isFirst: y == 0) else { return try writer.finish() }
            if !isDirect { unsafe try writer.write(UnsafeRawBufferPointer(row)) }
        }
        try finish()
        return try writer.finish()
    }

    /// False when the data ends or is damaged here and what came before is wanted all the same.
    private func readRow(into row: UnsafeMutableRawBufferPointer, isFirst: Bool, fill: Bool = false) throws(ImageError) -> Bool {
        do throws(ImageError) {
            unsafe try reader.read(into: row, fill: fill)
            return true
        } catch {
            // Without a single row there is no picture to speak of.
            guard options.acceptPartial, !isFirst else { throw error }
            return false
        }
    }

    private func finish() throws(ImageError) {
        do throws(ImageError) { try reader.finish() } catch {
            guard options.acceptPartial else { throw error }
        }
    }

    // MARK: Interlaced

    /// Adam7 scatters each pass over the whole picture, which therefore must be held.
    private func decodePasses(_ passes: Int, _ layout: PixelFormat) throws(ImageError) -> PixelBuffer {
        let limits = options.limits
        guard let area = plan.storedSize.pixelCount, area <= limits.heldPixels else {
            throw .tooLarge("interlaced picture area in pixels", limit: limits.heldPixels)
        }
        let isFinal = layout == output && transform == nil && !plan.shrinks && plan.turn == .up
        let whole = try PixelBuffer(
            size: plan.storedSize, format: layout, limit: isFinal ? limits.outputBytes : limits.workingBytes,
            zeroed: options.acceptPartial)
        if try readPasses(passes, into: whole) { try finish() }
        return isFinal ? whole : try rewrite(whole)
    }

    /// False when the passes end early.
    private func readPasses(_ passes: Int, into whole: PixelBuffer) throws(ImageError) -> Bool {
        for pass in 0..<passes {
            for y in 0..<whole.size.height {
                if y % PNGRun.rowsPerCheck == 0 { try stop.check() }
                guard let row = unsafe whole.mutableRow(y) else { return false }
                let isFirst = pass == 0 && y == 0
                guard unsafe try readRow(into: row, isFirst: isFirst, fill: options.acceptPartial) else { return false }
            }
        }
        return true
    }

    private func rewrite(_ whole: PixelBuffer) throws(ImageError) -> PixelBuffer {
        var writer = try makeWriter(whole.format)
        for y in 0..<whole.size.height {
            if y % PNGRun.rowsPerCheck == 0 { try stop.check() }
            guard let row = unsafe whole.row(y) else { break }
            if let target = unsafe writer.directRow(y) {
                unsafe target.copyMemory(from: row)
            } else {
                unsafe try writer.write(row)
            }
        }
        return try writer.finish()
    }
}
