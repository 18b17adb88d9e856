/// Size, format and load options of all images of one array.
package struct BatchOptions: Sendable {
    /// Loads under way at the same time if the caller sets no number.
    package static let standardConcurrency = 64

    /// Size of every image in the array, in pixels.
    package var size: PixelSize
    /// Format of the rows in the array; the format of images in memory may differ.
    package var format = PixelFormat.rgb8
    /// Placement of an image with another aspect ratio in `size`.
    package var mode = ScaleMode.aspectFill
    /// The color behind transparent pixels if the format has no alpha.
    package var background = Color(red: 0, green: 0, blue: 0)
    /// Distance between two rows in bytes; 0 = tight.
    package var rowStride = 0
    /// Distance between the first bytes of two images, in bytes; 0 = tight.
    package var imageStride = 0
    /// The request for each image; its URL is replaced.
    package var request: ImageRequest?
    /// Loads under way at the same time, passed to `Prefetcher.maxConcurrent`.
    package var maxConcurrent = BatchOptions.standardConcurrency
    /// Calls the handler of the batch; nil for the callback thread of the library.
    package var dispatcher: (any Dispatcher)?

    package init(size: PixelSize) { self.size = size }

    /// The layout of the array. Throws for strides that are too small and sizes that overflow.
    package func layout() throws(ImageError) -> ImageArray.Layout {
        try ImageArray.Layout(size, format, rowStride: rowStride, imageStride: imageStride)
    }

    /// The transformer that brings an image to `size`.
    func resize() throws(ImageError) -> ResizeTransformer {
        try ResizeTransformer(width: Double(size.width), height: Double(size.height), mode: mode)
    }

    /// The request for one image: decoded no larger than necessary, then resized after its other transformations.
    /// `transformer`: that of the manager, for requests that do not set one.
    func request(transformer: (any ImageTransformer)?) throws(ImageError) -> ImageRequest {
        var request = self.request ?? ImageRequest(url: [])
        let resize = try resize()
        let changes = request.transformer.resolved(transformer)
        // Without other transformers the decoder may produce the final size itself, without a full bitmap.
        if changes == nil {
            request.decodeOptions.thumbnailSize = size
            request.decodeOptions.thumbnailMode = mode
        }
        // The resize remains in either case: a decoder may deliver a size near the requested one.
        request.transformer = .value(changes.map { TransformerPipeline([$0, resize]) } ?? resize)
        request.transformsVector = true
        // The array takes one still image for each URL, so partial images, data and further frames are not needed.
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

    /// Writes one image to its position in the array, on the thread that finished its load.
    /// Resizes an image of another size first, within the time limit of the call.
    func write(_ image: Image, at index: Int) throws(ImageError) {
        guard image.size != array.layout.size else { return try array.write(image, at: index) }
        // An image whose transformer failed arrives untransformed.
        var metadata = image.metadata
        // Sizes of transformers are in points, those of the array in pixels.
        metadata.scale = 1
        let stop = CancellationToken()
        stop.allow(nanoseconds: timeLimit)
        let sized = try resize.transform(image.with(metadata), cacheKey: CacheKey([]), stop: stop)
        try array.write(sized, at: index)
    }
}

extension ImageManager {
    /// Loads a list of images into an array; nil for an empty list.
    /// The loads are those of a `Prefetcher` that the group keeps alive. The caller keeps the memory of `array` until
    /// the group has ended.
    package func loadBatch(
        _ urls: [[UInt8]], _ options: BatchOptions, into array: ImageArray, handler: (any PrefetchHandler)?,
        owner: (any Sendable & AnyObject)?
    ) throws(ImageError) -> PrefetchGroup? {
        // Checked here, because an empty list would otherwise succeed on a closed manager.
        if isClosed { throw ImageError(.shutdown, "manager: closed") }
        let lease = try Engine.acquire()
        let loads = Prefetcher(manager: self, dispatcher: options.dispatcher ?? LibraryDispatcher(lease: lease), lease: lease)
        loads.maxConcurrent = options.maxConcurrent
        return try loads.start(
            urls, request: try options.request(transformer: transformer), into: try BatchArray(array, options),
            handler: handler, owner: owner)
    }
}
