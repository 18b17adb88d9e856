import SDImage

/// Coders, options and errors in messages. The order of the fields is the format: the functions of `MessageReader` below read the
/// same.
extension MessageWriter {
    /// Writes a coder by its name and path.
    mutating func put(_ coder: CoderName) throws(ImageError) {
        try put(coder.name)
        try put(coder.path)
        try put(coder.isComplete)
    }

    /// Writes all options that concern a decode; `isolation` is that of the host alone.
    mutating func put(_ options: DecodeOptions) throws(ImageError) {
        try put(optional: options.thumbnailSize) { writer, size throws(ImageError) in try writer.put(size) }
        try put(options.thumbnailMode.rawValue)
        try put(options.firstFrameOnly)
        // 0 is no format, and no transfer below.
        try put(options.pixelFormat?.rawValue ?? 0)
        try put(options.keepsDepth)
        try put(options.dynamicRange.rawValue)
        // Infinite for a display without limit.
        try put(min(options.displayHeadroom, 1e9))
        try put(options.keepsGainMap)
        try put(options.transfer?.rawValue ?? 0)
        try put(options.applyOrientation)
        try put(options.convertToSRGB)
        try put(options.limitBytes)
        try put(options.formatHint.rawValue)
        try put(optional: options.scale) { writer, scale throws(ImageError) in try writer.put(scale) }
        try put(options.acceptPartial)
        try put(options.earlyThumbnail)
        try put(options.limits)
        try put(optional: options.bag) { writer, values throws(ImageError) in try writer.put(values.bag) }
    }

    /// Writes the limits without the memory account, which each process has for itself.
    private mutating func put(_ limits: DecodeLimits) throws(ImageError) {
        for limit in [
            limits.streamedPixels, limits.heldPixels, limits.outputBytes, limits.workingBytes, limits.frames,
            limits.metadataBytes,
        ] { try put(limit) }
        try put(limits.workNanoseconds)
        try put(limits.disabledParsers.rawValue)
    }

    /// Writes the values of the host except for its pointers, which mean nothing in another process.
    private mutating func put(_ bag: OptionsBag) throws(ImageError) {
        let values = bag.portable
        try put(values.count)
        for (key, value) in values {
            try put(try Bytes.copying(key))
            switch value {
            case .string(let text): try put(UInt8(0)); try put(Bytes(text))
            case .int64(let number): try put(UInt8(1)); try put(number)
            case .double(let number): try put(UInt8(2)); try put(number.bitPattern)
            case .bool(let flag): try put(UInt8(3)); try put(flag)
            case .data(let bytes): try put(UInt8(4)); try put(bytes)
            // `portable` has left them out.
            case .pointer: break
            }
        }
    }

    /// Writes an error without its cause.
    mutating func put(_ error: ImageError) throws(ImageError) {
        try put(error.status.rawValue)
        try put(Bytes(error.message))
        try put(error.systemError)
        try put(error.libraryCode)
    }
}

extension MessageReader {
    /// Reads the name of a coder. Only workers read it, from their host.
    mutating func coderName() throws(ImageError) -> CoderName {
        CoderName(name: try text(limit: 4096), path: try text(limit: 4096), isComplete: try flag())
    }

    /// Reads options; the worker observes them as the host would.
    mutating func options() throws(ImageError) -> DecodeOptions {
        var options = DecodeOptions()
        options.thumbnailSize = try optional { reader throws(ImageError) in try reader.size() }
        options.thumbnailMode = try choice()
        options.firstFrameOnly = try flag()
        options.pixelFormat = PixelFormat(rawValue: try number())
        options.keepsDepth = try flag()
        options.dynamicRange = try choice()
        options.displayHeadroom = try double()
        options.keepsGainMap = try flag()
        options.transfer = HDRTransfer(rawValue: try number())
        options.applyOrientation = try flag()
        options.convertToSRGB = try flag()
        options.limitBytes = try count(.max)
        options.formatHint = try choice()
        options.scale = try optional { reader throws(ImageError) in try reader.double() }
        options.acceptPartial = try flag()
        options.earlyThumbnail = try flag()
        options.limits = try limits()
        options.bag = try optional { reader throws(ImageError) in FrozenOptions(try reader.bag()) }
        // A worker never starts another.
        options.isolation = Isolation.none
        return options
    }

    /// Reads limits, without a memory account: each operation of the worker gets one.
    private mutating func limits() throws(ImageError) -> DecodeLimits {
        var limits = DecodeLimits()
        limits.streamedPixels = try count(.max)
        limits.heldPixels = try count(.max)
        limits.outputBytes = try count(.max)
        limits.workingBytes = try count(.max)
        limits.frames = try count(.max)
        limits.metadataBytes = try count(.max)
        limits.workNanoseconds = try number()
        limits.disabledParsers = DisabledParsers(rawValue: try number())
        return limits
    }

    /// Reads named values; the tag before each value is its type.
    private mutating func bag() throws(ImageError) -> OptionsBag {
        var bag = OptionsBag()
        for _ in 0..<(try count(MessageWriter.limit)) {
            let key = try bytes(limit: MessageWriter.limit)
            let name = unsafe key.withUnsafeBytes { unsafe Array($0) }
            bag[name] =
                switch try number(UInt8.self) {
                case 0: .string(CString(try text(limit: MessageWriter.limit)))
                case 1: .int64(try number())
                case 2: .double(Double(bitPattern: try number()))
                case 3: .bool(try flag())
                case 4: .data(try bytes(limit: MessageWriter.limit))
                default: throw .invalidMessage
                }
        }
        return bag
    }

    /// The error of a call. A status that decodes do not have becomes INTERNAL_ERROR, unless it may be that of the program, which
    /// reads a source.
    mutating func failure(of call: WorkerCall) throws(ImageError) -> ImageError {
        let error = try error()
        switch error.status {
        case .invalidArgument, .unsupported, .noMemory, .timeout, .internalError, .badData, .truncated, .notAnImage, .tooLarge,
            .emptyData, .transformFailed, .encodeFailed, .moduleMissing, .ioError, .permissionDenied, .notFound:
            return error
        case .cancelled where call.stop.isCancelled: return error
        default:
            guard call.source == nil else { return error }
            return ImageError(
                .internalError, error.message.string, systemError: error.systemError, libraryCode: error.libraryCode)
        }
    }

    /// The error of another process.
    mutating func error() throws(ImageError) -> ImageError {
        guard let status = Status(rawValue: try number()), status.rawValue < 0 else { throw .invalidMessage }
        let message = try text(limit: 4096)
        return ImageError(status, message, systemError: try number(), libraryCode: try number())
    }
}
