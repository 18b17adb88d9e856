import CSDImage
import Foundation
import TestSupport
import Testing

/// Owns one reference to a C object.
final class Owned: @unchecked Sendable {
    let pointer: OpaquePointer
    private let release: (OpaquePointer) -> Void

    init(_ pointer: OpaquePointer, _ release: @escaping (OpaquePointer) -> Void) {
        self.pointer = pointer
        self.release = release
    }

    deinit { release(pointer) }
}

/// A failed call with the contents of its error object.
struct CallFailure: Error, CustomStringConvertible {
    let status: sdimage_status
    let message: String
    let httpStatus: Int32

    init(_ status: sdimage_status, _ error: OpaquePointer?) {
        self.status = status
        message = String(cString: sdimage_error_message(error))
        httpStatus = sdimage_error_http_status(error)
        sdimage_error_unref(error)
    }

    var description: String { "\(String(cString: sdimage_status_name(status))): \(message)" }
}

/// Runs a call that stores a new object, and owns that object.
func make(
    _ release: @escaping (OpaquePointer?) -> Void,
    _ call: (UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<OpaquePointer?>) -> sdimage_status
) throws -> Owned {
    var object: OpaquePointer?
    var error: OpaquePointer?
    let status = call(&object, &error)
    guard status == .SDIMAGE_STATUS_OK, let object else { throw CallFailure(status, error) }
    return Owned(object) { release($0) }
}

/// A request for a URL.
func makeRequest(_ url: String) -> Owned { Owned(sdimage_request_new(url)) { sdimage_request_unref($0) } }

/// Waits until a pollable dispatcher has deliveries.
func waitUntilReadable(_ dispatcher: Owned, milliseconds: Int32 = 120_000) -> Bool {
    var entry = pollfd(fd: sdimage_dispatcher_descriptor(dispatcher.pointer), events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) == 1
}

/// A cache in the given directory, or in memory only.
func makeCache(in directory: String?) throws -> Owned {
    let config = sdimage_cache_config_new()
    defer { sdimage_cache_config_unref(config) }
    if let directory {
        sdimage_cache_config_set_directory(config, directory)
    } else {
        sdimage_cache_config_set_memory_only(config, true)
    }
    return try make(sdimage_cache_unref) { sdimage_cache_new(config, $0, $1) }
}

/// A cache in a folder that is removed with it.
func makeCache(in folder: TemporaryDirectory) throws -> Owned {
    let cache = try makeCache(in: folder.path)
    return Owned(cache.pointer) { _ in
        withExtendedLifetime((cache, folder)) { _ = sdimage_cache_close(cache.pointer, nil) }
    }
}

/// A manager with the given cache and loader.
func makeManager(cache: Owned?, loader: Owned? = nil, dispatcher: Owned? = nil, retryAfter: Int64 = 300) throws -> Owned {
    let config = sdimage_manager_config_new()
    defer { sdimage_manager_config_unref(config) }
    sdimage_manager_config_set_cache(config, cache?.pointer)
    sdimage_manager_config_set_loader(config, loader?.pointer)
    sdimage_manager_config_set_dispatcher(config, dispatcher?.pointer)
    sdimage_manager_config_set_failed_url_retry_after(config, retryAfter)
    return try make(sdimage_manager_unref) { sdimage_manager_new(config, $0, $1) }
}

/// A snapshot of one delivered result.
struct Delivered: Sendable {
    let kind: sdimage_delivery_kind
    let status: sdimage_status
    let source: sdimage_image_source
    let width: UInt32
    let height: UInt32
    let scale: Double
    let isIncremental: Bool
    let hasData: Bool
    let isStale: Bool
    let isChanged: Bool
    let httpStatus: Int32
    /// Name of the freshness rule.
    let rule: String
    let thread: UInt

    init(_ result: OpaquePointer?) {
        kind = sdimage_result_kind(result)
        status = sdimage_error_code(sdimage_result_error(result))
        source = sdimage_result_source(result)
        width = sdimage_image_width(sdimage_result_image(result))
        height = sdimage_image_height(sdimage_result_image(result))
        scale = sdimage_image_scale(sdimage_result_image(result))
        isIncremental = sdimage_image_is_incremental(sdimage_result_image(result))
        hasData = sdimage_result_data(result) != nil
        isStale = sdimage_result_is_stale(result)
        isChanged = sdimage_result_is_changed(result)
        httpStatus = sdimage_error_http_status(sdimage_result_error(result))
        rule = String(cString: sdimage_freshness_rule_name(sdimage_result_freshness(result)))
        thread = UInt(pthread_self())
    }
}

