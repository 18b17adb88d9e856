/// Size, format and load options of all images of one array.
package struct BatchOptions: Sendable {
    package static let standardConcurrency = 64

    package var size: PixelSize
    package var format = PixelFormat.rgb8
    package var mode = ScaleMode.aspectFill
    /// The color behind transparent pixels if the format has no alpha.
    package var background = Color(red: 0, green: 0, blue: 0)
    /// In bytes; 0 = tight.
    package var rowStride = 0
    package var imageStride = 0
    /// The request for each image; its URL is replaced.
    package var request: ImageRequest?
    package var maxConcurrent = BatchOptions.standardConcurrency
    package var dispatcher: (any Dispatcher)?

    package init(size: PixelSize) { self.size = size }

    package func layout() throws(ImageError) -> ImageArray.Layout {
        try ImageArray.Layout(size, format, rowStride: rowStride, imageStride: imageStride)
    }

    func resize() throws(ImageError) -> ResizeTransformer {
        try ResizeTransformer(width: Double(size.width), height: Double(size.height), mode: mode)
    }

    /// The request for one image: decoded no larger than necessary, then resized after its other transformations.
    func request(transformer: (any ImageTransformer)?) throws(ImageError) -> ImageRequest {
        var request = self.request ?? ImageRequest(url: [])
        let resize = try resize()
        let changes = request.transformer.resolved(transformer)
        if changes == nil {
            request.decodeOptions.thumbnailSize = size
            request.decodeOptions.thumbnailMode = mode
        }
        request.transformer = .value(changes.map { TransformerPipeline([$0, resize]) } ?? resize)
        request.transformsVector = true
        request.isProgressive = false
        request.includesData = false
        request.decodeOptions.firstFrameOnly = true
        // Sizes of transformers are in points.
        request.decodeOptions.scale = 1
        // Other formats are converted while the image is written, whatever its format in memory.
        request.decodeOptions.pixelFormat = format == .rgbaFloat ? format : nil
        request.decodeOptions.transfer = nil
        request.decodeOptions.keepsDepth = format.bytesPerChannel == 2
        return request
    }
}

/// The array of a host, and the resizing of images to its layout.
struct BatchArray: Sendable {
    let array: ImageArray
    private let resize: ResizeTransformer
    /// The time limit of the call that starts the batch; other threads write the images.
    private let timeLimit = CallTimeLimits.frame

    init(_ array: ImageArray, _ options: BatchOptions) throws(ImageError) {
        self.array = array
        resize = try options.resize()
    }

    func write(_ image: Image, at index: Int) throws(ImageError) {
        guard image.size != array.layout.size else { return try array.write(image, at: index) }
        // An image whose transformer failed arrives untransformed.
        var metadata = image.metadata
        metadata.scale = 1
        let stop = CancellationToken()
        stop.allow(nanoseconds: timeLimit)
        let sized = try resize.transform(image.with(metadata), cacheKey: CacheKey([]), stop: stop)
        try array.write(sized, at: index)
    }
}

extension ImageManager {
    /// Loads a list of images into an array; nil for an empty list.
    package func loadBatch(
        _ urls: [[UInt8]], _ options: BatchOptions, into array: ImageArray, handler: (any PrefetchHandler)?,
        owner: (any Sendable & AnyObject)?
    ) throws(ImageError) -> PrefetchGroup? {
        if isClosed { throw ImageError(.shutdown, "manager: closed") }
        let lease = try Engine.acquire()
        let loads = Prefetcher(manager: self, dispatcher: options.dispatcher ?? LibraryDispatcher(lease: lease), lease: lease)
        loads.maxConcurrent = options.maxConcurrent
        return try loads.start(
            urls, request: try options.request(transformer: transformer), into: try BatchArray(array, options),
            handler: handler, owner: owner)
    }
}
