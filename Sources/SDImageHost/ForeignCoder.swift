import CSDImage
import SDImage

/// A coder of the host, of a module or of a plug-in: the adapter of `sdimage_coder_vtable` (include/sdimage/sys/coder.h).
///
/// The registry calls it on the thread of the operation. `CoderFunctions` decides whether the host's function runs there, too.
package final class ForeignCoder: ImageCoder {
    package let name: String
    package var libraryVersion: String { "" }
    package var decodableFormats: [ImageFormat] {
        guard let decodes = unsafe functions.table.can_decode_format else { return [] }
        return ImageFormat.allCases.filter { format in unsafe decodes(functions.userData, format.code) && format != .unknown }
    }
    /// The table, and the way to call it.
    private let functions: CoderFunctions
    /// True if the coder asks to be isolated by default (`Isolation.risky`).
    package let isRisky: Bool
    /// The host, or the file of a module.
    package let origin: CoderOrigin

    /// Copies the table; throws if it has no function to recognize or to decode.
    package init(
        name: String, _ table: UnsafePointer<sdimage_coder_vtable>?, _ foreign: Foreign, _ registry: CoderRegistry
    ) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_coder_vtable>.offset(of: \.can_encode) ?? 0
        let copy = unsafe try Input.table(table, size: size, required: required, empty: sdimage_coder_vtable())
        guard unsafe copy.can_decode != nil, unsafe copy.decode != nil else {
            throw ImageError(.invalidArgument, "coder: vtable lacks can_decode or decode")
        }
        self.name = name
        isRisky = copy.is_risky
        origin = unsafe copy.module?(foreign.userData).map { unsafe .module(path: String(cString: $0)) } ?? .host
        functions = CoderFunctions(ForeignTable(copy, foreign), registry)
    }

    package func canDecode(_ bytes: Bytes) -> Bool {
        unsafe functions.table.can_decode(functions.userData, bytes.pointer, bytes.count)
    }

    /// True if the coder reads headers.
    private var describes: Bool { unsafe functions.table.info != nil || functions.table.describe != nil }

    /// The properties from the header, or those of the decoded image if the coder does not read headers.
    package func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo {
        guard describes else {
            // At full size: decoding a thumbnail of a vector image asks for this information.
            var full = options
            (full.thumbnailSize, full.limitBytes) = (nil, 0)
            let image = try decode(bytes, options: full, stop: stop)
            var metadata = image.metadata
            metadata.sourceSize = metadata.sourceSize ?? image.size
            return ImageInfo(metadata, pixels: image.pixels.format)
        }
        return ImageInfo(try describe(bytes, options, stop), pixels: nil)
    }

    /// Calls `describe`, or the older `info`, which has no options. The host fills in the metadata.
    private func describe(_ bytes: Bytes, _ options: DecodeOptions, _ stop: CancellationToken) throws(ImageError) -> ImageMetadata
    {
        let budget = WorkBudget(stop, options.limits)
        let bytes = try functions.lasting(bytes)
        return try functions.call(budget) { [functions] () throws(ImageError) in
            let metadata = MetadataObject(ImageMetadata())
            let lent = DecodeOptionsObject.lending(options, budget: budget)
            var error: Object = nil
            let table = functions.table
            let status =
                unsafe table.describe?(
                    functions.userData, bytes.pointer, bytes.count, Handle.lend(lent), Handle.lend(metadata), &error)
                ?? table.info?(functions.userData, bytes.pointer, bytes.count, Handle.lend(metadata), &error)
            withExtendedLifetime(lent) {}
            defer { unsafe Handle.unref(error, as: ImageError.self) }
            guard let status else { throw ImageError(.unsupported, "coder: vtable lacks the function") }
            guard status.rawValue >= 0 else { throw unsafe .foreign(status, error) }
            return metadata.value
        }
    }

    /// Decodes a vector image, an animation or a still, whichever the table has functions for.
    package func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        try stop.check()
        let bytes = try functions.lasting(bytes)
        // A coder that draws is asked to draw, even if it has frames, too.
        if unsafe functions.table.render != nil { return try draw(bytes, options, stop) }
        if let moving = try decodeMoving(bytes, options, stop) { return moving }
        return try functions.finished(decoded(bytes, options, stop), options, stop: stop)
    }

    /// Decodes an animation with the instance that also makes its frames; nil for still images.
    private func decodeMoving(_ bytes: Bytes, _ options: DecodeOptions, _ stop: CancellationToken) throws(ImageError) -> Image? {
        guard !options.firstFrameOnly, unsafe functions.table.instance_frame != nil else { return nil }
        // A coder that reads headers first reports whether the image is animated.
        let count = countsFrames(options) ? try info(bytes, options: options, stop: stop).frameCount : nil
        // Without a header, only the instance knows the number of frames.
        guard count ?? 2 > 1, let decoder = try ForeignDecoder(functions, options: options) else { return nil }
        try decoder.update(try bytes.copiedIfLent(), isFinished: true, stop: stop)
        guard decoder.frameCount > 1 else { return nil }
        return try decoder.image(stop: stop)
    }

    /// A decoder of bytes that arrive; nil if the table has no instances.
    package func open(options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? {
        guard countsFrames(options) else { return try ForeignDecoder(functions, options: options) }
        // `decode` reads the header first: a decoder returns the error of a truncated file, too.
        return try ForeignDecoder(functions, options: options) { [self] bytes, stop throws(ImageError) in
            _ = try info(bytes, options: options, stop: stop)
        }
    }

    /// True if decoding reads the header for the number of frames.
    private func countsFrames(_ options: DecodeOptions) -> Bool {
        unsafe !options.firstFrameOnly && functions.table.render == nil && functions.table.instance_frame != nil && describes
    }

    package func open(source: any ByteSource, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (
        any ImageDecoder
    )? {
        try ForeignDecoder(functions, source: source, options: options, stop: stop)
    }

    /// Draws a vector image: at its own size by `decode`, at any other by `render`.
    private func draw(_ bytes: Bytes, _ options: DecodeOptions, _ stop: CancellationToken) throws(ImageError) -> Image {
        let vector = ForeignVector(functions, bytes: try bytes.copiedIfLent(), options: options)
        guard options.wantsThumbnail || options.limitBytes > 0 else {
            return try functions.finished(decoded(bytes, options, stop), options, stop: stop).with(vector: vector)
        }
        // The size in the file determines the size to draw, which may be larger.
        let own = try info(bytes, options: options, stop: stop).displayedSize
        var image = try vector.render(ForeignVector.size(own, options), stop: stop)
        var metadata = image.metadata
        metadata.sourceSize = own
        image = image.with(metadata)
        return try functions.finished(image, options, stop: stop).with(vector: vector)
    }

    /// Calls `decode` of the table.
    private func decoded(_ bytes: Bytes, _ options: DecodeOptions, _ stop: CancellationToken) throws(ImageError) -> Image {
        let budget = WorkBudget(stop, options.limits)
        return try functions.call(budget) { [functions] () throws(ImageError) in
            let lentOptions = DecodeOptionsObject.lending(options, budget: budget)
            var image: Object = nil
            var error: Object = nil
            let status = unsafe functions.table.decode(
                functions.userData, bytes.pointer, bytes.count, Handle.lend(lentOptions), &image, &error)
            withExtendedLifetime(lentOptions) {}
            return unsafe try ForeignCoder.take(status, image, error)
        }
    }

    /// Converts the status and the stored objects of a host function; takes over their references.
    /// `missing` is thrown for a success without an image.
    package static func take(
        _ status: sdimage_status?, _ image: Object, _ error: Object,
        missing: @autoclosure () -> ImageError = ImageError(.badData, "coder: no image returned")
    ) throws(ImageError) -> Image {
        defer {
            unsafe Handle.unref(image, as: Image.self)
            unsafe Handle.unref(error, as: ImageError.self)
        }
        guard let status else { throw ImageError(.unsupported, "coder: vtable lacks the function") }
        guard status.rawValue >= 0 else { throw unsafe .foreign(status, error) }
        guard let decoded = unsafe Handle.find(image, as: Image.self) else {
            throw missing()
        }
        return decoded
    }

    package func canEncode(_ format: ImageFormat) -> Bool {
        guard unsafe functions.table.encode != nil else { return false }
        return unsafe functions.table.can_encode?(functions.userData, format.code) ?? false
    }

    /// Encodes; the quality is chosen here if the options limit the size of the file.
    package func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes {
        // Encoding has no time limit of its own; the token may have one.
        let budget = WorkBudget(stop, nanoseconds: .max)
        return try options.keepingFileSize { quality throws(ImageError) in
            var options = options
            // The coder sees a fixed quality: the search for a file size is done here.
            options.quality = quality
            let chosen = options
            return try functions.call(budget) { [self] () throws(ImageError) in
                try encode(image, format, chosen, budget)
            }
        }
    }

    /// Calls `encode` of the table once.
    private func encode(
        _ image: Image, _ format: ImageFormat, _ options: EncodeOptions, _ budget: WorkBudget
    ) throws(ImageError) -> Bytes {
        let lentOptions = EncodeOptionsObject.lending(options, budget: budget)
        var data: Object = nil
        var error: Object = nil
        let status = unsafe functions.table.encode?(
            functions.userData, Handle.lend(image), format.code, Handle.lend(lentOptions), &data, &error)
        withExtendedLifetime(lentOptions) {}
        defer {
            unsafe Handle.unref(data, as: Bytes.self)
            unsafe Handle.unref(error, as: ImageError.self)
        }
        guard let status else { throw ImageError(.unsupported, "\(name): cannot encode") }
        guard status.rawValue >= 0 else { throw unsafe .foreign(status, error) }
        guard let bytes = unsafe Handle.find(data, as: Bytes.self), !bytes.isEmpty else {
            throw ImageError(.encodeFailed, "coder: no bytes returned")
        }
        return bytes
    }
}

extension ImageInfo {
    /// Header information from a coder of the host. `pixels`: the decoded format, if decoding was necessary.
    fileprivate init(_ metadata: ImageMetadata, pixels: PixelFormat?) {
        self.init()
        format = metadata.format
        orientation = metadata.orientation
        let displayed = metadata.sourceSize ?? storedSize
        storedSize = orientation.swapsAxes ? displayed.swapped : displayed
        frameCount = metadata.frameCount
        loopCount = metadata.loopCount
        durationMilliseconds = metadata.durationMilliseconds
        hasAlpha = metadata.hasAlpha
        isProgressive = metadata.isProgressive
        hasColorProfile = metadata.colorProfile != nil
        colorProfile = metadata.colorProfile
        exif = metadata.exif.flatMap(ExifDirectory.block)
        xmp = metadata.xmp
        dpi = exif.flatMap(ExifResolution.read)
        isHighDynamicRange = metadata.cicp?.isHighDynamicRange ?? false
        transfer = metadata.cicp?.transfer ?? 0
        hasGainMap = metadata.gainMap != nil
        contentHeadroom = metadata.gainMap?.headroom ?? metadata.cicp?.headroom ?? 0
        channels = metadata.channels > 0 ? metadata.channels : pixels?.channels ?? (hasAlpha ? 4 : 3)
        bitsPerChannel = metadata.bitsPerChannel > 0 ? metadata.bitsPerChannel : (pixels?.bytesPerChannel ?? 1) * 8
    }
}
