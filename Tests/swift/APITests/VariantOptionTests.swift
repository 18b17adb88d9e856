import CSDImage
import TestSupport
import Testing

/// Loads of one URL with different options, after one of which the disk may have a variant.
@Suite struct VariantOptionTests {
    private typealias Change = (OpaquePointer) throws -> Void

    /// Properties of a loaded image.
    private struct Loaded: Equatable {
        let size: [UInt32]
        let format: sdimage_pixel_format
        let isTransformed: Bool
        let orientation: sdimage_orientation
        let hasProfile: Bool

        init(_ image: OpaquePointer?) {
            size = [sdimage_image_width(image), sdimage_image_height(image)]
            format = sdimage_image_pixel_format(image)
            isTransformed = sdimage_image_is_transformed(image)
            orientation = sdimage_image_orientation(image)
            hasProfile = sdimage_image_color_profile(image) != nil
        }
    }

    private static let thumbnailKey = "test://h/a.png\u{1F}Thumbnail({4.000000,4.000000},1)"

    private func load(_ manager: Owned, _ change: Change) throws -> Loaded {
        let request = makeRequest("test://h/a.png")
        sdimage_request_set_wait_for_store(request.pointer, true)
        try change(request.pointer)
        let result = try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
        return withExtendedLifetime(result) { Loaded(sdimage_result_image(result.pointer)) }
    }

