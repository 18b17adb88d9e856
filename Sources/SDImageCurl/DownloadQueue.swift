import SDImage
import Synchronization

/// The waiting and running transfers of one loader, its connections and its idle handles. Nothing of them is shared with other
/// loaders. Confined to the transfer thread.
///
/// Order:
/// - redirected and retried transfers before those that never ran,
/// - then high before normal before low priority,
/// - within one priority by age, oldest or newest first.
///
/// A third of the slots is reserved for transfers above low priority.
final class DownloadQueue {
    /// One position of a waiting transfer; a change of priority makes the former entry invalid.
    fileprivate struct Entry {
        let transfer: Transfer
        let number: UInt64
        /// False once the transfer was started, moved to another lane, or cancelled.
        var isValid: Bool { transfer.isWaiting && transfer.queueEntry == number }
    }

    /// Waiting and running transfers of one origin.
    final class Origin {
        /// Scheme, host and port as one text.
        fileprivate let key: [UInt8]
        let host: [UInt8]
        /// True if the host is an address or no name has to be looked up.
        let isAddress: Bool
        /// Lanes by urgency; see `lane`.
        fileprivate var waiting = [Lane(), Lane(), Lane(), Lane()]
        /// Number of running transfers.
        fileprivate var running = 0
        /// Number of running transfers in the background.
        fileprivate var background = 0

        fileprivate init(_ key: [UInt8], _ url: URLText, _ settings: LoaderSettings) {
            self.key = key
            host = Array(url.host)
            isAddress = settings.looksUpNoNames || ResolutionGate.isAddress(host)
        }
    }

    /// Entries ordered by age; removed from either end.
    fileprivate struct Lane {
        /// Entries removed from the front are nil: a reference would keep the transfer's received body in memory.
        private var entries: [Entry?] = []
        /// Index of the first entry that has not been removed.
        private var start = 0

        mutating func append(_ entry: Entry) { entries.append(entry) }

        /// The next valid entry; drops invalid ones on the way.
        /// Invalid entries are left in the lane when their transfer leaves, and removed here at last.
        mutating func first(_ order: ExecutionOrder) -> Entry? {
            while start < entries.count {
                let entry = order == .fifo ? entries[start] : entries[entries.count - 1]
                if let entry, entry.isValid { return entry }
                removeFirst(order)
            }
            return nil
        }

        mutating func removeFirst(_ order: ExecutionOrder) {
            guard start < entries.count else { return }
            if order == .lifo {
                entries.removeLast()
            } else {
                entries[start] = nil
                start += 1
            }
            // Removing each entry from the front would take quadratic time.
            if start == entries.count || start > 1024 && start * 2 > entries.count {
                entries.removeFirst(start)
                start = 0
            }
        }
    }

    let settings: LoaderSettings
    /// May be changed by a command at any time.
    var limits: QueueLimits
    /// TLS sessions and cookies of this downloader.
    private let shares = CurlShares()
    /// Origins with waiting or running transfers.
    private var origins: [[UInt8]: Origin] = [:]
    private var running = 0
    private var background = 0
    /// Number of the latest entry or transfer.
    private var lastNumber: UInt64 = 0
    /// Handles of ended hops, ready for others.
    private var idle: [EasyHandle] = []
    /// Handles with the options of recent hops. They run no transfer; hops get copies of them if handles cannot be reused.
    private var templates: [EasyHandle] = []
    /// Few, because a downloader mostly uses one or two sets of options.
    private static let mostTemplates = 4
    /// Options of the last hop without a template.
    private var lastOptions: HopOptions?
    /// nil before the first transfer, and after idle time.
    private(set) var connections: MultiHandle?

    init(_ settings: LoaderSettings) {
        self.settings = settings
        limits = settings.limits
    }

    /// Appends a transfer to the lane of its urgency. Redirects and retries are added again.
    func add(_ transfer: Transfer) {
        // The age of a transfer does not change with its hops.
        if transfer.sequence == 0 { transfer.sequence = nextNumber() }
        transfer.isWaiting = true
        transfer.queueEntry = nextNumber()
        let origin = origin(of: transfer.url)
        transfer.origin = origin
        origin.waiting[lane(transfer)].append(Entry(transfer: transfer, number: transfer.queueEntry))
    }

    /// Changes the priority of a transfer; a waiting one is appended to the lane of its new priority.
    func setPriority(_ priority: LoadPriority, of transfer: Transfer) {
        guard priority != transfer.priority else { return }
        transfer.priority = priority
        if transfer.isWaiting { add(transfer) }
    }

    /// Number of slots available to background transfers; the others are reserved for visible ones.
    private static func forBackground(_ slots: Int) -> Int { max(1, slots - slots / 3) }

