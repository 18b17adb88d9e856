/// Hooks of the host for downloads; each is optional. Hooks that may wait are `async`.
package final class DownloadHooks: Sendable {
    package typealias RequestHook = @Sendable (ImageRequest) async throws(ImageError) -> ImageRequest
    package typealias ResponseHook = @Sendable (DownloadResponse) async throws(ImageError) -> DownloadResponse
    package typealias Decryptor = @Sendable (Bytes, DownloadResponse) throws(ImageError) -> Bytes
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
    package struct Redirect: Sendable {
        package let from: [UInt8]
        package let to: [UInt8]
        package let status: Int32

        package init(from: [UInt8], to: [UInt8], status: Int32) {
            self.from = from
            self.to = to
            self.status = status
        }
    }

    /// These hooks; hooks that are absent here come from `below`.
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
    package static let base64 = DownloadHooks(decrypt: { bytes, _ throws(ImageError) in try Base64.decode(bytes) })
}
