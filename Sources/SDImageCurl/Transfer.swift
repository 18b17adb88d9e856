import CCurl
import SDImage

/// One load on the transfer thread, over all its redirects. Never touched by another thread.
final class Transfer {
    /// What becomes of the body of the answer at hand.
    enum Disposition {
        case undecided, keep
        /// Read and thrown away, so that the connection can be used again; given up when it is long.
        case discard
    }

    /// How long an unwanted body may be before closing its connection is cheaper than reading it.
    static let longestDiscard = 64 << 10
    private static let progressInterval: UInt64 = 50_000_000

    let download: Download
    /// Of the next or current hop.
    private(set) var url: URLText
    private(set) var origin: [UInt8]
    private(set) var host: [UInt8]
    /// The host is an address, and no name has to be looked up.
    private(set) var isHostAddress: Bool
    private(set) var hops = 0
    /// Tries after the first one.
    private(set) var retries = 0
    /// Not before this may it be tried again.
    var dueAt: UInt64 = 0
    /// Whether user, password and header fields of the request are sent.
    private(set) var carriesSecrets = true
    /// Of the next or current hop.
    private(set) var method: String
    private(set) var content: Bytes?

    // Place in the queue.
    var priority: LoadPriority
    var sequence: UInt64 = 0
    /// Says which of several entries in the lanes is the valid one.
    var queueEntry: UInt64 = 0
    var isWaiting = false
    /// Runs, and nobody waits for it.
    var isInBackground = false

    // State of the hop.
    var handle: EasyHandle?
    /// In place of a handle, where a transport of the host does the exchange.
    var exchange: Exchange?
    var head = ResponseHead()
    /// Of all heads of one try together.
    var headBytes = 0
    /// Of the wall clock, for the age of the answer.
    private var askedAt: UInt64 = 0
    var answeredAt: UInt64 = 0
    private(set) var isHeadAwaited = true
    /// What this hop goes on with, where it asks for the rest of a content.
    private(set) var resuming: ResumePoint?
    var disposition = Disposition.undecided
    /// Undoes the content coding of a body that is kept.
    private var decoder: ContentDecoder?
    var discarded = 0
    var failure: ImageError?
    var isConnected = false
    var descriptor: curl_socket_t?
    /// The connection offered had something to read before anything was asked.
    var isPoisoned = false
    var usesFreshConnection = false
    var isAddressForbidden = false
    /// A hook of the host has had its say about the answer.
    var isApproved = false

    /// Of an exchange: when it started, and when its answer came.
    var begun: UInt64 = 0
    var firstByteAt: UInt64 = 0

