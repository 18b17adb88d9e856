/// A host's say in downloads; each part may be absent. Those that may wait are `async`.
package final class DownloadHooks: Sendable {
    package typealias RequestHook = @Sendable (ImageRequest) async throws(ImageError) -> ImageRequest
    package typealias ResponseHook = @Sendable (DownloadResponse) async throws(ImageError) -> DownloadResponse
    package typealias Decryptor = @Sendable (Bytes, DownloadResponse) throws(ImageError) -> Bytes
    package typealias RedirectHook = @Sendable (Redirect) async throws(ImageError) -> [UInt8]

    /// Changes the request before it is sent, or throws to refuse it.
    package let request: RequestHook?
    /// Changes an answer before it is judged, or throws to refuse it. Not asked about redirects.
    package let response: ResponseHook?
    /// Makes the picture's bytes of those that came; computes only.
    package let decrypt: Decryptor?
    /// Where a redirect leads in the end, or throws to refuse it.
    package let redirect: RedirectHook?
    /// Told in order; must be quick.
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

    /// One server sends the load to another place.
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

    /// These, and where one is absent that of `below`.
    package func over(_ below: DownloadHooks?) -> DownloadHooks {
        guard let below else { return self }
        return DownloadHooks(
            request: request ?? below.request, response: response ?? below.response, decrypt: decrypt ?? below.decrypt,
            redirect: redirect ?? below.redirect, event: event ?? below.event)
    }

    /// What loads with these hooks must have in common to share a transfer: nothing where only requests are modified, because
    /// what is made of them is compared (docs/decisions.md, "What a transfer is shared by").
    package var sharingKey: [UInt8] {
        guard response != nil || decrypt != nil || redirect != nil || event != nil else { return [] }
        return Array("\(number)".utf8)
    }

    /// The answer is not accepted before its body has come, or the bytes are not the picture's: no part can be shown.
    package var needsAll: Bool { response != nil || decrypt != nil }

    /// Says the same of all requests, and of all answers.
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

    /// For bytes that come in base 64.
    package static let base64 = DownloadHooks(decrypt: { bytes, _ throws(ImageError) in try Base64.decode(bytes) })
}
