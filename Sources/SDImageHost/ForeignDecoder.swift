import CSDImage
import SDImage

/// A progressive or animated image of a coder of the host: the instance functions of `sdimage_coder_vtable`. Called from several
/// threads; `ForeignInstance` serializes the calls of the host, except for those that return counts and durations.
package final class ForeignDecoder: ImageDecoder {
    /// Frame properties of a detached instance, recorded after each of its calls: reading them from the instance could wait for
    /// a call that was left behind.
    private struct Properties {
        var frameCount = 0
        var loopCount = 0
        var durations: [Int] = []
    }

    package typealias HeaderCheck = @Sendable (Bytes, CancellationToken) throws(ImageError) -> Void

    private let instance: ForeignInstance
    private let properties: Monitor<Properties>
    /// Size of the last image.
    private let seen = Monitor(PixelSize(width: 0, height: 0))
    /// Checks the header of the complete bytes before their last update; nil for none.
    private let check: HeaderCheck?
    /// The complete encoded bytes of an animation.
    private let whole = Lock<Bytes?>(nil)
    /// True when all bytes are known.
    private let isComplete: Monitor<Bool>

    /// Opens an instance; nil if the table cannot open one.
    package init?(_ functions: CoderFunctions, options: DecodeOptions, check: HeaderCheck? = nil) throws(ImageError) {
        guard let instance = try ForeignInstance.open(functions, options: options) else { return nil }
        self.instance = instance
        self.check = check
        properties = Monitor(Properties())
        isComplete = Monitor(false)
    }

    /// Opens an instance for bytes that the coder reads as it needs them; nil if it cannot.
    package init?(
        _ functions: CoderFunctions, source: any ByteSource, options: DecodeOptions, stop: CancellationToken
    ) throws(ImageError) {
        guard let instance = try ForeignInstance.open(functions, source: source, options: options, stop: stop) else {
            return nil
        }
        self.instance = instance
        check = nil
        properties = Monitor(instance.functions.isDetached ? ForeignDecoder.properties(of: instance) : Properties())
        isComplete = Monitor(true)
    }

    /// Known after the first image only.
    package var size: PixelSize { seen.withLock { $0 } }
    /// The table has no function for it, so all bytes are passed.
    package var isSatisfied: Bool { false }
    package var encoded: Bytes? { whole.withLock { $0 } }

    /// A coder without frames decodes stills.
    package var frameCount: Int {
        guard unsafe instance.functions.table.instance_frame_count != nil else { return isComplete.withLock { $0 ? 1 : 0 } }
        return instance.functions.isDetached ? properties.withLock { $0.frameCount } : ForeignDecoder.frameCount(of: instance)
    }

    package var loopCount: Int {
        instance.functions.isDetached ? properties.withLock { $0.loopCount } : ForeignDecoder.loopCount(of: instance)
    }

    package func durationMilliseconds(at index: Int) -> Int {
        guard instance.functions.isDetached else {
            guard index >= 0, index < frameCount else { return 0 }
            return ForeignDecoder.duration(of: instance, at: index)
        }
        return properties.withLock { $0.durations.indices.contains(index) ? $0.durations[index] : 0 }
    }

    /// Passes all bytes so far to the instance.
    package func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        guard unsafe instance.functions.table.instance_update != nil else { return }
        // Reports a damaged header like `decode`, before the instance sees the end.
        if isFinished { try check?(bytes, stop) }
        let bytes = try instance.functions.lasting(bytes)
        try call(stop) { instance throws(ImageError) in
            var error: Object = nil
            let status = unsafe instance.functions.table.instance_update?(
                instance.functions.userData, instance.pointer, bytes.pointer, bytes.count, isFinished, &error)
            defer { unsafe Handle.unref(error, as: ImageError.self) }
            if let status, status.rawValue < 0 { throw unsafe .foreign(status, error) }
        }
        if isFinished { isComplete.withLock { $0 = true } }
        if isFinished, isAnimation {
            let bytes = try bytes.copiedIfLent()
            whole.withLock { $0 = bytes }
        }
    }

    /// True when the coder makes the frames that have arrived.
    private var isAnimation: Bool {
        unsafe !instance.options.firstFrameOnly && instance.functions.table.instance_frame != nil && frameCount > 1
    }

    /// The options for one frame: a limit of bytes holds for all frames together.
    private var frameOptions: DecodeOptions {
        var options = instance.options
        if isAnimation { options = options.ofEachFrame(of: frameCount) }
        return options
    }

    /// The image so far, with the frames of this decoder if it is an animation.
    package func image(stop: CancellationToken) throws(ImageError) -> Image? {
        let made = try call(stop) { instance throws(ImageError) -> Image? in
            var image: Object = nil
            var error: Object = nil
            let status = unsafe instance.functions.table.instance_image?(
                instance.functions.userData, instance.pointer, &image, &error)
            // No error: the coder has no image yet.
            guard status != .SDIMAGE_STATUS_NEED_MORE_DATA else { return nil }
            return unsafe try ForeignCoder.take(status, image, error)
        }
        guard let made else { return nil }
        let image = try instance.functions.finished(made, frameOptions, stop: stop)
        seen.withLock { $0 = image.size }
        return isAnimation ? image.with(frames: self) : image
    }

    package func frame(at index: Int, stop: CancellationToken) throws(ImageError) -> Image {
        let count = frameCount
        guard index >= 0, index < count, let number = UInt32(exactly: index) else { throw .noFrame(index, of: count) }
        // A coder without frames has one, its image.
        if unsafe index == 0 && instance.functions.table.instance_frame == nil, let image = try image(stop: stop) { return image }
        let frame = try call(stop) { instance throws(ImageError) in
            var image: Object = nil
            var error: Object = nil
            let status = unsafe instance.functions.table.instance_frame?(
                instance.functions.userData, instance.pointer, number, &image, &error)
            return unsafe try ForeignCoder.take(status, image, error).still
        }
        return try instance.functions.finished(frame, frameOptions, stop: stop)
    }

    /// Calls the instance. For a detached one, records the frame properties afterwards, on the thread of the call.
    private func call<R: Sendable>(
        _ stop: CancellationToken, _ body: @escaping @Sendable (ForeignInstance) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        try instance.call(stop) { [properties] instance throws(ImageError) in
            defer {
                if instance.functions.isDetached {
                    // Durations are read again only if there are further frames: each is a call of the host.
                    let known = properties.withLock { $0.frameCount }
                    if ForeignDecoder.frameCount(of: instance) != known {
                        let said = ForeignDecoder.properties(of: instance)
                        properties.withLock { $0 = said }
                    }
                }
            }
            return try body(instance)
        }
    }

    /// Asks the host. Counts and durations may be requested while another call runs (include/sdimage/sys/coder.h).
    private static func frameCount(of instance: ForeignInstance) -> Int {
        let functions = instance.functions
        guard let count = unsafe functions.table.instance_frame_count else { return 0 }
        return unsafe min(Int(count(functions.userData, instance.pointer)), instance.options.limits.frames)
    }

    private static func loopCount(of instance: ForeignInstance) -> Int {
        let functions = instance.functions
        return unsafe functions.table.instance_loop_count.map { unsafe Int($0(functions.userData, instance.pointer)) } ?? 0
    }

    private static func duration(of instance: ForeignInstance, at index: Int) -> Int {
        let functions = instance.functions
        guard let duration = unsafe functions.table.instance_duration_ms else { return 0 }
        return unsafe Int(duration(functions.userData, instance.pointer, UInt32(clamping: index)))
    }

    /// Asks the host for all properties of the frames so far.
    private static func properties(of instance: ForeignInstance) -> Properties {
        let count = frameCount(of: instance)
        return Properties(
            frameCount: count, loopCount: loopCount(of: instance),
            durations: (0..<count).map { duration(of: instance, at: $0) })
    }
}
