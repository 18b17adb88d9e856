import CCurl
import SDImage

/// One request of a transfer and its response. Confined to the transfer thread.
final class Hop {
    /// Treatment of the body of the response.
    enum Disposition {
        case undecided, keep
        /// Read and dropped, so that the connection can be reused; a long body is cut off.
        case discard
    }

    let url: URLText
    let method: String
    /// The request body.
    let content: Bytes?
    /// True if credentials, the client certificate and header fields of the request are sent.
    let carriesSecrets: Bool

    var handle: EasyHandle? { didSet { sockets = handle?.sockets } }
    /// Those of `handle`: every piece of the response needs them.
    private(set) var sockets: SocketTable?
    /// Replaces the handle if a transport of the host runs the exchange.
    var exchange: Exchange?
    var head: ResponseHead
    /// Wall-clock times of the request and the response, for the age of the response.
    let requestedAt = MonotonicClock.wall
    var respondedAt: UInt64 = 0
    var isHeadAwaited = true
    /// The point at which this hop resumes, if it requests the rest of a content.
    var resuming: ResumePoint?
    var disposition = Disposition.undecided
    /// Decodes the content coding of a kept body.
    var decoder: ContentDecoder?
    /// Body bytes that were kept, before their content coding is decoded, and discarded.
    var accepted = 0
    var discarded = 0
    var failure: ImageError?
    var isConnected = false
    var descriptor: curl_socket_t?
    /// True if the connection had unread input before the request was sent.
    var isPoisoned = false
    var isAddressForbidden = false
    /// True after a hook of the host has replied about the response.
    var isApproved = false
    /// Times at which an exchange started and its response arrived.
    var begun: UInt64 = 0
    var firstByteAt: UInt64 = 0

    private init(
        _ url: URLText, _ method: String, _ content: Bytes?, carriesSecrets: Bool, head: ResponseHead = ResponseHead()
    ) {
        self.url = url
        self.method = method
        self.content = content
        self.carriesSecrets = carriesSecrets
        self.head = head
    }

    /// The first hop of a download.
    convenience init(_ download: Download) {
        self.init(download.url, download.request.method, download.request.body, carriesSecrets: true)
    }

    /// The same request, without a response.
    convenience init(repeating other: Hop, keepsFields: Bool) {
        self.init(
            other.url, other.method, other.content, carriesSecrets: other.carriesSecrets,
            head: ResponseHead(keepsFields: keepsFields))
    }

    /// The hop to the target of a redirect; throws if a request body would go to another origin.
    func following(_ next: URLText) throws(ImageError) -> Hop {
        let isBodyDropped = RedirectRules.becomesGet(head.status, method)
        let content = isBodyDropped ? nil : content
        let keepsSecrets = RedirectRules.keepsSecrets(from: url, to: next)
        guard keepsSecrets || content == nil else {
            throw ImageError(.redirectForbidden, "http: redirect of a request body to another origin refused")
        }
        return Hop(
            next, isBodyDropped ? ImageRequest.get : method, content, carriesSecrets: carriesSecrets && keepsSecrets)
    }
}
