import CSDImage
import Foundation
import Testing

/// A widget of a host program. It logs, in order, the calls of its target and the results of its loads.
///
///     placeholder 4      set_image without a result; "clear" without an image too
///     image 8 loader     set_image with the FINAL of a load; "cached 8 memory", "part 8 loader"
///     start, stop        the indicator; "update 0.5"
///     prepare 1 500      a transition; "animate 1 500", "end true"
///     told OK 8          the handler; "told CANCELLED 0", "told cached 8", "told part 8", "progress 3 of 6"
///
/// With a key other than "image", log lines of the function table begin with the key: "hover: clear".
final class Widget: @unchecked Sendable {
    private let condition = NSCondition()
    private var written: [String] = []
    private var writtenThreads: Set<UInt> = []
    private var destroyed = 0
    private var shownImage: OpaquePointer?
    /// True if the table has functions for transitions, and for updates of the indicator.
    let animates: Bool
    let updates: Bool
    private var action: ((String) -> Void)?
    /// Runs inside each call. May be replaced while another thread makes calls.
    var onCall: ((String) -> Void)? {
        get { condition.withLock { action } }
        set {
            // Released outside the lock: it may hold the last reference to a target.
            var old = newValue
            condition.withLock { swap(&action, &old) }
        }
    }

    init(animates: Bool = true, updates: Bool = false) {
        self.animates = animates
        self.updates = updates
    }

    deinit { sdimage_image_unref(shownImage) }

    var log: [String] { condition.withLock { written } }
    var threads: Set<UInt> { condition.withLock { writtenThreads } }
    var destroyCount: Int { condition.withLock { destroyed } }
    /// Log lines of the load handlers.
    var told: [String] { log.filter { $0.hasPrefix("told") } }
    /// Log lines of images shown and cleared.
    var shown: [String] {
        log.filter { line in ["placeholder", "clear", "image", "cached", "part"].contains { line.hasPrefix($0) } }
    }

    /// Returns and removes the lines logged so far.
    func take() -> [String] {
        condition.withLock {
            defer { written = [] }
            return written
        }
    }

    func makeTarget(_ manager: Owned, dispatcher: Owned? = nil) throws -> Owned {
        var table = sdimage_target_vtable()
        table.size = MemoryLayout<sdimage_target_vtable>.size
        table.set_image = { Widget.of($0).set($1, $2, $3) }
        table.indicator_start = { Widget.of($0).write("start", $1) }
        table.indicator_stop = { Widget.of($0).write("stop", $1) }
        if updates { table.indicator_update = { Widget.of($0).write("update \($2)", $1) } }
        if animates {
            table.transition_prepare = {
                Widget.of($0).write("prepare \($2.rawValue) \($3)", $1); _ = ($4, $5)
            }
            table.transition_animate = {
                Widget.of($0).write("animate \($2.rawValue) \($3)", $1); _ = $4
            }
            table.transition_end = { Widget.of($0).write("end \($2)", $1) }
        }
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try make(sdimage_target_unref) { target, error in
            sdimage_target_new(manager.pointer, dispatcher?.pointer, &table, userData, Widget.destroy, target, error)
        }
    }

    /// Starts a load that reports to this widget. Returns nil without a URL.
    @discardableResult
    func load(_ target: Owned, _ request: Owned?, _ options: Owned? = nil) throws -> Owned? {
        var handler = sdimage_load_handler()
        handler.size = MemoryLayout<sdimage_load_handler>.size
        handler.result = { userData, _, result in Widget.of(userData).tell(result) }
        if updates {
            handler.progress = {
                Widget.of($0).write("progress \($2) of \($3)", nil); _ = $1
            }
        }
        let userData = Unmanaged.passRetained(self).toOpaque()
        var task: OpaquePointer?
        var error: OpaquePointer?
        let status = sdimage_target_load(
            target.pointer, request?.pointer, options?.pointer, &handler, userData, Widget.destroy, &task, &error)
        guard status == .SDIMAGE_STATUS_OK else { throw CallFailure(status, error) }
        return task.map { Owned($0) { sdimage_task_unref($0) } }
    }

    /// Waits until a line was logged `count` times.
    func wait(_ line: String, count: Int = 1, within seconds: Double = 120) -> Bool {
        waitUntil(seconds) { $0.written.count { $0 == line } >= count }
    }

