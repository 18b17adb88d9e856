import CSDImage
import SDImage

/// Download hooks of the host: the adapter of `sdimage_download_hooks_vtable` (include/sdimage/hooks.h). They run on the
/// threads `sdimage-hook`, except for `decrypt`, which runs on workers, and `event`, on the callback thread.
package final class ForeignHooks: Sendable {
    private let host: ForeignTable<sdimage_download_hooks_vtable>

    package init(_ table: UnsafePointer<sdimage_download_hooks_vtable>?, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let copy = unsafe try Input.table(
            table, size: size, required: MemoryLayout<Int>.size, empty: sdimage_download_hooks_vtable())
        host = ForeignTable(copy, foreign)
    }

    /// The hooks that the table contains.
    package var hooks: DownloadHooks {
        let table = host.table
        let request: DownloadHooks.RequestHook = { @Sendable [self] request async throws(ImageError) in
            try await modified(request)
        }
        let response: DownloadHooks.ResponseHook = { @Sendable [self] response async throws(ImageError) in
            try await modified(response)
        }
        let decrypt: DownloadHooks.Decryptor = { [self] bytes, response throws(ImageError) in try decrypted(bytes, response) }
        let redirect: DownloadHooks.RedirectHook = { @Sendable [self] redirect async throws(ImageError) in
            try await target(of: redirect)
        }
        let event: @Sendable (DownloadEvent) -> Void = { [self] event in Engine.callLater { [self] in notify(event) } }
        return unsafe DownloadHooks(
            request: table.modify_request == nil ? nil : request, response: table.modify_response == nil ? nil : response,
            decrypt: table.decrypt == nil ? nil : decrypt, redirect: table.redirect == nil ? nil : redirect,
            event: table.event == nil ? nil : event)
    }

    /// Lets the host change a copy of the request. Only the parts that a transfer uses are taken over.
    private func modified(_ request: ImageRequest) async throws(ImageError) -> ImageRequest {
        let copy = RequestObject(request)
        _ = unsafe try await PendingReply.call(request.priority) { [host] reply in
            unsafe host.table.modify_request?(host.userData, Handle.lend(copy), reply)
        }
        var changed = request
        // Other setters have no effect here (include/sdimage/hooks.h).
        changed.url = copy.value.url
        changed.headers = copy.value.headers
        changed.omittedHeaders = copy.value.omittedHeaders
        changed.method = copy.value.method
        changed.body = copy.value.body
        return changed
    }

    /// Lets the host change a copy of the response.
    private func modified(_ response: DownloadResponse) async throws(ImageError) -> DownloadResponse {
        let copy = ResponseObject(response)
        _ = unsafe try await PendingReply.call(.normal) { [host] reply in
            unsafe host.table.modify_response?(host.userData, Handle.lend(copy), reply)
        }
        return copy.value
    }

    /// The URL to follow: that of the redirect, or the one in the host's reply, which has at most 64 KiB.
    private func target(of redirect: DownloadHooks.Redirect) async throws(ImageError) -> [UInt8] {
        let from = CString(redirect.from), to = CString(redirect.to)
        let other = unsafe try await PendingReply.call(.normal) { [host] reply in
            unsafe host.table.redirect?(host.userData, from.pointer, to.pointer, redirect.status, reply)
        }
        guard let other else { return redirect.to }
        guard other.count <= 64 << 10 else { throw .tooLarge("hook: URL of \(other.count) bytes", limit: 64 << 10) }
        return unsafe other.withUnsafeBytes { unsafe Array($0) }
    }

    /// Returns the bytes that the host makes of a body; an error of the host, or a missing result, fails the load.
    private func decrypted(_ bytes: Bytes, _ response: DownloadResponse) throws(ImageError) -> Bytes {
        let lent = ResponseObject(response)
        var plain: Object = nil
        var error: Object = nil
        let status = unsafe host.table.decrypt?(host.userData, Handle.lend(bytes), Handle.lend(lent), &plain, &error)
        withExtendedLifetime(lent) {}
        defer {
            unsafe Handle.unref(plain, as: Bytes.self)
            unsafe Handle.unref(error, as: ImageError.self)
        }
        guard let status, status.rawValue >= 0 else { throw unsafe .foreign(status ?? .SDIMAGE_STATUS_BAD_DATA, error) }
        guard let decrypted = unsafe Handle.find(plain, as: Bytes.self) else {
            throw ImageError(.badData, "hook: decryption returned no data")
        }
        return decrypted
    }

    private func notify(_ event: DownloadEvent) {
        unsafe host.table.event?(host.userData, Handle.lend(event))
    }
}
