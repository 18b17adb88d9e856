import CCurl
import SDImage

/// One request of a transfer and its response. Confined to the transfer thread.
/// Made by `Transfer.prepareHop` and `follow`. A retry or repetition uses a new object, so that nothing is left of
/// the old response.
final class Hop {
    /// Treatment of the body of the response.
    enum Disposition {
        /// `undecided`: the head is not complete. `keep`: the body is the image.
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

    /// nil before the hop runs and after it has ended.
    var handle: EasyHandle? { didSet { sockets = handle?.sockets } }
    /// Those of `handle`: every piece of the response needs them.
    private(set) var sockets: SocketTable?
    /// Replaces the handle if a transport of the host runs the exchange.
    var exchange: Exchange?
    /// Status and fields as far as they have arrived.
    var head: ResponseHead
    /// Wall-clock times of the request and the response, for the age of the response.
    let requestedAt = MonotonicClock.wall
    /// 0 before the end of the head.
    var respondedAt: UInt64 = 0
    /// True before the first byte of a response.
    var isHeadAwaited = true
    /// The point at which this hop resumes, if it requests the rest of a content.
    var resuming: ResumePoint?
    var disposition = Disposition.undecided
    /// Decodes the content coding of a kept body.
    var decoder: ContentDecoder?
    /// Body bytes that were kept, before their content coding is decoded, and discarded.
    var accepted = 0
    var discarded = 0
    /// Reason of this library for ending the hop; libcurl then reports an aborted callback.
    var failure: ImageError?
    /// Monotonic time at which libcurl opened the last socket for a new connection; 0 before.
    var socketOpenedAt: UInt64 = 0
    /// True once a request is about to be sent on a connection.
    var isConnected = false
    /// Socket of the connection; nil if it cannot be determined.
    var descriptor: curl_socket_t?
    /// True if the connection had unread input before the request was sent.
    var isPoisoned = false
    /// True if the address policy refused the connection.
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
        // A redirected POST may continue as GET without its body.
        let isBodyDropped = RedirectRules.becomesGet(head.status, method)
        let content = isBodyDropped ? nil : content
        // Once another origin was involved, secrets are never sent again, not even back to the first.
        let keepsSecrets = RedirectRules.keepsSecrets(from: url, to: next)
        guard keepsSecrets || content == nil else {
            throw ImageError(.redirectForbidden, "http: redirect of a request body to another origin refused")
        }
        return Hop(
            next, isBodyDropped ? ImageRequest.get : method, content, carriesSecrets: carriesSecrets && keepsSecrets)
    }
}
