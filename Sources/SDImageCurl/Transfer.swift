import CCurl
import SDImage

/// One load on the transfer thread, across all its redirects. Confined to that thread.
final class Transfer {
    /// Treatment of the body of the current response.
    enum Disposition {
        case undecided, keep
        /// Read and dropped, so that the connection can be reused; a long body is cut off.
        case discard
    }

    /// Length in bytes up to which reading an unwanted body is cheaper than closing its connection.
    static let longestDiscard = 64 << 10
    private static let progressInterval: UInt64 = 50_000_000

    /// An object, because most transfers wait for their turn and have no response yet.
    private final class Response {
        var head = ResponseHead()
    }

    let download: Download
    /// URL of the next or current hop.
    private(set) var url: URLText
    private(set) var origin: [UInt8]
    private(set) var host: [UInt8]
    /// True if the host is an address or no name has to be looked up.
    private(set) var isHostAddress: Bool
    private(set) var hops = 0
    /// Retries so far.
    private(set) var retries = 0
    /// Earliest time of the next retry.
    var dueAt: UInt64 = 0
    /// True if credentials, the client certificate and header fields of the request are sent.
    private(set) var carriesSecrets = true
    /// Method of the next or current hop.
    private(set) var method: String
    private(set) var content: Bytes?

    // Position in the queue.
    var priority: LoadPriority
    var sequence: UInt64 = 0
    /// Identifies the valid one of several entries in the lanes.
    var queueEntry: UInt64 = 0
    var isWaiting = false
    /// True while it runs as a background transfer.
    var isInBackground = false

    // State of the hop.
    var handle: EasyHandle?
    /// Replaces the handle if a transport of the host runs the exchange.
    var exchange: Exchange?
    var head: ResponseHead {
        _read { if let response { yield response.head } else { yield ResponseHead() } }
        _modify {
            let response = self.response ?? Response()
            self.response = response
            yield &response.head
        }
    }
    private var response: Response?
    /// Size in bytes of all heads of one try together.
    var headBytes = 0
    /// Wall-clock time of the request, for the age of the response.
    private var requestedAt: UInt64 = 0
    var respondedAt: UInt64 = 0
    private(set) var isHeadAwaited = true
    /// The point at which this hop resumes, if it requests the rest of a content.
    private(set) var resuming: ResumePoint?
    var disposition = Disposition.undecided
    /// Decodes the content coding of a kept body.
    private var decoder: ContentDecoder?
    var discarded = 0
    var failure: ImageError?
    var isConnected = false
    var descriptor: curl_socket_t?
    /// True if the connection had unread input before the request was sent.
    var isPoisoned = false
    var usesFreshConnection = false
    var isAddressForbidden = false
    /// True after a hook of the host has replied about the response.
    var isApproved = false

    /// Times at which an exchange started and its response arrived.
    var begun: UInt64 = 0
    var firstByteAt: UInt64 = 0

    // State of the whole load.
    private var resumePoint: ResumePoint?
    /// False once a partial response did not fit, or if the caller requests ranges itself.
    private(set) var mayResume: Bool
    private(set) var expected: Int64 = -1
    private(set) var received: Int64 = 0
    /// Body bytes of this hop, both kept and discarded.
    var hopBytes: Int { discarded + accepted }
    private var accepted = 0
    private(set) var transactions: [LoadTransaction] = []
    private static let mostTransactions = 100
    var started: UInt64 = 0
    private(set) var lastActivity: UInt64 = 0
    private var lastProgress: UInt64 = 0
    private var lastReported: Int64 = 0

    init(_ download: Download) {
        self.download = download
        url = download.url
        origin = download.url.origin ?? []
        host = Array(download.url.host)
        isHostAddress = ResolutionGate.isAddress(host) || download.settings.looksUpNoNames
        priority = download.priority
        method = download.method
        content = download.content
        mayResume = method == ImageRequest.get && !download.sends(["range", "if-range"])
    }

