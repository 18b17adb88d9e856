import CCurl
import SDImage

/// One load on the transfer thread, across all its redirects. Confined to that thread.
/// Made by `CurlLoop` for each `Download`. The object stays the same for all hops and retries; each hop has a `Hop`.
final class Transfer {
    /// Length in bytes up to which reading an unwanted body is cheaper than closing its connection.
    static let longestDiscard = 64 << 10
    /// Nanoseconds between two reports of progress.
    private static let progressInterval: UInt64 = 50_000_000

    let download: Download
    // Both nil before the first hop: most transfers wait for their turn.
    private var currentHop: Hop?
    private var begun: TransferCourse?

    // Position in the queue.
    var priority: LoadPriority
    /// Age in the downloader, constant for all hops; 0 before the first `add`.
    var sequence: UInt64 = 0
    /// Identifies the valid one of several entries in the lanes.
    var queueEntry: UInt64 = 0
    /// Set by the queue for each hop.
    var origin: DownloadQueue.Origin?
    /// True while it is in a lane of its queue.
    var isWaiting = false
    /// True while a hook of the host decides on its response or redirect.
    var isAsking = false
    /// True while it runs as a background transfer.
    var isInBackground = false

    /// Body bytes of this hop, both kept and discarded.
    var hopBytes: Int { hop.discarded + hop.accepted }
    /// Bounds the memory of a chain of redirects and retries.
    private static let mostTransactions = 100

    init(_ download: Download) {
        self.download = download
        priority = download.request.priority
    }

    /// The next or current hop.
    /// Made on first use, with the first URL.
    var hop: Hop {
        if let currentHop { return currentHop }
        let first = Hop(download)
        currentHop = first
        return first
    }

    /// The state that the hops have in common.
    /// Made on first use, so that a waiting transfer has none.
    var course: TransferCourse {
        if let begun { return begun }
        let made = TransferCourse(bodyLimit: download.maxBodyBytes)
        begun = made
        return made
    }

    /// Measurements of the hops so far, in order.
    var transactions: [LoadTransaction] { begun?.transactions ?? [] }

    /// URL of the next or current hop.
    var url: URLText { currentHop?.url ?? download.url }

    /// False once a partial response did not fit, and if the caller requests ranges itself.
    var mayResume: Bool { !course.isResumeRefused && download.request.isGet && !download.sends(["range", "if-range"]) }

    var settings: LoaderSettings { download.settings }

    /// True if the next hop sends a user, password or token.
    /// Decides between two errors for the status 401.
    var sendsCredential: Bool {
        let configuration = settings.configuration
        return hop.carriesSecrets
            && (configuration.credential != nil || configuration.bearerToken != nil || download.url.userInfo != nil)
    }

    /// True once the total time is running.
    var hasBegun: Bool { begun.map { $0.started != 0 } ?? false }

    /// True if the length announced by a partial response or a transport has been received; libcurl checks all other bodies.
    var isWhole: Bool {
        hop.resuming == nil && hop.begun == 0 || hop.disposition != .keep || course.expected < 0
            || course.received == course.expected
    }

    /// True if the content coding has reached its end. libcurl checks only the end of the body.
    var isContentComplete: Bool { hop.decoder?.isComplete ?? true }

    /// Prepares the decoder of a body. A transport of the host decodes content codings itself.
    func beginDecoding() throws(ImageError) {
        let hop = hop
        // libcurl repeats a refused request with credentials within one hop.
        // The former decoder may have begun with the refused body.
        hop.decoder = nil
        guard hop.exchange == nil, hop.head.hasCodings else { return }
        // libcurl removes `chunked`; other transfer codings would stay in the body.
        let isPlain = hop.head.transferCodings.allSatisfy { $0 == "chunked" || $0 == "identity" }
        guard isPlain else { throw ImageError(.invalidResponse, "http: transfer coding is not chunked") }
        hop.decoder = try ContentDecoder.make(for: hop.head.contentCodings)
    }

    /// Resets the state of the response; called before each hop and each repetition.
    func prepareHop(at now: UInt64) {
        let course = course
        // A new object for each try: state of an earlier response must not be left.
        let hop = Hop(repeating: hop, keepsFields: download.hooks?.needsAll == true)
        // The rest is only requested from the URL that sent the beginning.
        hop.resuming = course.resumePoint.flatMap { $0.url == hop.url ? $0 : nil }
        currentHop = hop
        // The total time begins with the first hop, not in the queue.
        if course.started == 0 {
            course.started = now
            if download.hooks?.needsAll != true { download.progress.arrives(in: course.body) }
            download.progress(0, -1)
            report(.started)
        }
        course.lastActivity = now
    }