    /// The image of the last request, after the others were loaded and memory was emptied between them.
    private func last(_ file: [UInt8], inMemory: Bool = false, _ changes: [Change]) throws -> Loaded? {
        let cache = try makeCache(in: TemporaryDirectory())
        let manager = try makeManager(cache: cache, loader: try ScriptedLoader.answering(file).makeLoader())
        var loaded: Loaded?
        for change in changes {
            loaded = try load(manager, change)
            if !inMemory { _ = sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) }
        }
        return loaded
    }

    /// A translucent picture in colors, 8 x 4, or an opaque one.
    private func picture(_ format: sdimage_format, hasAlpha: Bool) throws -> [UInt8] {
        let pixels: sdimage_pixel_format = hasAlpha ? .SDIMAGE_PIXEL_FORMAT_RGBA8 : .SDIMAGE_PIXEL_FORMAT_RGB8
        let image = try DrawnPicture.draw(8, 4, pixels) { x, y in [UInt8(x * 30), UInt8(y * 60), 90] + (hasAlpha ? [99] : []) }
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, format, nil, $0, $1) }
        return withExtendedLifetime(data) {
            Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
        }
    }

    private func thumbnail(_ request: OpaquePointer) {
        sdimage_request_set_thumbnail_size(request, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
    }

    private func flip(_ request: OpaquePointer) throws {
        let flip = try make(sdimage_transformer_unref) { sdimage_transformer_new_flip(true, false, $0, $1) }
        sdimage_request_set_transformer(request, flip.pointer)
        withExtendedLifetime(flip) {}
    }

    // MARK: Pixel formats

    @Test(arguments: [sdimage_pixel_format.SDIMAGE_PIXEL_FORMAT_GRAY8, .SDIMAGE_PIXEL_FORMAT_RGB8], [false, true])
    func anImageWithoutColorsOrAlphaServesNoOtherLoads(_ format: sdimage_pixel_format, isTransformed: Bool) throws {
        let derived: Change = { request in
            if isTransformed { try flip(request) } else { thumbnail(request) }
        }
        let reduced: Change = { request in
            try derived(request)
            sdimage_request_set_pixel_format(request, format)
        }
        let file = try picture(.SDIMAGE_FORMAT_PNG, hasAlpha: true)
        #expect(try last(file, [reduced])?.format == format)
        #expect(try last(file, [reduced, derived])?.format == .SDIMAGE_PIXEL_FORMAT_RGBA8)
        // The complete image serves them.
        #expect(try last(file, [derived, reduced])?.format == format)
    }

    /// A JPEG has no alpha channel that RGB8 could lack.
    @Test func aThumbnailOfAJPEGInRGBIsStored() throws {
        let file = try picture(.SDIMAGE_FORMAT_JPEG, hasAlpha: false)
        for format in [sdimage_pixel_format.SDIMAGE_PIXEL_FORMAT_RGB8, .SDIMAGE_PIXEL_FORMAT_GRAY8] {
            let cache = try makeCache(in: TemporaryDirectory())
            let manager = try makeManager(cache: cache, loader: try ScriptedLoader.answering(file).makeLoader())
            _ = try load(manager) { request in
                thumbnail(request)
                sdimage_request_set_pixel_format(request, format)
            }
            let isStored = diskBytes(cache, VariantOptionTests.thumbnailKey) != nil
            #expect(isStored == (format == .SDIMAGE_PIXEL_FORMAT_RGB8))
        }
    }

    // MARK: Scale

    private func crop(_ request: OpaquePointer, scale: Double?) throws {
        let part = sdimage_rect(x: 0, y: 0, width: 4, height: 2)
        let crop = try make(sdimage_transformer_unref) { sdimage_transformer_new_crop(part, $0, $1) }
        sdimage_request_set_transformer(request, crop.pointer)
        withExtendedLifetime(crop) {}
        guard let scale else { return }
        let options = decodeOptions { sdimage_decode_options_set_scale($0, scale) }
        sdimage_request_set_decode_options(request, options.pointer)
        withExtendedLifetime(options) {}
    }

    @Test(arguments: [true, false]) func aCropMeasuresInThePointsOfItsLoad(isScaledFirst: Bool) throws {
        let file = makePNG(width: 16, height: 8)
        let changes: [Change] = [{ try crop($0, scale: 2) }, { try crop($0, scale: nil) }]
        let loaded = try last(file, isScaledFirst ? changes : changes.reversed())
        #expect(loaded?.size == (isScaledFirst ? [4, 2] : [8, 4]))
    }

    /// An image and an animation in memory whose scale is 1.
    @Test(arguments: [true, false]) func aCropOfAnOriginalInMemoryMeasuresInThePointsOfItsLoad(isAnimated: Bool) throws {
        let cache = try makeCache(in: nil)
        let manager = try makeManager(cache: cache, loader: try ScriptedLoader.answering([]).makeLoader())
        let image = try MovingPicture.image(
            isAnimated ? try MovingPicture.bytes(2, .SDIMAGE_FORMAT_GIF, side: 16) : makePNG(width: 16, height: 16))
        #expect(sdimage_cache_set_memory_image(cache.pointer, "test://h/a.gif", -1, image.pointer, nil) == .SDIMAGE_STATUS_OK)
        let request = makeRequest("test://h/a.gif")
        try crop(request.pointer, scale: 2)
        sdimage_request_set_transform_animated(request.pointer, true)
        setOriginalQueryLayers(request.pointer, .SDIMAGE_CACHE_LAYERS_ALL)
        let result = try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
        let cropped = sdimage_result_image(result.pointer)
        #expect(sdimage_image_width(cropped) == 8 && sdimage_image_scale(cropped) == 2)
        if isAnimated {
            let frame = try make(sdimage_image_unref) { sdimage_image_get_frame(cropped, 1, $0, $1) }
            #expect(sdimage_image_width(frame.pointer) == 8)
        }
        withExtendedLifetime(result) {}
    }

    @Test func anOriginalInMemoryThatFitsIntoItsBoxIsAThumbnail() throws {
        let cache = try makeCache(in: nil)
        let manager = try makeManager(cache: cache, loader: try ScriptedLoader.answering([]).makeLoader())
        let image = try makeImage(width: 3)
        #expect(sdimage_cache_set_memory_image(cache.pointer, "test://h/a.png", -1, image.pointer, nil) == .SDIMAGE_STATUS_OK)
        let request = makeRequest("test://h/a.png")
        thumbnail(request.pointer)
        setOriginalQueryLayers(request.pointer, .SDIMAGE_CACHE_LAYERS_ALL)
        let result = try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
        let loaded = sdimage_result_image(result.pointer)
        #expect(sdimage_image_width(loaded) == 3 && sdimage_image_is_thumbnail(loaded))
        withExtendedLifetime(result) {}
    }

    // MARK: Pixels as stored

    @Test func anOrientationThatALoadLeavesIsNotApplied() throws {
        let asStored: Change = { request in
            let options = decodeOptions { sdimage_decode_options_set_apply_orientation($0, false) }
            sdimage_request_set_decode_options(request, options.pointer)
            withExtendedLifetime(options) {}
            thumbnail(request)
        }
        let loaded = try last(try Fixtures.bytes("jpeg/turned_6.jpg"), [thumbnail, asStored])
        #expect(loaded?.size == [4, 3] && loaded?.orientation == .SDIMAGE_ORIENTATION_RIGHT)
    }

    @Test(arguments: [false, true]) func colorsThatALoadLeavesAreNotConverted(isTransformed: Bool) throws {
        let converted: Change = { request in
            if isTransformed { try flip(request) } else { thumbnail(request) }
        }
        let asStored: Change = { request in
            let options = decodeOptions { sdimage_decode_options_set_convert_to_srgb($0, false) }
            sdimage_request_set_decode_options(request, options.pointer)
            withExtendedLifetime(options) {}
            try converted(request)
        }
        let file = try Fixtures.bytes("jpeg/ramp_profile.jpg")
        #expect(try last(file, [converted])?.hasProfile == false)
        #expect(try last(file, [converted, asStored])?.hasProfile == true)
    }

    // MARK: Animations

    private func changes(_ transformer: Owned, _ set: @escaping (OpaquePointer, Bool) -> Void) -> [Change] {
        [true, false].map { isTransformed in
            { request in
                sdimage_request_set_transformer(request, transformer.pointer)
                set(request, isTransformed)
            }
        }
    }

    @Test(arguments: [true, false], [true, false])
    func anAnimationIsTransformedForLoadsThatWantIt(inMemory: Bool, isTransformedFirst: Bool) throws {
        let transformer = try CountingTransformer(width: 5).makeTransformer(key: "five")
        let changes = changes(transformer) { sdimage_request_set_transform_animated($0, $1) }
        let file = try MovingPicture.bytes(2, .SDIMAGE_FORMAT_GIF)
        let loaded = try last(file, inMemory: inMemory, isTransformedFirst ? changes : changes.reversed())
        #expect(loaded?.size == (isTransformedFirst ? [8, 8] : [5, 1]))
        #expect(loaded?.isTransformed == !isTransformedFirst)
    }

    /// The choice makes no difference for a still.
    @Test(arguments: [true, false]) func aTransformedStillOnDiskServesBoth(isFirst: Bool) throws {
        let counting = CountingTransformer(width: 5)
        let changes = changes(try counting.makeTransformer(key: "five")) { sdimage_request_set_transform_animated($0, $1) }
        let loaded = try last(makePNG(width: 8, height: 8), isFirst ? changes : changes.reversed())
        #expect(loaded?.size == [5, 1] && counting.keys.count == 1)
    }
}

