import CSDImage
import SDImage

/// A growing or moving picture of a coder of the host; its instance functions lock for themselves.
@safe final class ForeignDecoder: ImageDecoder {
    private let host: ForeignTable<sdimage_coder_vtable>
    private let options: DecodeOptions
    /// What the instance reads from, as long as it lives.
    private let source: SourceObject?
    // The host's own pointer, passed back to it and never followed.
    private nonisolated(unsafe) let instance: UserData
    private let seen = Monitor(PixelSize(width: 0, height: 0))

    /// nil when the table cannot open one.
    init?(_ host: ForeignTable<sdimage_coder_vtable>, options: DecodeOptions) throws(ImageError) {
        guard let open = unsafe host.table.open, unsafe host.table.instance_update != nil,
            unsafe host.table.instance_image != nil
        else { return nil }
        let lent = DecodeOptionsObject(options)
        var made: UserData = nil
        var error: Object = nil
        let status = unsafe open(host.userData, Handle.lend(lent), &made, &error)
        withExtendedLifetime(lent) {}
        defer { unsafe Handle.unref(error, as: ImageError.self) }
        guard status.rawValue >= 0 else { throw unsafe .foreign(status, error) }
        self.host = host
        self.options = options
        source = nil
        unsafe instance = unsafe made
    }

    /// For bytes that the coder reads as it needs them; nil when it cannot.
    init?(
        _ host: ForeignTable<sdimage_coder_vtable>, source: any ByteSource, options: DecodeOptions
    ) throws(ImageError) {
        guard let open = unsafe host.table.open_source, unsafe host.table.instance_image != nil else { return nil }
        let lent = DecodeOptionsObject(options)
        let kept = SourceObject(source)
        var made: UserData = nil
        var error: Object = nil
        let status = unsafe open(host.userData, Handle.lend(kept), Handle.lend(lent), &made, &error)
        withExtendedLifetime(lent) {}
        defer { unsafe Handle.unref(error, as: ImageError.self) }
        guard status.rawValue >= 0 else { throw unsafe .foreign(status, error) }
        self.host = host
        self.options = options
        self.source = kept
        unsafe instance = unsafe made
    }

    deinit {
        let (host, source) = (host, source)
        nonisolated(unsafe) let instance = unsafe instance
        Engine.callLater {
            unsafe host.table.instance_destroy?(host.userData, instance)
            withExtendedLifetime(source) {}
        }
    }

    /// Known with the first picture only.
    var size: PixelSize { seen.withLock { $0 } }
    var isSatisfied: Bool { false }

    var frameCount: Int { unsafe host.table.instance_frame_count.map { unsafe Int($0(host.userData, instance)) } ?? 0 }
    var loopCount: Int { unsafe host.table.instance_loop_count.map { unsafe Int($0(host.userData, instance)) } ?? 0 }

    func durationMilliseconds(at index: Int) -> Int {
        guard index >= 0, index < frameCount, let duration = unsafe host.table.instance_duration_ms else { return 0 }
        return unsafe Int(duration(host.userData, instance, UInt32(clamping: index)))
    }

    func update(_ bytes: Bytes, isFinished: Bool, stop: StopSignal) throws(ImageError) {
        var error: Object = nil
        let status = unsafe host.table.instance_update?(
            host.userData, instance, bytes.pointer, bytes.count, isFinished, &error)
        defer { unsafe Handle.unref(error, as: ImageError.self) }
        if let status, status.rawValue < 0 { throw unsafe .foreign(status, error) }
    }

    func image(stop: StopSignal) throws(ImageError) -> Image? {
        var image: Object = nil
        var error: Object = nil
        let status = unsafe host.table.instance_image?(host.userData, instance, &image, &error)
        guard status != .SDIMAGE_STATUS_NEED_MORE_DATA else { return nil }
        let picture = unsafe try ForeignCoder.take(status, image, error).finished(options, stop: stop)
        seen.withLock { $0 = picture.size }
        return picture
    }

    func frame(at index: Int, stop: StopSignal) throws(ImageError) -> Image {
        let count = frameCount
        guard index >= 0, index < count, let number = UInt32(exactly: index) else { throw .noFrame(index, of: count) }
        var image: Object = nil
        var error: Object = nil
        let status = unsafe host.table.instance_frame?(host.userData, instance, number, &image, &error)
        return unsafe try ForeignCoder.take(status, image, error).finished(options, stop: stop)
    }
}