    // State of the whole load.
    private var resumePoint: ResumePoint?
    /// False once a server's part did not fit, or where the caller asks for parts himself.
    private(set) var mayResume: Bool
    private(set) var expected: Int64 = -1
    private(set) var received: Int64 = 0
    /// Body bytes of this hop, kept or not.
    var hopBytes: Int { discarded + kept }
    private var kept = 0
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
        mayResume = method == ImageRequest.get && !download.asks(["range", "if-range"])
    }

    var settings: LoaderSettings { download.settings }

    /// The next hop says who asks.
    var sendsCredential: Bool {
        let configuration = settings.configuration
        return carriesSecrets
            && (configuration.credential != nil || configuration.bearerToken != nil || download.url.userInfo != nil)
    }

    /// Its time is running.
    var hasBegun: Bool { started != 0 }

    /// Nothing is missing of what a part of the content announced, or a transport; of the rest libcurl has made sure.
    var isWhole: Bool { resuming == nil && begun == 0 || disposition != .keep || expected < 0 || received == expected }

    /// The end of the content coding has come; of the body libcurl knows the end alone.
    var isContentComplete: Bool { decoder?.isComplete ?? true }

    /// Prepares the decoder of a body. A transport of the host undoes codings by itself.
    func beginDecoding() throws(ImageError) {
        guard exchange == nil else { return }
        let isPlain = head.transferCodings.allSatisfy { $0 == "chunked" || $0 == "identity" }
        guard isPlain else { throw ImageError(.invalidResponse, "http: transfer coding other than chunked") }
        decoder = try ContentDecoder.make(for: head.contentCodings)
    }

    /// Forgets the answer so far; before each hop and each repetition.
    func prepareHop(at now: UInt64) {
        head = ResponseHead()
        askedAt = MonotonicClock.wall
        head.keepsFields = download.hooks?.needsAll == true
        isApproved = false
        isHeadAwaited = true
        resuming = resumePoint.flatMap { $0.url == url ? $0 : nil }
        disposition = .undecided
        decoder = nil
        discarded = 0
        kept = 0
        failure = nil
        isConnected = false
        descriptor = nil
        isPoisoned = false
        isAddressForbidden = false
        if started == 0 {
            started = now
            download.progress(0, -1)
            tell(.started)
        }
        lastActivity = now
    }

    /// Turns to where the answer points.
    func follow(_ next: URLText) throws(ImageError) {
        if RedirectRules.becomesGet(head.status, method) { (method, content) = (ImageRequest.get, nil) }
        if !RedirectRules.keepsSecrets(from: url, to: next) {
            guard content == nil else {
                throw ImageError(.redirectForbidden, "redirect of a request's body to another origin")
            }
            carriesSecrets = false
        }
        turn(to: next)
        hops += 1
    }

    /// Back to the first URL for one more try. What has arrived is kept where the server can be asked for the rest.
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

    /// Once more from the first byte: what came was no continuation.
    func startAnew() {
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

    /// A hop is over.
    func note(_ transaction: LoadTransaction) {
        if transactions.count < Transfer.mostTransactions { transactions.append(transaction) }
    }

    /// The head is whole, and its body is wanted.
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

    /// Takes a piece of the body; false ends the transfer.
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
        // The largest window is held beside the body: see sdimage_downloader_config_set_max_body_bytes.
        let limit = decoder?.hasLargestWindow == true ? download.maxBodyBytes - download.maxBodyBytes / 16 : download.maxBodyBytes
        guard received <= Int64(limit) - Int64(bytes.count) else {
            throw .tooLarge("body size in bytes", limit: download.maxBodyBytes)
        }
        unsafe try download.body.append(bytes)
        received += Int64(bytes.count)
        kept += bytes.count
    }

    /// An answer has come that is no redirect, or a hook has changed it.
    func reportResponse() {
        download.progress.responded(ReceivedHead(url: url.redacted, status: head.status, lines: head.lines))
    }

    /// Lets the host hear of it.
    func tell(_ kind: DownloadEvent.Kind, _ error: ImageError? = nil) {
        guard let hear = download.hooks?.event else { return }
        let now = MonotonicClock.now
        hear(
            DownloadEvent(
                kind, url: download.url.redacted, httpStatus: head.status, received: received, expected: expected,
                nanoseconds: now > started ? now - started : 0, error: error))
    }

    /// Something came from the server.
    func noteActivity() { lastActivity = handle?.sockets.now ?? MonotonicClock.now }

    /// A line of the head came.
    func noteHead(_ count: Int) {
        isHeadAwaited = false
        headBytes += count
    }

    /// When all its time is over.
    var end: UInt64 { Durations.moment(started, after: download.totalTimeout) }

    /// The moment at which the transfer is given up, as things stand.
    var deadline: UInt64 {
        isConnected ? min(end, silenceEnd) : end
    }

    private var silenceEnd: UInt64 { Durations.moment(lastActivity, after: download.inactivityTimeout) }

    /// No later than `deadline` can become: silence is measured from when the connection stands.
    var earliestDeadline: UInt64 { min(deadline, silenceEnd) }

    /// What the load gives back.
    func finish() -> LoadedData {
        if received > 0 { download.progress(received, expected) }
        var data = LoadedData(bytes: download.body.finish())
        data.httpStatus = head.status
        data.mediaType = head.mediaType
        data.finalURL = hops == 0 ? download.url.bytes : url.withoutUserInfo
        data.source = .network
        data.answer = head.answer
        data.answer.requestTime = askedAt
        data.answer.responseTime = answeredAt
        if head.keepsFields { data.response = DownloadResponse(head, of: url) }
        return data
    }

    private func reserve(_ announced: Int64) throws(ImageError) {
        guard announced <= Int64(download.maxBodyBytes) else {
            throw .tooLarge("body size in bytes", limit: download.maxBodyBytes)
        }
        try download.body.reserve(Int(announced))
    }

    /// Not the last piece: that is reported when the transfer is known to be whole.
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
