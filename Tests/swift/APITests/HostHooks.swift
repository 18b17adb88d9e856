import CSDImage
import Foundation

/// Downloader hooks implemented by closures of the test.
final class HostHooks: @unchecked Sendable {
    var request: ((_ request: OpaquePointer?, _ reply: OpaquePointer?) -> Void)?
    var response: ((_ response: OpaquePointer?, _ reply: OpaquePointer?) -> Void)?
    var decrypt: (([UInt8], OpaquePointer?) -> [UInt8]?)?
    var redirect: ((_ from: String, _ to: String, _ status: Int32, _ reply: OpaquePointer?) -> Void)?
    /// Events in order.
    let events = Locked<[String]>([])
    let destroyed = Locked(0)
    var hearsEvents = false

    /// Completes a reply and releases it.
    static func complete(_ reply: OpaquePointer?) {
        sdimage_reply_complete(reply)
        sdimage_reply_unref(reply)
    }

    static func refuse(_ reply: OpaquePointer?, _ why: String = "not today") {
        let error = sdimage_error_new(.SDIMAGE_STATUS_NOT_FOUND, why)
        sdimage_reply_complete_with_error(reply, error)
        sdimage_error_unref(error)
        sdimage_reply_unref(reply)
    }

    private static func mine(_ userData: UnsafeMutableRawPointer?) -> HostHooks {
        Unmanaged<HostHooks>.fromOpaque(userData!).takeUnretainedValue()
    }

    func make() throws -> Owned {
        var table = sdimage_download_hooks_vtable()
        table.size = MemoryLayout<sdimage_download_hooks_vtable>.size
        if request != nil { table.modify_request = { HostHooks.mine($0).request?($1, $2) } }
        if response != nil { table.modify_response = { HostHooks.mine($0).response?($1, $2) } }
        if redirect != nil {
            table.redirect = { HostHooks.mine($0).redirect?(String(cString: $1!), String(cString: $2!), $3, $4) }
        }
        if decrypt != nil {
            table.decrypt = { userData, data, response, plain, error in
                let bytes = Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data), count: sdimage_data_length(data)))
                guard let made = HostHooks.mine(userData).decrypt?(bytes, response) else { return .SDIMAGE_STATUS_INTERNAL_ERROR }
                return sdimage_data_new(made, made.count, plain, error)
            }
        }
        if hearsEvents {
            table.event = { userData, event in
                let names = ["", "started", "responded", "stopped", "finished"]
                let name = names[Int(sdimage_download_event_stage(event).rawValue)]
                let status = sdimage_download_event_http_status(event)
                HostHooks.mine(userData).events.change { $0.append("\(name) \(status)") }
            }
        }
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try APITests.make(sdimage_download_hooks_unref) { hooks, error in
            sdimage_download_hooks_new_custom(
                &table, userData,
                { userData in
                    let mine = Unmanaged<HostHooks>.fromOpaque(userData!).takeRetainedValue()
                    mine.destroyed.change { $0 += 1 }
                }, hooks, error)
        }
    }

    /// A manager whose downloader has these hooks.
    func makeManager(cache: Owned? = nil) throws -> Owned {
        let hooks = try make()
        let config = makePatientConfig()
        sdimage_downloader_config_set_hooks(config.pointer, hooks.pointer)
        let loader = try APITests.make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
        return try APITests.makeManager(cache: cache, loader: loader)
    }
}