    /// Removes the transfer that may start now from its lane and counts it as running. `admits` can hold back an origin.
    /// Examines only the first transfer of each origin, so that one origin cannot hold back another.
    func next(_ admits: (Transfer) -> Bool) -> Transfer? {
        guard running < max(1, limits.maxTotal) else { return nil }
        var best: (rank: (Int, UInt64), origin: Origin, transfer: Transfer)?
        for origin in origins.values where origin.running < max(1, limits.maxPerHost) {
            // Lane 0 is exempt from suspension: such transfers have begun.
            guard let (lane, entry) = first(origin), lane == 0 || !limits.isSuspended else { continue }
            if lane == 3, !hasBackgroundSlot(origin) { continue }
            // Newest first is oldest first by the inverted age.
            let age =
                limits.executionOrder == .lifo && lane > 0
                ? .max - entry.transfer.sequence : entry.transfer.sequence
            let rank = (lane, age)
            if let best, best.rank < rank { continue }
            if admits(entry.transfer) { best = (rank, origin, entry.transfer) }
        }
        guard let best else { return nil }
        best.transfer.isWaiting = false
        best.origin.waiting[best.rank.0].removeFirst(order(best.rank.0))
        best.origin.running += 1
        running += 1
        best.transfer.isInBackground = best.transfer.priority == .low
        if best.transfer.isInBackground {
            best.origin.background += 1
            background += 1
        }
        return best.transfer
    }

    /// The limits apply to each origin and to the downloader.
    private func hasBackgroundSlot(_ origin: Origin) -> Bool {
        origin.background < DownloadQueue.forBackground(limits.maxPerHost)
            && background < DownloadQueue.forBackground(limits.maxTotal)
    }

    /// Releases the slot of a transfer that `next` returned.
    func ended(_ transfer: Transfer) {
        leaveBackground(transfer)
        running -= 1
        transfer.origin?.running -= 1
        forgetOrigin(of: transfer)
    }

    /// Stops counting a transfer as background, because its priority was raised or its hop has ended.
    func leaveBackground(_ transfer: Transfer) {
        guard transfer.isInBackground else { return }
        transfer.isInBackground = false
        background -= 1
        transfer.origin?.background -= 1
    }

    /// Removes a waiting transfer.
    /// Its entry in the lane becomes invalid.
    func remove(_ transfer: Transfer) {
        transfer.isWaiting = false
        forgetOrigin(of: transfer)
    }

    /// A handle for a hop with these options.
    /// An idle handle, a copy of a template, or a new one.
    func takeHandle(for options: HopOptions, _ sockets: SocketTable) throws(ImageError) -> EasyHandle {
        if let handle = idle.popLast() { return handle }
        // The copy of a handle with a cookie engine would have an engine of its own. Options that are used once need no copy.
        guard !EasyHandle.isReusable, !options.handlesCookies, let template = try template(for: options, sockets) else {
            return try EasyHandle(settings, sockets: sockets, shares: shares)
        }
        return try EasyHandle(copying: template)
    }

    /// The handle with these options, of which hops get copies; nil if the last hop had others.
    /// A template is made when the same options come twice in a row.
    private func template(for options: HopOptions, _ sockets: SocketTable) throws(ImageError) -> EasyHandle? {
        if let known = templates.first(where: { $0.hasOptions(options) }) { return known }
        guard options == lastOptions else {
            lastOptions = options
            return nil
        }
        let made = try EasyHandle(settings, sockets: sockets, shares: shares)
        try made.setOptions(options)
        // The oldest template makes room.
        if templates.count == DownloadQueue.mostTemplates { templates.removeFirst() }
        templates.append(made)
        return made
    }

    /// Takes back the handle of a hop that has ended. Handles that cannot be reused are freed.
    func giveBack(_ handle: EasyHandle) {
        // A remembered failure is not valid for other cookies.
        if handle.limitCookies() { settings.cookieChanges.add(1, ordering: .relaxed) }
        if EasyHandle.isReusable { idle.append(handle) }
    }

    /// The connections of the loader; made for its first transfer.
    func makeConnections(_ sockets: SocketTable) throws(ImageError) -> MultiHandle {
        if let connections { return connections }
        let made = try MultiHandle(sockets)
        connections = made
        return made
    }

    /// Closes the connections and frees the idle handles, each of which holds buffers. Freeing the multi handle is the only way
    /// to make libcurl close idle connections.
    func dropConnections() {
        connections = nil
        idle = []
        templates = []
    }

    private func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// URLs without an origin share one, whose limits are those of a host.
    private func origin(of url: URLText) -> Origin {
        let key = url.origin ?? []
        if let known = origins[key] { return known }
        let made = Origin(key, url, settings)
        origins[key] = made
        return made
    }

    /// Removes the origin of a transfer that left it, unless others wait or run there.
    private func forgetOrigin(of transfer: Transfer) {
        guard let origin = transfer.origin else { return }
        // An invalid entry of a lane would keep transfer and origin alive.
        transfer.origin = nil
        if origin.running == 0, first(origin) == nil { origins[origin.key] = nil }
    }

    /// The first valid entry of the most urgent lane that has one.
    private func first(_ origin: Origin) -> (lane: Int, entry: Entry)? {
        for lane in origin.waiting.indices {
            if let entry = origin.waiting[lane].first(order(lane)) { return (lane, entry) }
        }
        return nil
    }

    /// Lane 0 holds redirected and retried transfers. It is always oldest first, because their total time is running.
    private func order(_ lane: Int) -> ExecutionOrder { lane == 0 ? .fifo : limits.executionOrder }

    /// 0: begun; 1 to 3: high, normal and low priority.
    private func lane(_ transfer: Transfer) -> Int {
        if transfer.hasBegun { return 0 }
        switch transfer.priority {
        case .high: return 1
        case .normal: return 2
        case .low: return 3
        }
    }
}