/// Records all callbacks of a load; it is the `user_data` of that load.
final class Listener: @unchecked Sendable {
    private let condition = NSCondition()
    private var heard: [Delivered] = []
    private var progressCount = 0
    private var destroyed = 0
    /// Runs inside the result callback.
    var onResult: ((OpaquePointer?, OpaquePointer?) -> Void)?

    var results: [Delivered] { condition.withLock { heard } }
    var finals: [Delivered] { results.filter { $0.kind == .SDIMAGE_DELIVERY_KIND_FINAL } }
    var destroyCount: Int { condition.withLock { destroyed } }
    var progressReports: Int { condition.withLock { progressCount } }

    private nonisolated(unsafe) static let handler: UnsafePointer<sdimage_load_handler> = staticTable {
        var handler = sdimage_load_handler()
        handler.size = MemoryLayout<sdimage_load_handler>.size
        handler.result = { userData, task, result in
            let listener = Unmanaged<Listener>.fromOpaque(userData!).takeUnretainedValue()
            listener.note { $0.heard.append(Delivered(result)) }
            listener.onResult?(task, result)
        }
        handler.progress = { userData, _, _, _ in
            Unmanaged<Listener>.fromOpaque(userData!).takeUnretainedValue().note { $0.progressCount += 1 }
        }
        return handler
    }

    /// Starts a load that reports here. `destroy` releases the reference held by the load.
    func load(_ manager: Owned, _ request: Owned) throws -> Owned {
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try make(sdimage_task_unref) { task, error in
            sdimage_manager_load(manager.pointer, request.pointer, Self.handler, userData, Listener.destroy, task, error)
        }
    }

    /// The same for a loader alone.
    func fetch(_ loader: Owned, _ request: Owned) throws -> Owned {
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try make(sdimage_task_unref) { task, error in
            sdimage_loader_load(loader.pointer, request.pointer, Self.handler, userData, Listener.destroy, task, error)
        }
    }

    static let destroy: @convention(c) (UnsafeMutableRawPointer?) -> Void = { userData in
        let listener = Unmanaged<Listener>.fromOpaque(userData!).takeRetainedValue()
        listener.note { $0.destroyed += 1 }
    }

    func note(_ change: (Listener) -> Void) {
        condition.withLock {
            change(self)
            condition.broadcast()
        }
    }

    /// Waits for the final result; nil on timeout.
    func final(within seconds: Double = 120) -> Delivered? {
        wait(seconds) { $0.heard.contains { $0.kind == .SDIMAGE_DELIVERY_KIND_FINAL } } ? finals.first : nil
    }

    /// Waits for the first partial image; nil when the final result comes without one.
    func part(within seconds: Double = 120) -> Delivered? {
        _ = wait(seconds) { !$0.heard.isEmpty }
        return results.first { $0.kind == .SDIMAGE_DELIVERY_KIND_PARTIAL }
    }

    func waitForDestroy(count: Int = 1, within seconds: Double = 120) -> Bool { wait(seconds) { $0.destroyed >= count } }
    func waitForProgress(within seconds: Double = 120) -> Bool { wait(seconds) { $0.progressCount > 0 } }

    private func wait(_ seconds: Double, until isTrue: (Listener) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isTrue(self) { if !condition.wait(until: end) { return isTrue(self) } }
        return true
    }
}

/// A loader whose responses the test controls. Each request is held until the test finishes its sink.
final class HeldLoader: @unchecked Sendable {
    private let condition = NSCondition()
    private var sinks: [OpaquePointer] = []
    private var started = 0
    private var cancelled = 0
    private var destroyed = 0

    var startCount: Int { condition.withLock { started } }
    var cancelCount: Int { condition.withLock { cancelled } }
    var destroyCount: Int { condition.withLock { destroyed } }

    func makeLoader() throws -> Owned {
        var table = sdimage_loader_vtable()
        table.size = MemoryLayout<sdimage_loader_vtable>.size
        table.can_load = { _, _ in true }
        table.load = { userData, _, sink in
            let loader = Unmanaged<HeldLoader>.fromOpaque(userData!).takeUnretainedValue()
            loader.note {
                $0.sinks.append(sdimage_load_sink_ref(sink))
                $0.started += 1
            }
            return .SDIMAGE_STATUS_OK
        }
        table.cancel = { userData, _ in
            Unmanaged<HeldLoader>.fromOpaque(userData!).takeUnretainedValue().note { $0.cancelled += 1 }
        }
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try make(sdimage_loader_unref) { loader, error in
            sdimage_loader_new_custom(
                "held", &table, userData,
                { userData in
                    Unmanaged<HeldLoader>.fromOpaque(userData!).takeRetainedValue().note { $0.destroyed += 1 }
                }, loader, error)
        }
    }