    var settings: LoaderSettings { download.settings }

    /// True if the next hop sends a user, password or token.
    var sendsCredential: Bool {
        let configuration = settings.configuration
        return carriesSecrets
            && (configuration.credential != nil || configuration.bearerToken != nil || download.url.userInfo != nil)
    }

    /// True once the total time is running.
    var hasBegun: Bool { started != 0 }

    /// True if the length announced by a partial response or a transport has been received; libcurl checks all other bodies.
    var isWhole: Bool { resuming == nil && begun == 0 || disposition != .keep || expected < 0 || received == expected }

    /// True if the content coding has reached its end. libcurl checks only the end of the body.
    var isContentComplete: Bool { decoder?.isComplete ?? true }

    /// Prepares the decoder of a body. A transport of the host decodes content codings itself.
    func beginDecoding() throws(ImageError) {
        // libcurl repeats a refused request with credentials within one hop.
        decoder = nil
        guard exchange == nil, head.hasCodings else { return }
        let isPlain = head.transferCodings.allSatisfy { $0 == "chunked" || $0 == "identity" }
        guard isPlain else { throw ImageError(.invalidResponse, "http: transfer coding is not chunked") }
        decoder = try ContentDecoder.make(for: head.contentCodings)
    }

    /// Resets the state of the response; called before each hop and each repetition.
    func prepareHop(at now: UInt64) {
        head = ResponseHead(keepsFields: download.hooks?.needsAll == true)
        requestedAt = MonotonicClock.wall
        isApproved = false
        isHeadAwaited = true
        resuming = resumePoint.flatMap { $0.url == url ? $0 : nil }
        disposition = .undecided
        decoder = nil
        discarded = 0
        accepted = 0
        failure = nil
        isConnected = false
        descriptor = nil
        isPoisoned = false
        isAddressForbidden = false
        if started == 0 {
            started = now
            download.progress(0, -1)
            report(.started)
        }
        lastActivity = now
    }

    /// Prepares the hop to the target of a redirect; throws if a request body would go to another origin.
    func follow(_ next: URLText) throws(ImageError) {
        if RedirectRules.becomesGet(head.status, method) { (method, content) = (ImageRequest.get, nil) }
        if !RedirectRules.keepsSecrets(from: url, to: next) {
            guard content == nil else {
                throw ImageError(.redirectForbidden, "http: redirect of a request body to another origin refused")
            }
            carriesSecrets = false
        }
        turn(to: next)
        hops += 1
    }

    /// Returns to the first URL for a retry. Received bytes are kept if the rest can be requested.
    func retry(at moment: UInt64) {
        resumePoint = ResumePoint(self)
        if resumePoint == nil { dropBody() }
        turn(to: download.url)
        (method, content) = (download.method, download.content)
        hops = 0
        headBytes = 0
        carriesSecrets = true
        retries += 1
        dueAt = moment
    }

    /// Restarts at the first byte, because the response does not continue the received bytes.
    func restart() {
        mayResume = false
        dropBody()
    }

    private func turn(to next: URLText) {
        url = next
        origin = next.origin ?? []
        host = Array(next.host)
        isHostAddress = ResolutionGate.isAddress(host) || settings.looksUpNoNames
        usesFreshConnection = false
    }

    /// Records the measurements of a hop that has ended.
    func note(_ transaction: LoadTransaction) {
        if transactions.count < Transfer.mostTransactions { transactions.append(transaction) }
    }

    /// Called when the head is complete and its body is kept.
    func beginBody() {
        disposition = .keep
        if let resuming, head.status == 206, let total = resuming.total(continuedBy: head) {
            head = resuming.head
            expected = total
        } else if received > 0 {
            dropBody()
        }
    }

    private func dropBody() {
        resumePoint = nil
        download.body.reset()
        received = 0
        lastReported = 0
        expected = -1
    }

