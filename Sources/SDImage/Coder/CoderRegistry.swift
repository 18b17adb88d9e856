/// The coders of a process or of one manager, in registration order; the most recently registered one is asked first.
/// Changes take effect for the next operation. Coders are called outside the lock, on a snapshot of the list.
/// The coders of the process are composed by `Defaults`; managers may have their own.
package final class CoderRegistry: Sendable {
    // A monitor instead of a mutex, because it must be held across `fork`.
    private let list: Monitor<[any ImageCoder]>
    /// Application of gain maps and color conversion for images of coders that do neither.
    private let colors: ColorConversion?
    /// nil if coders never decode in worker processes.
    private let isolation: (any CoderIsolation)?

    /// Returns an image that has a gain map, a profile or code points as these options would have decoded it.
    package typealias ColorConversion =
        @Sendable (Image, DecodeOptions, CancellationToken) throws(ImageError) -> Image

    package init(
        _ coders: [any ImageCoder] = [], isolation: (any CoderIsolation)? = nil, colors: ColorConversion? = nil
    ) {
        list = Monitor(coders)
        self.isolation = isolation
        self.colors = colors
    }

    /// The coders in registration order.
    package var coders: [any ImageCoder] { list.withLock { $0 } }

    /// Registers a coder, which is asked before all others from now on; an already registered coder moves there.
    package func register(_ coder: any ImageCoder) {
        replace { coders in
            coders.removeAll { $0 === coder }
            coders.append(coder)
        }
    }

    /// Removes a coder; has no effect for an unknown one.
    package func unregister(_ coder: any ImageCoder) {
        replace { coders in coders.removeAll { $0 === coder } }
    }

    /// Removes every coder.
    package func unregisterAll() { replace { $0 = [] } }

    /// Registers coders below those of the host, in this order; already registered ones move there.
    package func register(lowest: [any ImageCoder]) {
        replace { coders in
            coders.removeAll { coder in lowest.contains { $0 === coder } }
            coders.insert(contentsOf: lowest, at: 0)
        }
    }

    /// Replaces the list. The old one is released outside the lock, because freeing a coder may call host code.
    private func replace(_ change: (inout [any ImageCoder]) -> Void) {
        let old = list.withLock { coders in
            let old = coders
            change(&coders)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Synchronous decodes must be possible in a child of `fork`.
    package func lockForFork() { list.lock() }
    package func unlockAfterFork() { list.unlock() }

    // MARK: Look-up

    /// Returns the coder that recognizes the bytes. If none does and the bytes have no known signature, returns the coder that
    /// decodes `hint`.
    /// Coders decide by the first bytes; see `ImageCoder.canDecode`.
    package func coder(for bytes: Bytes, hint: ImageFormat = .unknown) -> (any ImageCoder)? {
        let coders = coders
        if let coder = coders.last(where: { $0.canDecode(bytes) }) { return coder }
        guard hint != .unknown, FormatSniffer.format(of: bytes) == .unknown else { return nil }
        return coders.last { $0.decodableFormats.contains(hint) }
    }

    /// True if some coder recognizes the bytes.
    package func canDecode(_ bytes: Bytes) -> Bool { !bytes.isEmpty && coders.contains { $0.canDecode(bytes) } }

    /// An unknown format means the one that `encode` chooses.
    package func canEncode(_ format: ImageFormat) -> Bool {
        let formats = format == .unknown ? [ImageFormat.png, .jpeg] : [format]
        return coders.contains { coder in formats.contains { coder.canEncode($0) } }
    }

    // MARK: Operations

    /// Reads only the headers. The work budget starts here.
    /// Throws as `decode`, for errors that headers show.
    package func info(
        _ bytes: Bytes, options: DecodeOptions = DecodeOptions(), stop: CancellationToken = CancellationToken(),
        coder override: (any ImageCoder)? = nil
    ) throws(ImageError) -> ImageInfo {
        let coder = try choose(for: bytes, options: options, override: override)
        stop.start(nanoseconds: options.limits.workNanoseconds, encodedBytes: bytes.count)
        try stop.check()
        var options = options
        options.limits = options.limits.accounted
        return try coder.info(bytes, options: options, stop: stop)
    }

    /// Decodes with `coder`, or with the coder that recognizes the bytes; its result is final. The work budget starts here.
    /// Runs on the calling thread, with the help of idle workers. Throws `emptyData`, `notAnImage`, `unsupported`,
    /// and the errors of the coder.
    package func decode(
        _ bytes: Bytes, options: DecodeOptions, stop: CancellationToken, coder override: (any ImageCoder)? = nil
    ) throws(ImageError) -> Image {
        let coder = try choose(for: bytes, options: options, override: override)
        stop.start(nanoseconds: options.limits.workNanoseconds, encodedBytes: bytes.count)
        try stop.check()
        var plain = try options.forCoder()
        plain.limits = plain.limits.accounted
        let image = try Engine.helped { [plain] () throws(ImageError) in
            try coder.decode(bytes, options: plain, stop: stop).signal(options, stop: stop)
        }
        return image.with(DecodeRecord(options))
    }

    /// Converts an image that was delivered without encoded bytes to what these options would have decoded.
    /// The coders are not called.
    package func fit(_ image: Image, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        let plain = try options.forCoder()
        let fitted = if let colors { try colors(image, plain, stop) } else { try image.fitted(plain, stop: stop) }
        // Coders and loaders of the host do not have to set it.
        return try fitted.signal(options, stop: stop).with(scale: options.scale)
    }

    /// Returns a decoder for data that starts with `bytes`; the bytes are not fed to it yet. The caller sets the work budget, and
    /// converts the images to the transfer of the options.
    package func open(
        _ bytes: Bytes, options: DecodeOptions, stop: CancellationToken, coder override: (any ImageCoder)? = nil
    ) throws(ImageError) -> any ImageDecoder {
        let coder = try choose(for: bytes, options: options, override: override)
        let plain = try options.forCoder()
        return try coder.open(options: plain, stop: stop) ?? coder.whole(options: plain)
    }

    /// Returns a decoder that reads what it needs from a source whose first bytes are `start`; nil when the coder of the format
    /// requires the complete data in memory.
    /// Throws as `decode`, for the first bytes.
    package func open(
        _ source: any ByteSource, start: Bytes, options: DecodeOptions, stop: CancellationToken,
        coder override: (any ImageCoder)? = nil
    ) throws(ImageError) -> (any ImageDecoder)? {
        try choose(for: start, options: options, override: override).open(
            source: source, options: options.forCoder(), stop: stop)
    }

    /// Encodes with the coder registered last among those that encode the format. An unknown format means PNG for an
    /// image with alpha, and for PQ, HLG and more than 8 bits, else JPEG. The clock of the work limit starts here.
    /// Runs on the calling thread, with the help of idle workers. Throws `unsupported` if no coder encodes the
    /// format.
    package func encode(
        _ image: Image, format wanted: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        let needsPNG = image.metadata.hasAlpha || options.transfer != nil || options.bitsPerChannel > 8
        let format = wanted != .unknown ? wanted : needsPNG ? .png : .jpeg
        try options.check()
        stop.allow(nanoseconds: options.workNanoseconds)
        // The encoded original of all frames, which needs no encoder.
        if options.keepsEverything, image.isAsDecoded, let own = image.frames?.encoded, FormatSniffer.format(of: own) == format {
            return own
        }
        guard let coder = coders.last(where: { $0.canEncode(format) }) else {
            throw ImageError(.unsupported, "encoder: no coder encodes \(format.name), \(CoderRegistry.hint)")
        }
        let prepared = try prepared(image, format: format, options: options, stop: stop)
        var options = options
        // WebP stores pixels upright.
        let orientation: Orientation = format == .webp ? .up : prepared.metadata.orientation
        options.xmp = try options.xmp.map { packet throws(ImageError) in
            try XMPOrientation.replacing(in: packet, by: orientation)
        }
        return try Engine.helped { [options] () throws(ImageError) in
            try coder.encode(prepared, format: format, options: options.accounted, stop: stop)
        }
    }

    private static let hint: StaticString = "a plug-in may be missing (sdimage_plugins_load_all)"

    /// `override`: the coder of the request. The result may decode in a worker process.
    private func choose(
        for bytes: Bytes, options: DecodeOptions, override: (any ImageCoder)?
    ) throws(ImageError) -> any ImageCoder {
        guard !bytes.isEmpty else { throw ImageError(.emptyData, "decoder: no bytes") }
        if let coder = override ?? coder(for: bytes, hint: options.formatHint) {
            return try isolation?.coder(coder, options: options) ?? coder
        }
        let format = FormatSniffer.format(of: bytes)
        guard format == .unknown else {
            throw ImageError(.unsupported, "decoder: no coder registered for \(format.name), \(CoderRegistry.hint)")
        }
        throw ImageError(.notAnImage, "decoder: no coder recognizes the bytes")
    }
}

/// Replaces coders by those that decode in worker processes.
/// Implemented by `SDImageIsolation`.
package protocol CoderIsolation: Sendable {
    /// Returns `coder`, or one that decodes like it in a worker. Throws `unsupported` if it must decode in a worker and cannot.
    func coder(_ coder: any ImageCoder, options: DecodeOptions) throws(ImageError) -> any ImageCoder
}
