/// Hooks of the host for downloads; each is optional. Hooks that may wait are `async`.
/// Called by the HTTP engine; those of a request take precedence over those of the downloader.
package final class DownloadHooks: Sendable {
    /// Receives the request as it would be sent, and returns the one to send.
    package typealias RequestHook = @Sendable (ImageRequest) async throws(ImageError) -> ImageRequest
    /// Receives and returns the status and fields; the body cannot be changed here.
    package typealias ResponseHook = @Sendable (DownloadResponse) async throws(ImageError) -> DownloadResponse
    /// Receives the complete body with its response.
    package typealias Decryptor = @Sendable (Bytes, DownloadResponse) throws(ImageError) -> Bytes
    /// Returns the URL to continue with.
    package typealias RedirectHook = @Sendable (Redirect) async throws(ImageError) -> [UInt8]

    /// Changes the request before it is sent, or throws to refuse it.
    package let request: RequestHook?
    /// Changes a response before it is checked, or throws to refuse it. Not called for redirects.
    package let response: ResponseHook?
    /// Converts the received bytes into the bytes of the image. Computes only; never waits.
    package let decrypt: Decryptor?
    /// Returns the target of a redirect, or throws to refuse it.
    package let redirect: RedirectHook?
    /// Receives events in order; must return quickly.
    package let event: (@Sendable (DownloadEvent) -> Void)?

    /// Identifies the hooks in sharing keys.
    private let number = UniqueNumber.next()

    package init(
        request: RequestHook? = nil, response: ResponseHook? = nil, decrypt: Decryptor? = nil, redirect: RedirectHook? = nil,
        event: (@Sendable (DownloadEvent) -> Void)? = nil
    ) {
        self.request = request
        self.response = response
        self.decrypt = decrypt
        self.redirect = redirect
        self.event = event
    }

    /// A redirect response.
    /// Passed to the redirect hook, before the target is checked.
    package struct Redirect: Sendable {
        /// The URL that responded.
        package let from: [UInt8]
        /// The target of the response, resolved against `from`.
        package let to: [UInt8]
        /// Status of the response, 3xx.
        package let status: Int32

        package init(from: [UInt8], to: [UInt8], status: Int32) {
            self.from = from
            self.to = to
            self.status = status
        }
    }

    /// These hooks; hooks that are absent here come from `below`.
    /// Both remain unchanged; the result has a number of its own.
    package func over(_ below: DownloadHooks?) -> DownloadHooks {
        guard let below else { return self }
        return DownloadHooks(
            request: request ?? below.request, response: response ?? below.response, decrypt: decrypt ?? below.decrypt,
            redirect: redirect ?? below.redirect, event: event ?? below.event)
    }

    /// The part of the sharing key that these hooks determine. Empty when only requests are modified, because the modified
    /// requests are compared (docs/decisions.md, "Keys of shared transfers").
    package var sharingKey: [UInt8] {
        guard response != nil || decrypt != nil || redirect != nil || event != nil else { return [] }
        return Array("\(number)".utf8)
    }

    /// True when no partial image can be shown: the response is accepted only after its body is complete, or the bytes are not
    /// yet those of the image.
    package var needsAll: Bool { response != nil || decrypt != nil }

    /// Hooks that apply the same changes to all requests and all responses.
    /// `request`: its method, if not GET, its body, if any, and its fields replace those of each request. `response`: its
    /// status, if not 0, and its fields replace those of each response. nil changes nothing.
    package static func fixed(request: ImageRequest?, response: DownloadResponse?) -> DownloadHooks {
        let changeRequest: RequestHook? = request.map { fixed in
            { @Sendable asked throws(ImageError) in
                var sent = asked
                if !fixed.isGet { sent.method = fixed.method }
                sent.body = fixed.body ?? asked.body
                sent.headers.replace(by: fixed.headers)
                return sent
            }
        }
        let changeResponse: ResponseHook? = response.map { fixed in
            { @Sendable given throws(ImageError) in
                var taken = given
                if fixed.status != 0 { taken.status = fixed.status }
                taken.headers.replace(by: fixed.headers)
                return taken
            }
        }
        return DownloadHooks(request: changeRequest, response: changeResponse)
    }

    /// Decodes bodies in Base64.
    /// The bodies are text; partial images are not available (`needsAll`).
    package static let base64 = DownloadHooks(decrypt: { bytes, _ throws(ImageError) in try Base64.decode(bytes) })
}