    /// Waits until load handlers were called `count` times.
    func waitForTold(_ count: Int, within seconds: Double = 120) -> Bool {
        waitUntil(seconds) { $0.written.count { $0.hasPrefix("told") } >= count }
    }

    func waitForDestroy(count: Int, within seconds: Double = 120) -> Bool { waitUntil(seconds) { $0.destroyed >= count } }

    private func waitUntil(_ seconds: Double, _ isTrue: (Widget) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isTrue(self) { if !condition.wait(until: end) { return isTrue(self) } }
        return true
    }

    private static func of(_ userData: UnsafeMutableRawPointer?) -> Widget {
        Unmanaged<Widget>.fromOpaque(userData!).takeUnretainedValue()
    }

    private static let destroy: @convention(c) (UnsafeMutableRawPointer?) -> Void = { userData in
        let widget = Unmanaged<Widget>.fromOpaque(userData!).takeRetainedValue()
        widget.condition.withLock {
            widget.destroyed += 1
            widget.condition.broadcast()
        }
    }

    private func set(_ key: UnsafePointer<CChar>?, _ image: OpaquePointer?, _ result: OpaquePointer?) {
        let width = sdimage_image_width(image)
        let before = condition.withLock {
            defer { shownImage = sdimage_image_ref(image) }
            return shownImage
        }
        sdimage_image_unref(before)
        guard let result else { return write(image == nil ? "clear" : "placeholder \(width)", key) }
        let source = String(cString: sdimage_image_source_name(sdimage_result_source(result)))
        write("\(Widget.word(result, final: "image")) \(width) \(source)", key)
    }

    private func tell(_ result: OpaquePointer?) {
        let status = String(cString: sdimage_status_name(sdimage_error_code(sdimage_result_error(result))))
        let width = sdimage_image_width(sdimage_result_image(result))
        write("told \(Widget.word(result, final: status)) \(width)", nil)
    }

    private static func word(_ result: OpaquePointer?, final: String) -> String {
        switch sdimage_result_kind(result) {
        case .SDIMAGE_DELIVERY_KIND_PARTIAL: "part"
        case .SDIMAGE_DELIVERY_KIND_CACHED: "cached"
        default: final
        }
    }

    private func write(_ what: String, _ key: UnsafePointer<CChar>?) {
        let key = key.map { String(cString: $0) } ?? "image"
        let line = key == "image" ? what : "\(key): \(what)"
        condition.withLock {
            written.append(line)
            writtenThreads.insert(UInt(pthread_self()))
            condition.broadcast()
        }
        onCall?(line)
    }
}

/// Options of one load of a target.
func targetOptions(_ change: (OpaquePointer?) -> Void) -> Owned {
    let options = Owned(sdimage_target_options_new()) { sdimage_target_options_unref($0) }
    change(options.pointer)
    return options
}

/// An image in memory.
func makeImage(width: Int, height: Int = 2) throws -> Owned {
    try DrawnPicture.draw(width, height, .SDIMAGE_PIXEL_FORMAT_RGB8) { _, _ in [1, 2, 3] }
}

func immediateDispatcher() throws -> Owned { try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) } }

/// A manager with a loader whose responses the test controls, and a widget whose calls are delivered immediately.
struct TargetFixture {
    let held = HeldLoader()
    let cache: Owned
    let manager: Owned
    let widget: Widget
    let target: Owned

    init(_ widget: Widget = Widget(), cache: Owned? = nil, dispatcher: Owned? = nil) throws {
        self.widget = widget
        self.cache = try cache ?? makeCache(in: nil)
        manager = try makeManager(cache: self.cache, loader: try held.makeLoader())
        target = try widget.makeTarget(manager, dispatcher: try dispatcher ?? immediateDispatcher())
    }

    /// Stores an image in memory under a URL.
    func keep(_ url: String, width: Int) throws {
        let image = try makeImage(width: width)
        #expect(sdimage_cache_set_memory_image(cache.pointer, url, -1, image.pointer, nil) == .SDIMAGE_STATUS_OK)
    }

    /// Stores the file of an image on disk under a URL.
    func store(_ url: String, width: Int) throws {
        let bytes = makePNG(width: width, height: 8)
        let data = try make(sdimage_data_unref) { sdimage_data_new(bytes, bytes.count, $0, $1) }
        #expect(sdimage_cache_store_data(cache.pointer, url, -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
    }
}