    /// Prepares the hop to the target of a redirect; throws if a request body would go to another origin.
    func follow(_ next: URLText) throws(ImageError) {
        course.redirects.append(record(of: hop))
        currentHop = try hop.following(next)
        // The reason for a fresh connection concerned the former server.
        course.usesFreshConnection = false
        course.hops += 1
    }

    /// Returns to the first URL for a retry. Received bytes are kept if the rest can be requested.
    func retry(at moment: UInt64) {
        let course = course
        // A try that failed before its body has received nothing new.
        course.resumePoint = ResumePoint(self) ?? (hop.disposition == .keep ? nil : course.resumePoint)
        if course.resumePoint == nil { dropBody() }
        currentHop = nil
        course.usesFreshConnection = false
        course.hops = 0
        course.redirects = []
        course.headBytes = 0
        course.retries += 1
        course.dueAt = moment
    }

    /// Restarts at the first byte, because the response does not continue the received bytes.
    func restart() {
        course.isResumeRefused = true
        dropBody()
    }

    /// Records the measurements of a hop that has ended.
    /// Only the first `mostTransactions` hops are recorded.
    func note(_ transaction: LoadTransaction) {
        if transactions.count < Transfer.mostTransactions { course.transactions.append(transaction) }
    }

    /// Called when the head is complete and its body is kept.
    func beginBody() {
        let (hop, course) = (hop, course)
        hop.disposition = .keep
        // The head of the first response describes the whole content.
        if let resuming = hop.resuming, hop.head.status == 206, let total = resuming.total(continuedBy: hop.head) {
            hop.head = resuming.head
            course.expected = total
        } else if course.received > 0 {
            // A complete response replaces the bytes of an earlier one.
            dropBody()
        }
    }

    /// Drops the bytes received so far, because another body begins.
    private func dropBody() {
        let course = course
        course.resumePoint = nil
        course.body.reset()
        course.received = 0
        course.lastReported = 0
        course.expected = -1
    }

    /// Handles a piece of the body; false ends the transfer.
    /// `contentLength`: -1 if it is unknown. Called for each piece, on the transfer thread.
    func receive(_ bytes: UnsafeRawBufferPointer, contentLength: Int64) -> Bool {
        noteActivity()
        let (hop, course) = (hop, course)
        switch hop.disposition {
        case .keep:
            // The announced length is that of the encoded bytes, so it tells nothing about the image.
            if course.received == 0 { course.expected = hop.head.isEncoded ? -1 : contentLength }
            do throws(ImageError) {
                if course.received == 0, course.expected > 0 { try reserve(course.expected) }
                if let decoder = hop.decoder {
                    unsafe try decoder.decode(bytes) { piece throws(ImageError) in unsafe try keep(piece, hop) }
                } else {
                    unsafe try keep(bytes, hop)
                }
            } catch {
                hop.failure = error
                return false
            }
            reportProgress()
            return true
        case .undecided, .discard:
            hop.discarded += bytes.count
            // A short body is read to its end, which keeps the connection usable.
            return hop.discarded <= Transfer.longestDiscard
        }
    }

    /// Appends decoded bytes; throws `tooLarge` before the limit is exceeded.
    private func keep(_ bytes: UnsafeRawBufferPointer, _ hop: Hop) throws(ImageError) {
        let course = course
        // The largest window takes memory in addition to the body: see sdimage_downloader_config_set_max_body_bytes.
        let limit =
            hop.decoder?.hasLargestWindow == true ? download.maxBodyBytes - download.maxBodyBytes / 16 : download.maxBodyBytes
        guard course.received <= Int64(limit) - Int64(bytes.count) else {
            throw .tooLarge("http: body size in bytes", limit: download.maxBodyBytes)
        }
        unsafe try course.body.append(bytes)
        course.received += Int64(bytes.count)
        hop.accepted += bytes.count
    }

    /// Reports a response that is no redirect, or that a hook has changed.
    func reportResponse() {
        download.progress.responded(ReceivedHead(url: url.redacted, status: hop.head.status, lines: hop.head.lines))
    }