    /// Waits for the next request and responds to it.
    func answer(_ bytes: [UInt8], within seconds: Double = 120) -> Bool {
        guard let sink = next(within: seconds) else { return false }
        return answer(bytes, to: sink)
    }

    /// Responds to the next request once all loads of a manager without a disk cache have joined it or follow it: another load, of a
    /// different URL, comes last in every queue, and has reached the loader before. It counts as a start, too.
    func answerOne(_ bytes: [UInt8], _ manager: Owned) throws {
        let first = try #require(next())
        let last = Listener()
        _ = try last.load(manager, makeRequest("test://last"))
        let sink = try #require(next())
        #expect(answer(bytes, to: first))
        #expect(answer(makePNG(width: 1, height: 1), to: sink))
        #expect(last.final()?.status == .SDIMAGE_STATUS_OK)
    }

    /// Responds to a request returned by `next`, and releases its sink.
    func answer(_ bytes: [UInt8], to sink: OpaquePointer) -> Bool {
        sdimage_load_sink_set_expected_length(sink, UInt64(bytes.count))
        let status = sdimage_load_sink_write(sink, bytes, bytes.count, nil)
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
        return status == .SDIMAGE_STATUS_OK
    }

    /// The sink of the next request, owned by the caller.
    func next(within seconds: Double = 120) -> OpaquePointer? {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while sinks.isEmpty { if !condition.wait(until: end) { return nil } }
        return sinks.removeFirst()
    }

    func waitForCancel(within seconds: Double = 120) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while cancelled == 0 { if !condition.wait(until: end) { return cancelled > 0 } }
        return true
    }

    func waitForDestroy(within seconds: Double = 120) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while destroyed == 0 { if !condition.wait(until: end) { return destroyed > 0 } }
        return true
    }

    private func note(_ change: (HeldLoader) -> Void) {
        condition.withLock {
            change(self)
            condition.broadcast()
        }
    }
}

/// A PNG of one color (RGB, 8 bits), with uncompressed image data.
func makePNG(width: Int, height: Int, red: UInt8 = 200, green: UInt8 = 30, blue: UInt8 = 60) -> [UInt8] {
    var rows: [UInt8] = []
    for _ in 0..<height {
        rows.append(0)
        for _ in 0..<width { rows += [red, green, blue] }
    }
    var zlib: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: rows.count, by: 65535) {
        let part = rows[start..<min(start + 65535, rows.count)]
        let isLast: UInt8 = start + 65535 >= rows.count ? 1 : 0
        let count = UInt16(part.count)
        zlib += [isLast, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)] + part
    }
    var a: UInt32 = 1
    var b: UInt32 = 0
    for byte in rows {
        a = (a + UInt32(byte)) % 65521
        b = (b + a) % 65521
    }
    zlib += bigEndian(b << 16 | a)
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        + chunk("IHDR", bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 2, 0, 0, 0])
        + chunk("IDAT", zlib) + chunk("IEND", [])
}

/// The same as an APNG of one frame, which is shown for a second.
func makeAPNG(width: Int, height: Int) -> [UInt8] {
    let plain = makePNG(width: width, height: height)
    let end = 8 + 25  // the signature and IHDR
    let size = bigEndian(UInt32(width)) + bigEndian(UInt32(height))
    let control = bigEndian(0) + size + bigEndian(0) + bigEndian(0) + [0, 1, 0, 1, 0, 0]
    return plain[..<end] + chunk("acTL", bigEndian(1) + bigEndian(0)) + chunk("fcTL", control) + plain[end...]
}

func bigEndian(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }

private func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
    let content = Array(type.utf8) + body
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in content {
        crc ^= UInt32(byte)
        for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return bigEndian(UInt32(body.count)) + content + bigEndian(~crc)
}

/// Number of threads and file descriptors of this process.
func processCounts() -> (threads: Int, descriptors: Int) {
    let list = { (path: String) in (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? -1 }
    return (list("/proc/self/task"), list("/proc/self/fd"))
}

/// A table of functions that is never freed.
func staticTable<Table>(_ make: () -> Table) -> UnsafePointer<Table> {
    let pointer = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    pointer.initialize(to: make())
    return UnsafePointer(pointer)
}

/// The image of a key in memory, with a reference for the caller; nil when there is none.
func memoryImage(_ cache: OpaquePointer?, _ key: UnsafeRawPointer?, _ length: Int) -> OpaquePointer? {
    var image: OpaquePointer?
    sdimage_cache_get_memory_image(cache, key, length, &image)
    return image
}

/// The header information of an encoded image.
func makeInfo(_ bytes: [UInt8]) throws -> Owned {
    try make(sdimage_info_unref) { sdimage_info_new(bytes, bytes.count, nil, $0, $1) }
}
