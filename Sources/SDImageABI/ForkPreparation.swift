import CSDImage
import SDImage
import SDImageHost
import Synchronization

/// Runs once, in the parent before its first fork, the calls that a child may make: info, decode and encode, and the FORKED
/// errors of all others.
///
/// The first use of a generic type takes a lock of the Swift runtime. A child whose parent had a thread inside that lock would
/// wait for it forever. After this a child finds every type it needs and takes no such lock, which `forks.c` checks. Calls no
/// code of the host: its coders are not in the registry used here.
enum ForkPreparation {
    /// The formats that are used, and the side of their images in pixels.
    private static let formats: [ImageFormat] = [.png, .jpeg, .gif, .webp, .bmp]
    private static let side: UInt32 = 8

    static func run() {
        // Another thread may be making the list of coders: the child must not find it incomplete.
        _ = Defaults.coders
        let registry = Defaults.makeRegistry()
        // Uses 4 and 3 channels: encoders convert one or the other.
        for format in [sdimage_pixel_format.SDIMAGE_PIXEL_FORMAT_RGB8, .SDIMAGE_PIXEL_FORMAT_RGBA8] { use(format, registry) }
        refuse()
    }

    /// Uses stills and an animation of one pixel format, in all file formats.
    private static func use(_ pixelFormat: sdimage_pixel_format, _ registry: CoderRegistry) {
        var still: Object = nil
        unsafe makeImage(pixelFormat, &still)
        var frames: [Object] = unsafe [still, still]
        var durations: [UInt32] = [100, 100]
        var moving: Object = nil
        _ = unsafe sdimage_image_new_animation(&frames, &durations, 2, 0, &moving, nil)
        for format in formats {
            unsafe useAll(still, format, registry)
            unsafe useAll(moving, format, registry)
        }
        unsafe sdimage_image_unref(still)
        unsafe sdimage_image_unref(moving)
    }

    private static func makeImage(_ pixelFormat: sdimage_pixel_format, _ image: inout Object) {
        var pixels: UserData = nil
        var stride = 0
        _ = unsafe sdimage_image_new_uninitialized(side, side, pixelFormat, &image, &pixels, &stride, nil)
        guard let pixels = unsafe pixels else { return }
        for index in 0..<stride * Int(side) {
            unsafe pixels.storeBytes(of: UInt8(truncatingIfNeeded: index &* 7), toByteOffset: index, as: UInt8.self)
        }
    }

    /// Encodes, then reads the result: in full, as a thumbnail, and truncated to half.
    private static func useAll(_ handle: Object, _ format: ImageFormat, _ registry: CoderRegistry) {
        var data: Object = nil
        _ = attempt(nil) { () throws(ImageError) in
            let options = unsafe sdimage_encode_options_new()
            defer { unsafe sdimage_encode_options_unref(options) }
            let image = unsafe try Handle.borrow(handle, as: Image.self)
            unsafe try give(
                try registry.encode(image, format: format, options: try Input.encodeOptions(options), stop: CancellationToken()),
                &data)
        }
        let bytes = unsafe sdimage_data_bytes(data)
        let length = unsafe sdimage_data_length(data)
        var info: Object = nil
        _ = attempt(nil) { () throws(ImageError) in
            unsafe try give(try InfoObject(try registry.info(try Input.callersBytes(bytes, length))), &info)
        }
        var json: Object = nil
        _ = unsafe sdimage_info_to_json(info, &json, nil)
        unsafe sdimage_data_unref(json)
        unsafe sdimage_info_unref(info)
        let thumbnail = unsafe sdimage_decode_options_new()
        unsafe sdimage_decode_options_set_thumbnail_size(thumbnail, side / 2, side / 2, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        unsafe decode(bytes, length, nil, registry)
        unsafe decode(bytes, length, thumbnail, registry)
        unsafe decode(bytes, length / 2, nil, registry)
        unsafe sdimage_decode_options_unref(thumbnail)
        unsafe sdimage_data_unref(data)
    }

    /// Decodes bytes and reads the second frame; errors are part of the preparation.
    private static func decode(_ bytes: UnsafeRawPointer?, _ length: Int, _ options: Object, _ registry: CoderRegistry) {
        var image: Object = nil
        var error: Object = nil
        _ = unsafe attempt(&error) { () throws(ImageError) in
            let options = unsafe try Input.decodeOptions(options)
            unsafe try give(try registry.decodeCallersBytes(bytes, length, options), &image)
        }
        var frame: Object = nil
        _ = unsafe sdimage_image_get_frame(image, 1, &frame, nil)
        unsafe sdimage_image_unref(frame)
        unsafe sdimage_image_unref(image)
        unsafe sdimage_error_unref(error)
    }

    /// Exercises the errors of calls that a child may not make, and the objects that such calls take.
    private static func refuse() {
        var error: Object = nil
        _ = unsafe attempt(&error) { () throws(ImageError) in throw .forked }
        _ = unsafe (sdimage_error_code(error), sdimage_error_message(error))
        unsafe sdimage_error_unref(error)
        let request = unsafe sdimage_request_new("data:,")
        unsafe sdimage_request_unref(request)
        // Makes the types of these objects, which a child may make too.
        unsafe sdimage_manager_config_unref(sdimage_manager_config_new())
        unsafe sdimage_target_options_unref(sdimage_target_options_new())
        unsafe sdimage_batch_options_unref(sdimage_batch_options_new(side, side))
        // Stored, so that the list is not optimized away.
        refusedCount.store(refused.count, ordering: .relaxed)
    }

    /// Classes that a child refuses. Comparing an object with its class is the first use of some of them.
    private static var refused: [AnyObject.Type] {
        [
            ManagerObject.self, CacheObject.self, LoaderObject.self, DispatcherObject.self, LoadTask.self, LoadSink.self,
            Reply.self, PrefetcherObject.self, PrefetchGroup.self, TargetObject.self,
            AnimationPlayer.self, AnimatedView.self, Resources.self,
        ]
    }

    /// Number of these classes.
    private static let refusedCount = Atomic<Int>(0)
}

/// Called by the at-fork handlers of the core, which does not know this module.
@_cdecl("sdi_prepare_fork")
public func prepareFork() { ForkPreparation.run() }