    /// Handles a piece of the body; false ends the transfer.
    func receive(_ bytes: UnsafeRawBufferPointer, contentLength: Int64) -> Bool {
        noteActivity()
        switch disposition {
        case .keep:
            if received == 0 { expected = head.isEncoded ? -1 : contentLength }
            do throws(ImageError) {
                if received == 0, expected > 0 { try reserve(expected) }
                if let decoder {
                    unsafe try decoder.decode(bytes) { piece throws(ImageError) in unsafe try keep(piece) }
                } else {
                    unsafe try keep(bytes)
                }
            } catch {
                failure = error
                return false
            }
            reportProgress()
            return true
        case .undecided, .discard:
            discarded += bytes.count
            return discarded <= Transfer.longestDiscard
        }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        // The largest window takes memory in addition to the body: see sdimage_downloader_config_set_max_body_bytes.
        let limit = decoder?.hasLargestWindow == true ? download.maxBodyBytes - download.maxBodyBytes / 16 : download.maxBodyBytes
        guard received <= Int64(limit) - Int64(bytes.count) else {
            throw .tooLarge("http: body size in bytes", limit: download.maxBodyBytes)
        }
        unsafe try download.body.append(bytes)
        received += Int64(bytes.count)
        accepted += bytes.count
    }

    /// Reports a response that is no redirect, or that a hook has changed.
    func reportResponse() {
        download.progress.responded(ReceivedHead(url: url.redacted, status: head.status, lines: head.lines))
    }

    /// Calls the event hook of the host, if any.
    func report(_ kind: DownloadEvent.Kind, _ error: ImageError? = nil) {
        guard let hear = download.hooks?.event else { return }
        let now = MonotonicClock.now
        hear(
            DownloadEvent(
                kind, url: download.url.redacted, httpStatus: head.status, received: received, expected: expected,
                nanoseconds: now > started ? now - started : 0, error: error))
    }

    /// Restarts the inactivity time-out; called when the connection makes progress.
    func noteActivity() { lastActivity = handle?.sockets.now ?? MonotonicClock.now }

    /// Called for each line of the head.
    func noteHead(_ count: Int) {
        isHeadAwaited = false
        headBytes += count
    }

    /// End of the transfer's total time.
    var end: UInt64 { Durations.moment(started, after: download.totalTimeout) }

    /// Time at which the transfer times out if no more data arrives.
    var deadline: UInt64 {
        isConnected ? min(end, silenceEnd) : end
    }

    private var silenceEnd: UInt64 { Durations.moment(lastActivity, after: download.inactivityTimeout) }

    /// Lower bound of all later values of `deadline`: inactivity is measured once the connection is established.
    var earliestDeadline: UInt64 { min(deadline, silenceEnd) }

    /// Completes the body and returns the result of the load.
    func finish() -> LoadedData {
        if received > 0 { download.progress(received, expected) }
        var data = LoadedData(bytes: download.body.finish())
        data.httpStatus = head.status
        data.mediaType = head.mediaType
        data.finalURL = hops == 0 ? download.url.bytes : url.withoutUserInfo
        data.source = .network
        data.record = head.record
        data.record.requestTime = requestedAt
        data.record.responseTime = respondedAt
        if head.keepsFields { data.response = DownloadResponse(head, of: url) }
        return data
    }

    private func reserve(_ announced: Int64) throws(ImageError) {
        guard announced <= Int64(download.maxBodyBytes) else {
            throw .tooLarge("http: body size in bytes", limit: download.maxBodyBytes)
        }
        try download.body.reserve(Int(announced))
    }

    /// Skips the last piece, which is reported once the transfer is known to be complete.
    private func reportProgress() {
        guard received != expected, lastActivity &- lastProgress >= Transfer.progressInterval else { return }
        let step = settings.configuration.minProgressInterval
        if step > 0, expected > 0 {
            guard Double(received - lastReported) >= step * Double(expected) else { return }
            lastReported = received
        }
        lastProgress = lastActivity
        download.progress(received, expected)
    }
}
