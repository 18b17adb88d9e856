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

    let ticket: Ticket
    /// Of the next or current hop.
    private(set) var url: URLText
    private(set) var origin: [UInt8]
    private(set) var host: [UInt8]
    /// The host is an address, and no name has to be looked up.
    private(set) var isHostAddress: Bool
    private(set) var hops = 0
    /// Whether user, password and header fields of the request are sent.
    private(set) var carriesSecrets = true

    // Place in the queue.
    var priority: LoadPriority
    var sequence: UInt64 = 0
    /// Says which of several entries in the lanes is the valid one.
    var queueEntry: UInt64 = 0
    var isWaiting = false

    // State of the hop.
    var handle: EasyHandle?
    var head = ResponseHead()
    var headBytes = 0
    /// Of the wall clock, for the age of the answer.
    private var askedAt: UInt64 = 0
    var answeredAt: UInt64 = 0
    var disposition = Disposition.undecided
    var discarded = 0
    var failure: ImageError?
    var isConnected = false
    var descriptor: curl_socket_t?
    /// The connection offered had something to read before anything was asked.
    var isPoisoned = false
    var usesFreshConnection = false
    var isAddressForbidden = false

    // State of the whole load.
    private var body: ByteBuilder
    private(set) var expected: Int64 = -1
    private(set) var received: Int64 = 0
    var started: UInt64 = 0
    private(set) var lastActivity: UInt64 = 0
    private var lastProgress: UInt64 = 0

    init(_ ticket: Ticket) {
        self.ticket = ticket
        url = ticket.url
        origin = ticket.url.origin ?? []
        host = Array(ticket.url.host)
        isHostAddress = ResolutionGate.isAddress(host)
        priority = ticket.priority
        body = ByteBuilder(limit: ticket.maxBodyBytes)
    }

    var settings: LoaderSettings { ticket.settings }

    /// Forgets the answer so far; before each hop and each repetition.
    func prepareHop(at now: UInt64) {
        head = ResponseHead()
        headBytes = 0
        askedAt = MonotonicClock.wall
        disposition = .undecided
        discarded = 0
        failure = nil
        isConnected = false
        descriptor = nil
        isPoisoned = false
        isAddressForbidden = false
        if started == 0 {
            started = now
            ticket.progress(0, -1)
        }
        lastActivity = now
    }

    /// Turns to where the answer points.
    func follow(_ next: URLText) {
        if !RedirectRules.keepsSecrets(from: url, to: next) { carriesSecrets = false }
        url = next
        origin = next.origin ?? []
        host = Array(next.host)
        isHostAddress = ResolutionGate.isAddress(host)
        hops += 1
        usesFreshConnection = false
    }

    /// Takes a piece of the body; false ends the transfer.
    func receive(_ bytes: UnsafeRawBufferPointer, contentLength: Int64) -> Bool {
        noteActivity()
        switch disposition {
        case .keep:
            if received == 0 { expected = head.isEncoded ? -1 : contentLength }
            do throws(ImageError) {
                if received == 0, expected > 0 { try reserve(expected) }
                unsafe try body.append(bytes)
            } catch {
                failure = error
                return false
            }
            received += Int64(bytes.count)
            reportProgress()
            return true
        case .undecided, .discard:
            discarded += bytes.count
            return discarded <= Transfer.longestDiscard
        }
    }

    /// Something came from the server.
    func noteActivity() { lastActivity = handle?.sockets.now ?? lastActivity }

    /// The moment at which the transfer is given up, as things stand.
    var deadline: UInt64 {
        // Both are below 2^53 ns: no sum can overflow.
        let end = started &+ ticket.totalTimeout
        return isConnected ? min(end, lastActivity &+ ticket.inactivityTimeout) : end
    }

    /// No later than `deadline` can become: silence is measured from when the connection stands.
    var earliestDeadline: UInt64 { min(deadline, lastActivity &+ ticket.inactivityTimeout) }

    /// What the load gives back.
    func finish() -> LoadedData {
        if received > 0 { ticket.progress(received, expected) }
        var data = LoadedData(bytes: body.finish())
        data.httpStatus = head.status
        data.mediaType = head.mediaType
        data.finalURL = hops == 0 ? ticket.url.bytes : url.withoutUserInfo
        data.source = .network
        data.answer = head.answer
        data.answer.requestTime = askedAt
        data.answer.responseTime = answeredAt
        return data
    }

    private func reserve(_ announced: Int64) throws(ImageError) {
        guard announced <= Int64(ticket.maxBodyBytes) else { throw .tooLarge("body size in bytes", limit: ticket.maxBodyBytes) }
        try body.reserve(Int(announced))
    }

    /// Not the last piece: that is reported when the transfer is known to be whole.
    private func reportProgress() {
        guard received != expected, lastActivity &- lastProgress >= Transfer.progressInterval else { return }
        lastProgress = lastActivity
        ticket.progress(received, expected)
    }
}
