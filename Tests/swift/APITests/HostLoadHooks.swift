import CSDImage
import Foundation

/// Load hooks implemented by closures of the test.
final class HostLoadHooks: @unchecked Sendable {
    var process: ((_ request: OpaquePointer?) -> Void)?
    /// Returns nil to bypass the cache.
    var cacheKey: ((_ url: String) -> String?)?
    var serialize: ((_ image: OpaquePointer?, _ data: [UInt8]?) -> [UInt8]?)?
    var shouldLoad: ((_ url: String) -> Bool)?
    var shouldRemember: ((_ url: String, _ status: sdimage_status) -> Bool)?
    /// The library's calls, in order.
    let calls = Locked<[String]>([])
    let destroyed = Locked(0)

    private static func mine(_ userData: UnsafeMutableRawPointer?) -> HostLoadHooks {
        Unmanaged<HostLoadHooks>.fromOpaque(userData!).takeUnretainedValue()
    }

    private static func url(_ request: OpaquePointer?) -> String { String(cString: sdimage_request_url(request, nil)) }

    private static func data(_ bytes: [UInt8]?) -> OpaquePointer? {
        var data: OpaquePointer?
        if let bytes { _ = sdimage_data_new(bytes, bytes.count, &data, nil) }
        return data
    }

    private func note(_ call: String) { calls.change { $0.append(call) } }

    func make() throws -> Owned {
        var table = sdimage_load_hooks_vtable()
        table.size = MemoryLayout<sdimage_load_hooks_vtable>.size
        if process != nil {
            table.process_request = { userData, request in
                HostLoadHooks.mine(userData).note("process")
                HostLoadHooks.mine(userData).process?(request)
            }
        }
        if cacheKey != nil {
            table.cache_key = { userData, request in
                HostLoadHooks.mine(userData).note("key")
                return HostLoadHooks.data(
                    (HostLoadHooks.mine(userData).cacheKey?(HostLoadHooks.url(request)) ?? nil).map { Array($0.utf8) })
            }
        }
        if serialize != nil {
            table.serialize = { userData, _, image, data in
                let bytes = data.map {
                    Array(UnsafeRawBufferPointer(start: sdimage_data_bytes($0), count: sdimage_data_length($0)))
                }
                HostLoadHooks.mine(userData).note(bytes == nil ? "serialize made" : "serialize original")
                return HostLoadHooks.data(HostLoadHooks.mine(userData).serialize?(image, bytes) ?? nil)
            }
        }
        if shouldLoad != nil {
            table.should_load = { userData, request in
                HostLoadHooks.mine(userData).note("should load")
                return HostLoadHooks.mine(userData).shouldLoad?(HostLoadHooks.url(request)) ?? true
            }
        }
        if shouldRemember != nil {
            table.should_remember_failure = { userData, request, error in
                HostLoadHooks.mine(userData).note("should remember")
                return HostLoadHooks.mine(userData).shouldRemember?(HostLoadHooks.url(request), sdimage_error_code(error)) ?? true
            }
        }
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try APITests.make(sdimage_load_hooks_unref) { hooks, error in
            sdimage_load_hooks_new_custom(
                &table, userData,
                { userData in
                    let mine = Unmanaged<HostLoadHooks>.fromOpaque(userData!).takeRetainedValue()
                    mine.destroyed.change { $0 += 1 }
                }, hooks, error)
        }
    }

    /// A manager with these hooks.
    func makeManager(cache: Owned? = nil, loader: Owned? = nil, transformer: Owned? = nil) throws -> Owned {
        let hooks = try make()
        let config = sdimage_manager_config_new()
        defer { sdimage_manager_config_unref(config) }
        sdimage_manager_config_set_cache(config, cache?.pointer)
        sdimage_manager_config_set_loader(config, loader?.pointer)
        sdimage_manager_config_set_transformer(config, transformer?.pointer)
        sdimage_manager_config_set_load_hooks(config, hooks.pointer)
        return try APITests.make(sdimage_manager_unref) { sdimage_manager_new(config, $0, $1) }
    }
}

/// The bytes stored on disk under a key; nil for none.
func diskBytes(_ cache: Owned, _ key: String) -> [UInt8]? {
    var data: OpaquePointer?
    guard sdimage_cache_get_data(cache.pointer, key, -1, &data, nil) == .SDIMAGE_STATUS_OK else { return nil }
    defer { sdimage_data_unref(data) }
    return Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data), count: sdimage_data_length(data)))
}

/// The cache key that a load would use.
func cacheKey(_ manager: Owned, _ request: Owned) throws -> String {
    let data = try make(sdimage_data_unref) { sdimage_manager_get_cache_key(manager.pointer, request.pointer, $0, $1) }
    let bytes = UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer))
    return String(decoding: bytes, as: UTF8.self)
}

/// Loads and waits for the final result.
func load(_ manager: Owned, _ url: String, _ change: (OpaquePointer) -> Void = { _ in }) throws -> Delivered {
    let request = makeRequest(url)
    change(request.pointer)
    let listener = Listener()
    _ = try listener.load(manager, request)
    guard let final = listener.final() else { throw CallFailure(.SDIMAGE_STATUS_TIMEOUT, nil) }
    return final
}
