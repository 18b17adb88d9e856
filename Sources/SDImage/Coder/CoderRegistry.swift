/// The coders of a process or of one manager, in the order of their registration; the last is asked first.
///
/// Changes take effect for the next operation. Coders are called outside the lock, on a snapshot of the list.
package final class CoderRegistry: Sendable {
    // A monitor rather than a mutex, because it must be held across `fork`.
    private let list: Monitor<[any ImageCoder]>
    /// For pictures of coders that leave the colours to others.
    private let colors: ColorConversion?

    /// A picture with a profile or code points as these options would have decoded it, in sRGB.
    package typealias ColorConversion =
        @Sendable (Image, DecodeOptions, StopSignal) throws(ImageError) -> Image

    package init(_ coders: [any ImageCoder] = [], colors: ColorConversion? = nil) {
        list = Monitor(coders)
        self.colors = colors
    }

    /// In the order of their registration.
    package var coders: [any ImageCoder] { list.withLock { $0 } }

    /// Asked before all others from now on; a coder already in the list moves.
    package func register(_ coder: any ImageCoder) {
        replace { coders in
            coders.removeAll { $0 === coder }
            coders.append(coder)
        }
    }

    /// An unknown coder changes nothing.
    package func unregister(_ coder: any ImageCoder) {
        replace { coders in coders.removeAll { $0 === coder } }
    }

    /// Every coder goes.
    package func unregisterAll() { replace { $0 = [] } }

    /// Below those of the host, in this order; those that are there already move.
    package func register(lowest: [any ImageCoder]) {
        replace { coders in
            coders.removeAll { coder in lowest.contains { $0 === coder } }
            coders.insert(contentsOf: lowest, at: 0)
        }
    }

    /// The old list is released outside the lock, because the end of a coder may call out.
    private func replace(_ change: (inout [any ImageCoder]) -> Void) {
        let old = list.withLock { coders in
            let old = coders
            change(&coders)
            return old
        }
        withExtendedLifetime(old) {}
    }

    package func lockForFork() { list.lock() }
    package func unlockAfterFork() { list.unlock() }

    // MARK: Looking up

    /// The coder that recognises the bytes; where none does and they carry no signature, the one that decodes `hint`.
    package func coder(for bytes: Bytes, hint: ImageFormat = .undefined) -> (any ImageCoder)? {
        let coders = coders
        if let coder = coders.last(where: { $0.canDecode(bytes) }) { return coder }
        guard hint != .undefined, FormatSniffer.format(of: bytes) == .undefined else { return nil }
        return coders.last { $0.decodableFormats.contains(hint) }
    }

    package func canDecode(_ bytes: Bytes) -> Bool { coders.contains { $0.canDecode(bytes) } }
    package func canEncode(_ format: ImageFormat) -> Bool { coders.contains { $0.canEncode(format) } }

    // MARK: Working

    /// Reads headers only. The budget starts here.
    package func info(
        _ bytes: Bytes, options: DecodeOptions = DecodeOptions(), stop: StopSignal = StopSignal(),
        coder override: (any ImageCoder)? = nil
    ) throws(ImageError) -> ImageInfo {
        let coder = try choose(for: bytes, options: options, override: override)
        stop.start(nanoseconds: options.limits.workNanoseconds, encodedBytes: bytes.count)
        try stop.check()
        var options = options
        options.limits = options.limits.accounted
        return try coder.info(bytes, options: options, stop: stop)
    }

    /// Decodes with `coder`, or else the first that recognises the bytes; its answer is final. The budget
    /// starts here.
    package func decode(
        _ bytes: Bytes, options: DecodeOptions, stop: StopSignal, coder override: (any ImageCoder)? = nil
    ) throws(ImageError) -> Image {
        let coder = try choose(for: bytes, options: options, override: override)
        stop.start(nanoseconds: options.limits.workNanoseconds, encodedBytes: bytes.count)
        try stop.check()
        var options = options
        options.limits = options.limits.accounted
        return try Engine.helped { [options] () throws(ImageError) in try coder.decode(bytes, options: options, stop: stop) }
    }

    /// A picture that came without bytes, as these options would have decoded it.
    package func fit(_ image: Image, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> Image {
        guard options.convertToSRGB, let colors else { return try image.fitted(options, stop: stop) }
        return try colors(image, options, stop)
    }

    /// A decoder for bytes of which these are the first; they are not given to it yet. The budget is the caller's.
    package func open(
        _ bytes: Bytes, options: DecodeOptions, stop: StopSignal, coder override: (any ImageCoder)? = nil
    ) throws(ImageError) -> any ImageDecoder {
        let coder = try choose(for: bytes, options: options, override: override)
        return try coder.open(options: options, stop: stop) ?? coder.whole(options: options)
    }

    /// A decoder that reads what it needs from a source, of which `start` are the first bytes; nil when the coder of the
    /// format wants them all in memory.
    package func open(
        _ source: any ByteSource, start: Bytes, options: DecodeOptions, stop: StopSignal,
        coder override: (any ImageCoder)? = nil
    ) throws(ImageError) -> (any ImageDecoder)? {
        try choose(for: start, options: options, override: override).open(source: source, options: options, stop: stop)
    }

    /// Encodes with the first coder that claims the format; undefined is PNG for a picture with alpha, else
    /// JPEG. The clock of the work limit starts here.
    package func encode(
        _ image: Image, format wanted: ImageFormat, options: EncodeOptions, stop: StopSignal
    ) throws(ImageError) -> Bytes {
        let format = wanted != .undefined ? wanted : image.metadata.hasAlpha ? .png : .jpeg
        guard let coder = coders.last(where: { $0.canEncode(format) }) else {
            throw ImageError(.unsupported, "no coder encodes \(format.name)")
        }
        try options.check()
        stop.allow(nanoseconds: options.workNanoseconds)
        // What all frames come from.
        if options.keepsEverything, image.isAsDecoded, let own = image.frames?.encoded, FormatSniffer.format(of: own) == format {
            return own
        }
        let prepared = try image.prepared(options, stop: stop)
        return try Engine.helped { () throws(ImageError) in
            try coder.encode(prepared, format: format, options: options.accounted, stop: stop)
        }
    }

    private func choose(
        for bytes: Bytes, options: DecodeOptions, override: (any ImageCoder)?
    ) throws(ImageError) -> any ImageCoder {
        guard !bytes.isEmpty else { throw ImageError(.emptyData, "no bytes to decode") }
        if let coder = override ?? coder(for: bytes, hint: options.formatHint) { return coder }
        let format = FormatSniffer.format(of: bytes)
        guard format == .undefined else { throw ImageError(.unsupported, "no coder for \(format.name) is registered") }
        throw ImageError(.notAnImage, "no coder recognises the bytes (sniffed: \(format.name))")
    }
}
