import CSDImage
import SDImage

/// A coder of the host.
final class ForeignCoder: ImageCoder {
    let name: String
    var libraryVersion: String { "" }
    var decodableFormats: [ImageFormat] { [] }
    private let host: ForeignTable<sdimage_coder_vtable>

    init(name: String, _ table: UnsafePointer<sdimage_coder_vtable>?, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let required = unsafe MemoryLayout<sdimage_coder_vtable>.offset(of: \.can_encode) ?? 0
        let copy = unsafe try Input.table(table, size: size, required: required, empty: sdimage_coder_vtable())
        guard unsafe copy.can_decode != nil, unsafe copy.decode != nil else {
            throw ImageError(.invalidArgument, "the table lacks can_decode or decode")
        }
        self.name = name
        host = ForeignTable(copy, foreign)
    }

    func canDecode(_ bytes: Bytes) -> Bool { unsafe host.table.can_decode(host.userData, bytes.pointer, bytes.count) }

    func info(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> ImageInfo {
        guard unsafe host.table.info != nil || host.table.describe != nil else {
            let image = try decode(bytes, options: options, stop: stop)
            var metadata = image.metadata
            metadata.sourceSize = metadata.sourceSize ?? image.size
            return ImageInfo(metadata, pixels: image.pixels.format)
        }
        return ImageInfo(try describe(bytes, options), pixels: nil)
    }

    private func describe(_ bytes: Bytes, _ options: DecodeOptions) throws(ImageError) -> ImageMetadata {
        let metadata = MetadataObject(ImageMetadata())
        let lent = DecodeOptionsObject(options)
        var error: Object = nil
        let status =
            unsafe host.table.describe?(
                host.userData, bytes.pointer, bytes.count, Handle.lend(lent), Handle.lend(metadata), &error)
            ?? host.table.info?(host.userData, bytes.pointer, bytes.count, Handle.lend(metadata), &error)
        withExtendedLifetime(lent) {}
        defer { unsafe Handle.unref(error, as: ImageError.self) }
        guard let status else { throw ImageError(.unsupported, "the coder lacks the function") }
        guard status.rawValue >= 0 else { throw unsafe .foreign(status, error) }
        return metadata.value
    }

    func decode(_ bytes: Bytes, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> Image {
        try stop.check()
        if unsafe host.table.render != nil { return try draw(bytes, options, stop) }
        if let moving = try decodeMoving(bytes, options, stop) { return moving }
        return try picture(bytes, options).finished(options, stop: stop)
    }

    /// An animation, by the instance that also makes its frames; nil for stills.
    private func decodeMoving(_ bytes: Bytes, _ options: DecodeOptions, _ stop: StopSignal) throws(ImageError) -> Image? {
        guard !options.firstFrameOnly, unsafe host.table.instance_frame != nil else { return nil }
        // A coder that reads headers is asked first whether the picture moves at all.
        let isTold = unsafe host.table.info != nil || host.table.describe != nil
        let count = isTold ? try info(bytes, options: options, stop: stop).frameCount : nil
        guard count ?? 2 > 1, let decoder = try ForeignDecoder(host, options: options) else { return nil }
        try decoder.update(try bytes.kept(), isFinished: true, stop: stop)
        guard decoder.frameCount > 1, let first = try decoder.image(stop: stop) else { return nil }
        return first.with(frames: decoder)
    }

    func open(options: DecodeOptions, stop: StopSignal) throws(ImageError) -> (any ImageDecoder)? {
        try ForeignDecoder(host, options: options)
    }

    func open(source: any ByteSource, options: DecodeOptions, stop: StopSignal) throws(ImageError) -> (any ImageDecoder)? {
        try ForeignDecoder(host, source: source, options: options)
    }

    /// A vector picture: at its own size by `decode`, at any other by `render`.
    private func draw(_ bytes: Bytes, _ options: DecodeOptions, _ stop: StopSignal) throws(ImageError) -> Image {
        let vector = ForeignVector(host, bytes: try bytes.kept(), options: options)
        guard options.wantsThumbnail || options.limitBytes > 0 else {
            return try picture(bytes, options).finished(options, stop: stop).with(vector: vector)
        }
        let own = try info(bytes, options: options, stop: stop).displayedSize
        var image = try vector.render(ForeignVector.size(own, options))
        var metadata = image.metadata
        metadata.sourceSize = own
        image = image.with(metadata)
        return try image.finished(options, stop: stop).with(vector: vector)
    }

    private func picture(_ bytes: Bytes, _ options: DecodeOptions) throws(ImageError) -> Image {
        let lentOptions = DecodeOptionsObject(options)
        let lentBag = options.bag.map { OptionsObject($0.bag) }
        var image: Object = nil
        var error: Object = nil
        let status = unsafe host.table.decode(
            host.userData, bytes.pointer, bytes.count, Handle.lend(lentOptions), Handle.lend(lentBag), &image, &error)
        withExtendedLifetime((lentOptions, lentBag)) {}
        return unsafe try ForeignCoder.take(status, image, error)
    }

    /// What a function of the host returned and stored; its references are taken over.
    static func take(_ status: sdimage_status?, _ image: Object, _ error: Object) throws(ImageError) -> Image {
        defer {
            unsafe Handle.unref(image, as: Image.self)
            unsafe Handle.unref(error, as: ImageError.self)
        }
        guard let status else { throw ImageError(.unsupported, "the coder lacks the function") }
        guard status.rawValue >= 0 else { throw unsafe .foreign(status, error) }
        guard let decoded = unsafe Handle.find(image, as: Image.self) else {
            throw ImageError(.badData, "the coder gave no picture")
        }
        return decoded
    }

    func canEncode(_ format: ImageFormat) -> Bool {
        guard unsafe host.table.encode != nil else { return false }
        return unsafe host.table.can_encode?(host.userData, format.code) ?? false
    }

    func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: StopSignal
    ) throws(ImageError) -> Bytes {
        try options.keepingFileSize { quality throws(ImageError) in
            try stop.check()
            var options = options
            options.quality = quality
            return try encode(image, format, options)
        }
    }

    private func encode(_ image: Image, _ format: ImageFormat, _ options: EncodeOptions) throws(ImageError) -> Bytes {
        let lentOptions = EncodeOptionsObject(options)
        let lentBag = options.bag.map { OptionsObject($0.bag) }
        var data: Object = nil
        var error: Object = nil
        let status = unsafe host.table.encode?(
            host.userData, Handle.lend(image), format.code, Handle.lend(lentOptions), Handle.lend(lentBag), &data, &error)
        withExtendedLifetime((lentOptions, lentBag)) {}
        defer {
            unsafe Handle.unref(data, as: Bytes.self)
            unsafe Handle.unref(error, as: ImageError.self)
        }
        guard let status else { throw ImageError(.unsupported, "\(name) cannot encode") }
        guard status.rawValue >= 0 else { throw unsafe .foreign(status, error) }
        guard let bytes = unsafe Handle.find(data, as: Bytes.self), !bytes.isEmpty else {
            throw ImageError(.encodeFailed, "the coder gave no bytes")
        }
        return bytes
    }
}

extension Image {
    /// Shrunk, turned and converted as the options want, as far as the coder has not done it.
    func finished(_ options: DecodeOptions, stop: StopSignal) throws(ImageError) -> Image {
        let image = try Defaults.coders.fit(self, options: options, stop: stop)
        guard options.wantsThumbnail, options.limitBytes == 0, !image.metadata.isThumbnail else { return image }
        var metadata = image.metadata
        metadata.isThumbnail = true
        return image.with(metadata)
    }
}

extension ImageInfo {
    /// What a coder of the host said of a header. `pixels`: the format that it decoded to, where it had to.
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
        channels = metadata.channels > 0 ? metadata.channels : pixels?.channels ?? (hasAlpha ? 4 : 3)
        bitsPerChannel = metadata.bitsPerChannel > 0 ? metadata.bitsPerChannel : (pixels?.bytesPerChannel ?? 1) * 8
    }
}
