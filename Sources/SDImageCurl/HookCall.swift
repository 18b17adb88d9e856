import SDImage

/// A response or redirect that a hook of the host examines before the transfer continues.
/// Made by `CurlLoop.judge` on the transfer thread, and run as a task on the asynchronous thread.
enum HookCall: Sendable {
    case response(DownloadResponse)
    case redirect(DownloadHooks.Redirect)

    /// Reply of the hook; returned to the transfer thread as a command.
    enum Outcome: Sendable {
        case response(DownloadResponse)
        case redirect([UInt8])
        case refusal(ImageError)
    }

    /// nil if no hook handles this response.
    /// A response that makes the transfer restart is no response to the request, so no hook sees it.
    init?(_ transfer: Transfer, _ hooks: DownloadHooks) {
        let head = transfer.hop.head
        if case .restart = ResponseRules.verdict(transfer) { return nil }
        if RedirectRules.isRedirect(head.status), let location = head.location {
            guard hooks.redirect != nil else { return nil }
            // The hook gets the resolved target; the rules check the one that it returns.
            let next = transfer.url.resolving(location)
            self = .redirect(.init(from: transfer.url.withoutUserInfo, to: next.bytes, status: head.status))
        } else {
            guard hooks.response != nil else { return nil }
            self = .response(DownloadResponse(head, of: transfer.url))
        }
    }

    /// Errors of the hook become the outcome.
    func outcome(of hooks: DownloadHooks) async -> Outcome {
        do throws(ImageError) {
            switch self {
            case .response(let response):
                guard let hook = hooks.response else { return .response(response) }
                do throws(ImageError) { return .response(try await hook(response)) } catch {
                    throw error.inHook(.invalidResponse, "http: response modifier refused", httpStatus: response.status)
                }
            case .redirect(let redirect):
                guard let hook = hooks.redirect else { return .redirect(redirect.to) }
                do throws(ImageError) { return .redirect(try await hook(redirect)) } catch {
                    throw error.inHook(.redirectForbidden, "http: redirect modifier refused", httpStatus: redirect.status)
                }
            }
        } catch { return .refusal(error) }
    }
}

/// The response as hooks see it, without user and password in its URL.
extension DownloadResponse {
    init(_ head: ResponseHead, of url: URLText) {
        self.init(url: url.redacted, status: head.status, headers: head.fields)
    }
}

extension ImageError {
    /// The error of a load that a hook refused. `cancelled` and `shutdown` remain unchanged.
    func inHook(_ status: Status, _ message: String, httpStatus: Int32 = 0) -> ImageError {
        // The hook did not refuse: the load was cancelled, or the library ends.
        if self.status == .cancelled || self.status == .shutdown { return self }
        let why = self.message.isEmpty ? message : "\(message): \(self.message.string)"
        return ImageError(status, why, httpStatus: httpStatus, cause: self)
    }
}