    /// Calls the event hook of the host, if any.
    /// Runs on the transfer thread; the hook must return quickly.
    func report(_ kind: DownloadEvent.Kind, _ error: ImageError? = nil) {
        guard let hear = download.hooks?.event else { return }
        let (now, course) = (MonotonicClock.now, course)
        hear(
            DownloadEvent(
                kind, url: download.url.redacted, httpStatus: hop.head.status, received: course.received,
                expected: course.expected, nanoseconds: now > course.started ? now - course.started : 0, error: error))
    }

    /// Restarts the inactivity time-out; called when the connection makes progress.
    func noteActivity() { course.lastActivity = hop.sockets?.now ?? MonotonicClock.now }

    /// End of the transfer's total time.
    /// Monotonic nanoseconds.
    var end: UInt64 { Durations.moment(course.started, after: download.totalTimeout) }

    /// Time at which the transfer times out if no more data arrives.
    var deadline: UInt64 { min(end, hop.isConnected ? silenceEnd : connectEnd) }

    /// End of the inactivity time-out.
    private var silenceEnd: UInt64 { Durations.moment(course.lastActivity, after: download.inactivityTimeout) }

    /// End of the time for connecting, counted from the last socket; .max without one.
    ///
    /// libcurl ends a hop before that, and names the step that took too long. But libcurl before 8.4 drops its timer if anything
    /// arrives on the socket in the last millisecond (add_next_timeout), which a server can provoke in a TLS handshake.
    private var connectEnd: UInt64 {
        guard hop.socketOpenedAt != 0 else { return .max }
        return Durations.moment(hop.socketOpenedAt, after: settings.longestConnect)
    }

    /// Lower bound of all later values of `deadline`: inactivity is measured once the connection is established.
    var earliestDeadline: UInt64 {
        guard !hop.isConnected else { return deadline }
        let shortest = min(download.inactivityTimeout, settings.longestConnect)
        return min(deadline, Durations.moment(MonotonicClock.now, after: shortest))
    }

    /// The error of a transfer whose deadline has passed at `now`.
    func timeout(at now: UInt64) -> ImageError {
        let text =
            now >= end
            ? "http: transfer exceeded the total timeout"
            : hop.isConnected ? "http: no data received within the timeout" : "http: not connected within the timeout"
        return ImageError(.timeout, text)
    }

    /// Completes the body and returns the result of the load.
    /// Must be called once, after the hop was accepted.
    func finish() -> LoadedData {
        let course = course
        if course.received > 0 { download.progress(course.received, course.expected) }
        var data = LoadedData(bytes: course.body.finish())
        let head = hop.head
        data.httpStatus = head.status
        data.mediaType = head.mediaType
        // Without a redirect the bytes of the request are shared.
        data.finalURL = course.hops == 0 ? download.url.bytes : url.withoutUserInfo
        data.source = .network
        data.record = record(of: hop)
        data.redirects = course.redirects
        if course.hops > 0 { data.record.location = Transfer.digest(of: url) }
        if head.keepsFields { data.response = DownloadResponse(head, of: url) }
        return data
    }

    /// The record of a response that has ended.
    private func record(of hop: Hop) -> ResponseRecord {
        var record = hop.head.record
        // It stays in memory beside the image, whose cost does not include it.
        record.limitFields()
        (record.requestTime, record.responseTime) = (hop.requestedAt, hop.respondedAt)
        return record
    }

    /// Reserves memory; throws `tooLarge` for an announcement above the limit.
    private func reserve(_ announced: Int64) throws(ImageError) {
        guard announced <= Int64(download.maxBodyBytes) else {
            throw .tooLarge("http: body size in bytes", limit: download.maxBodyBytes)
        }
        try course.body.reserve(Int(announced))
    }

    /// Skips the last piece, which is reported once the transfer is known to be complete.
    private func reportProgress() {
        let course = course
        // At most one report in 50 ms.
        guard course.received != course.expected, course.lastActivity &- course.lastProgress >= Transfer.progressInterval else {
            return
        }
        let step = settings.configuration.minProgressInterval
        // In addition, the host may ask for fewer.
        if step > 0, course.expected > 0 {
            guard Double(course.received - course.lastReported) >= step * Double(course.expected) else { return }
            course.lastReported = course.received
        }
        course.lastProgress = course.lastActivity
        download.progress(course.received, course.expected)
    }
}