/// Serialized: registered coders are those of the process.
@Suite(.serialized) struct VectorVariantTests {
    private func load(_ manager: Owned, _ transformer: Owned, _ isTransformed: Bool) throws
        -> (width: UInt32, isTransformed: Bool)
    {
        let request = makeRequest("test://h/a.vect")
        sdimage_request_set_wait_for_store(request.pointer, true)
        sdimage_request_set_transformer(request.pointer, transformer.pointer)
        sdimage_request_set_transform_vector(request.pointer, isTransformed)
        let result = try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
        let image = sdimage_result_image(result.pointer)
        return withExtendedLifetime(result) { (sdimage_image_width(image), sdimage_image_is_transformed(image)) }
    }

    @Test(arguments: [true, false], [true, false])
    func aVectorImageIsTransformedForLoadsThatWantIt(inMemory: Bool, isTransformedFirst: Bool) throws {
        let coder = try makeVectorCoder()
        #expect(sdimage_coder_register(coder.pointer, nil) == .SDIMAGE_STATUS_OK)
        defer { sdimage_coder_unregister(coder.pointer, nil) }
        let transformer = try CountingTransformer(width: 5).makeTransformer(key: "five")
        let cache = try makeCache(in: TemporaryDirectory())
        let loader = try ScriptedLoader.answering(Array("VECTOR".utf8)).makeLoader()
        let manager = try makeManager(cache: cache, loader: loader)
        for isTransformed in [isTransformedFirst, !isTransformedFirst, isTransformedFirst] {
            let loaded = try load(manager, transformer, isTransformed)
            #expect(loaded.width == (isTransformed ? 5 : 20) && loaded.isTransformed == isTransformed)
            if !inMemory { _ = sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) }
        }
    }
}
