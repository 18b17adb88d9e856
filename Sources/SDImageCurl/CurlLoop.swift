import CCurl
import Glibc
import SDImage

/// Main loop of the transfer thread, made by its function and confined to it. One iteration handles all commands, starts transfers
/// that may run, lets libcurl work, completes finished transfers, and sleeps if nothing is left.
@safe final class CurlLoop {
    /// Descriptor that other threads make readable to end a sleep.
    private let wakeUp: Int32
    /// Delays transfers while received bytes wait for their decode.
    private let backlog: Backlog
    /// Posts a command to this loop from another thread.
    let post: @Sendable (CurlService.Command) -> Void
    private let sockets = SocketTable()
    private var gate = ResolutionGate()
    private var throttle = BackgroundThrottle()
    /// By the identifier of the downloader.
    var queues: [UInt64: DownloadQueue] = [:]
    /// All transfers that have not completed.
    var transfers: [ObjectIdentifier: Transfer] = [:]
    /// Transfers run by libcurl, by their easy handle.
    private var running: [UnsafeMutableRawPointer: Transfer] = unsafe [:]
    /// Transfers whose current hop is run by a transport of the host.
    var exchanging: [ObjectIdentifier: Transfer] = [:]
    /// Transfers that wait for the time of their next retry; they are in no queue meanwhile.
    var pausing: [ObjectIdentifier: Transfer] = [:]
    /// True while the process ends: no transfer over libcurl starts.
    var hasReleasedLibcurl = false

    /// Earliest time at which a running or pausing transfer can be due.
    var nextDeadline = UInt64.max

    /// Number of commands for which memory is kept.
    private static let mostKeptCommands = 256

    /// Idle time after which all connections are closed.
    private static let idleMilliseconds: Int32 = 60_000

    init(wakeUp: Int32, backlog: Backlog, post: @escaping @Sendable (CurlService.Command) -> Void) {
        self.wakeUp = wakeUp
        self.backlog = backlog
        self.post = post
    }

    /// `mayRest` is called before the thread sleeps.
    func run(takeCommands: (inout [CurlService.Command]) -> Void, mayRest: () -> Bool, isStopping: () -> Bool) {
        var commands: [CurlService.Command] = []
        while !isStopping() {
            // Read once for each iteration; callbacks of libcurl use it.
            sockets.now = MonotonicClock.now
            takeCommands(&commands)
            for command in commands { handle(command) }
            commands.removeAll(keepingCapacity: commands.count < CurlLoop.mostKeptCommands)
            startWaiting()
            let hasEnded = perform()
            // A completed hop frees a slot, which the next iteration fills before the thread sleeps.
            if !expire(), !hasEnded, mayRest() { sleep() }
        }
        // The remaining transfers end with `shutdown`, before the connections are closed.
        for transfer in transfers.values { end(transfer, .failure(.shutdown)) }
        queues = [:]
    }

    /// Advances every transfer as far as possible without waiting; true when at least one hop ended.
    private func perform() -> Bool {
        var hasEnded = false
        for connections in queues.values.compactMap(\.connections) {
            if unsafe connections.perform({ curl, code in unsafe hopEnded(curl, code) }) { hasEnded = true }
        }
        return hasEnded
    }

    /// A command may name a transfer that has ended: then it has no effect.
    private func handle(_ command: CurlService.Command) {
        switch command {
        case .start(let download):
            let transfer = Transfer(download)
            guard !download.isCancelled else { return download.finish(.failure(.cancelled)) }
            transfers[ObjectIdentifier(download)] = transfer
            queue(download.settings).add(transfer)
        case .cancel(let download):
            if let transfer = transfers[ObjectIdentifier(download)] { end(transfer, .failure(.cancelled)) }
        case .hookReturned(let download, let outcome):
            if let transfer = transfers[ObjectIdentifier(download)] { resume(transfer, outcome) }
        case .exchanged(let download, let exchange, let event):
            if let transfer = transfers[ObjectIdentifier(download)], transfer.hop.exchange === exchange {
                take(event, of: transfer)
            }
        case .prioritize(let loader, let key, let priority):
            for transfer in transfers.values
            where transfer.download.settings.id == loader && transfer.download.sharingKey == key {
                setPriority(priority, of: transfer)
            }
        case .limit(let loader, let limits): queues[loader]?.limits = limits
        case .releaseLibcurl(let done): releaseLibcurl(done)
        case .cancelAll(let loader):
            for transfer in Array(transfers.values) where transfer.settings.id == loader { end(transfer, .failure(.cancelled)) }
        case .forget(let loader):
            queues[loader] = nil
            gate.forget(loader)
        }
    }

    /// A running background transfer whose priority is raised counts as a visible one from now on.
    private func setPriority(_ priority: LoadPriority, of transfer: Transfer) {
        let queue = queue(transfer.settings)
        queue.setPriority(priority, of: transfer)
        guard transfer.isInBackground, priority > .low else { return }
        queue.leaveBackground(transfer)
        throttle.ended(inBackground: true, at: sockets.now)
        throttle.began(inBackground: false, at: sockets.now)
    }

    /// Made on first use.
    private func queue(_ settings: LoaderSettings) -> DownloadQueue {
        if let known = queues[settings.id] { return known }
        let made = DownloadQueue(settings)
        queues[settings.id] = made
        return made
    }

    /// Starts every transfer that its queue and `mayStart` admit.
    private func startWaiting() {
        let now = sockets.now
        for queue in queues.values {
            while let transfer = queue.next({ mayStart($0, at: now) }) {
                throttle.began(inBackground: transfer.isInBackground, at: now)
                start(transfer, in: queue, at: now)
            }
        }
    }

    /// Delays new transfers below high priority while decoding lags behind.
    /// Backlog and throttle do not delay redirects and retries: their total time is running.
    private func mayStart(_ transfer: Transfer, at now: UInt64) -> Bool {
        if backlog.isFull, transfer.priority < .high, !transfer.hasBegun { return false }
        if transfer.priority == .low, !transfer.hasBegun, !throttle.admits(at: now) {
            nextDeadline = min(nextDeadline, throttle.opening(at: now))
            return false
        }
        guard let origin = transfer.origin, !origin.isAddress else { return true }
        let opening = gate.opening(origin.host, of: transfer.settings.id, at: now)
        // The end of a name look-up also opens the gate, and wakes the thread by itself.
        if opening > now { nextDeadline = min(nextDeadline, opening) }
        return opening <= now
    }

    /// Starts the next hop of a transfer. An error ends the transfer.
    private func start(_ transfer: Transfer, in queue: DownloadQueue, at now: UInt64) {
        if let transport = transfer.settings.configuration.transport {
            transfer.prepareHop(at: now)
            nextDeadline = min(nextDeadline, begin(transfer, over: transport))
            return
        }
        do throws(ImageError) {
            if hasReleasedLibcurl { throw .shutdown }
            try sockets.makePoller(wakeUp: wakeUp)
            let connections = try queue.makeConnections(sockets)
            transfer.prepareHop(at: now)
            let options = HopOptions(transfer)
            let handle = try queue.takeHandle(for: options, sockets)
            transfer.hop.handle = handle
            try handle.prepare(for: transfer, options)
            try begin(transfer, handle, connections)
        } catch {
            // Without a handle, `end` does not release the slot.
            if transfer.hop.handle == nil { releaseSlot(of: transfer, in: queue) }
            end(transfer, .failure(error))
        }
    }

    /// Hands the prepared handle to libcurl. From here on `leave` removes it again.
    private func begin(_ transfer: Transfer, _ handle: EasyHandle, _ connections: MultiHandle) throws(ImageError) {
        let host = transfer.origin?.host ?? []
        if transfer.origin?.isAddress == false { gate.began(host, of: transfer.settings.id, at: sockets.now) }
        handle.lookUpEnded = { [unowned self, loader = transfer.settings.id] isResolved in
            if isResolved { return gate.resolved(host, of: loader, at: sockets.now) }
            // On a reused connection: the next iteration starts the transfers that waited for the look-up.
            if gate.settled(host, of: loader) { nextDeadline = 0 }
        }
        try connections.add(handle)
        unsafe running[handle.curl] = transfer
        nextDeadline = min(nextDeadline, transfer.earliestDeadline)
    }

    /// Handles the end of a hop.
    /// Called while libcurl reports finished transfers; the handle is still part of the multi handle.
    private func hopEnded(_ curl: UnsafeMutableRawPointer, _ code: CURLcode) {
        guard let transfer = unsafe running[curl], let handle = transfer.hop.handle else { return }
        let systemError = Int32(truncatingIfNeeded: unsafe ccurl_info_long(curl, CURLINFO_OS_ERRNO))
        let version = unsafe UInt32(truncatingIfNeeded: ccurl_info_long(curl, CURLINFO_HTTP_VERSION))
        if let descriptor = transfer.hop.descriptor {
            sockets.didRespond(descriptor, overHTTP1: version <= UInt32(CURL_HTTP_VERSION_1_1))
        }
        let failure = code == CURLE_OK ? nil : failure(of: transfer, code, systemError, handle.detail)
        let isReused = unsafe transfer.hop.isConnected && ccurl_info_long(curl, CURLINFO_NUM_CONNECTS) == 0
        // Everything read from the handle is read before this: it may be given to another transfer.
        leave(transfer)
        if transfer.hop.isPoisoned { Log.write(.warning, "http: unasked response refused \(transfer.url.messageText)") }
        // A server may close an idle connection at any time. libcurl replaces some of these with other connections that are
        // just as old; this repetition uses a new one.
        if transfer.hop.isPoisoned || isReused && RetryRules.isStaleConnection(transfer, failure),
            !transfer.course.usesFreshConnection
        {
            transfer.course.usesFreshConnection = true
            return queue(transfer.download.settings).add(transfer)
        }
        judge(transfer, failure)
    }

    /// Our own reasons precede the code of libcurl, which only reports an aborted callback.
    private func failure(of transfer: Transfer, _ code: CURLcode, _ systemError: Int32, _ detail: String) -> ImageError {
        if transfer.hop.isAddressForbidden { return ImageError(.addressForbidden, "http: address is neither public nor allowed") }
        // This libcurl reports a header line longer than its limit of 100 KiB only as CURLE_OUT_OF_MEMORY.
        if code == CURLE_OUT_OF_MEMORY, transfer.hop.isConnected, transfer.hop.disposition == .undecided {
            return .tooLarge("http: response header size in bytes", limit: ResponseHead.longest)
        }
        if transfer.hop.isPoisoned { return ImageError(.invalidResponse, "http: response received before any request") }
        return transfer.hop.failure ?? CurlErrors.error(code, systemError: systemError, detail: detail, url: .empty)
    }

    /// Decides how a transfer continues after its hop. `failure`: the error of the connection, nil for a complete
    /// response.
    func judge(_ transfer: Transfer, _ failure: ImageError?) {
        if transfer.hop.head.setsCookies, transfer.download.request.handlesCookies {
            transfer.download.settings.cookieChanges.add(1, ordering: .relaxed)
        }
        // An unwanted body is cut off on purpose; its head is sufficient.
        let isHeadEnough = transfer.hop.head.isComplete && transfer.hop.disposition == .discard && transfer.hop.failure == nil
        if let failure, !isHeadEnough { return retry(transfer, after: failure) }
        // libcurl treats a connection that ends within the head as the end of the head.
        guard transfer.hop.head.isComplete else {
            return retry(transfer, after: ImageError(.connectionLost, "http: connection closed within the response header"))
        }
        // A hook decides before the rules; its reply comes back as a command.
        if !transfer.hop.isApproved, let hooks = transfer.download.hooks, let call = HookCall(transfer, hooks) {
            transfer.isAsking = true
            nextDeadline = min(nextDeadline, transfer.end)
            return transfer.download.call(hooks, call) { [post, download = transfer.download] in post(.hookReturned(download, $0))
            }
        }
        switch ResponseRules.verdict(transfer) {
        case .fail(let error): retry(transfer, after: error)
        case .restart:
            transfer.restart()
            queue(transfer.download.settings).add(transfer)
        case .redirect(let location): follow(transfer, location)
        case .take:
            guard transfer.isWhole else {
                return retry(transfer, after: ImageError(.connectionLost, "http: body is shorter than announced"))
            }
            guard transfer.isContentComplete else {
                return retry(transfer, after: ImageError(.truncated, "http: body ends within its content coding"))
            }
            var data = transfer.finish()
            data.transactions = transfer.transactions
            data.isUntrusted = transfer.download.request.acceptsInvalidCertificates
            if data.bytes.isEmpty, data.httpStatus != 304 {
                end(transfer, .failure(ImageError(.emptyData, "http: response has an empty body", httpStatus: data.httpStatus)))
            } else {
                end(transfer, .success(data))
            }
        }
    }

    /// Schedules a retry, or ends the transfer with `failure` if no retry is due.
    private func retry(_ transfer: Transfer, after failure: ImageError) {
        let now = MonotonicClock.now
        guard let delay = RetryRules.delay(transfer, after: failure, at: now) else { return end(transfer, .failure(failure)) }
        transfer.retry(at: Durations.moment(now, after: delay))
        pausing[ObjectIdentifier(transfer.download)] = transfer
        nextDeadline = min(nextDeadline, transfer.course.dueAt)
    }

    /// Continues a transfer after a hook of the host has replied.
    private func resume(_ transfer: Transfer, _ outcome: HookCall.Outcome) {
        (transfer.hop.isApproved, transfer.isAsking) = (true, false)
        switch outcome {
        case .response(let response):
            transfer.hop.head = ResponseHead(response)
            transfer.reportResponse()
            judge(transfer, nil)
        case .redirect(let location): follow(transfer, location)
        case .refusal(let error): end(transfer, .failure(error))
        }
    }

    /// Queues the next hop, or ends the transfer if the redirect is refused.
    private func follow(_ transfer: Transfer, _ location: [UInt8]) {
        do throws(ImageError) {
            let limit = transfer.settings.configuration.maxRedirects
            let hops = transfer.course.hops
            try transfer.follow(try RedirectRules.next(from: transfer.url, location: location, hops: hops, limit: limit))
            queue(transfer.download.settings).add(transfer)
        } catch { end(transfer, .failure(error)) }
    }

    /// Removes a transfer from libcurl or its transport and releases its handle and slot; has no effect on one that is not
    /// running.
    func leave(_ transfer: Transfer) {
        guard transfer.hasBegun else { return }
        if transfer.hop.exchange != nil { leaveExchange(of: transfer, queue(transfer.download.settings)) }
        guard let handle = transfer.hop.handle else { return }
        transfer.hop.handle = nil
        // The handle may be reused, and a late call would name another host.
        handle.lookUpEnded = { _ in }
        gate.settled(transfer.origin?.host ?? [], of: transfer.settings.id)
        let queue = queue(transfer.download.settings)
        if unsafe running.removeValue(forKey: handle.curl) != nil {
            transfer.note(handle.transaction(of: transfer))
            queue.connections?.remove(handle)
        }
        queue.giveBack(handle)
        releaseSlot(of: transfer, in: queue)
    }

    /// Frees the slot of a hop, so that the next iteration can start another transfer.
    func releaseSlot(of transfer: Transfer, in queue: DownloadQueue) {
        throttle.ended(inBackground: transfer.isInBackground, at: sockets.now)
        queue.ended(transfer)
    }

    /// Delivers the outcome, once. The transfer leaves all tables.
    private func end(_ transfer: Transfer, _ outcome: Download.Outcome) {
        leave(transfer)
        if transfer.isWaiting { queue(transfer.download.settings).remove(transfer) }
        transfers[ObjectIdentifier(transfer.download)] = nil
        pausing[ObjectIdentifier(transfer.download)] = nil
        if transfer.hasBegun {
            var failure: ImageError?
            if case .failure(let error) = outcome { failure = error }
            transfer.report(.stopped, failure)
            if failure == nil { transfer.report(.finished) }
        }
        transfer.download.finish(
            outcome.mapError { $0.about(url: transfer.download.url.redacted).after(transfer.transactions) })
    }

    /// Times out transfers that were silent or under way for too long, and requeues those whose pause has passed. False when
    /// nothing was due.
    private func expire() -> Bool {
        let now = sockets.now
        guard now >= nextDeadline else { return false }
        for transfer in Array(pausing.values) where transfer.course.dueAt <= now {
            pausing[ObjectIdentifier(transfer.download)] = nil
            queue(transfer.download.settings).add(transfer)
        }
        for transfer in unsafe Array(running.values) + exchanging.values where transfer.deadline <= now {
            let failure = transfer.timeout(at: now)
            leave(transfer)
            retry(transfer, after: failure)
        }
        // Recomputed from everything that waits for a time.
        nextDeadline = .max
        // A transfer that has begun can time out while it waits for a slot, or for a hook.
        for transfer in Array(transfers.values) where transfer.isWaiting && transfer.hasBegun || transfer.isAsking {
            if transfer.end > now {
                nextDeadline = min(nextDeadline, transfer.end)
            } else {
                end(transfer, .failure(transfer.timeout(at: now)))
            }
        }
        nextDeadline = unsafe running.values.reduce(nextDeadline) { min($0, $1.earliestDeadline) }
        nextDeadline = exchanging.values.reduce(nextDeadline) { min($0, $1.earliestDeadline) }
        nextDeadline = pausing.values.reduce(nextDeadline) { min($0, $1.course.dueAt) }
        return true
    }

    /// Sleeps until libcurl has work, a command arrives, or a transfer is due.
    private func sleep() {
        guard unsafe !running.isEmpty else { return sleepIdle() }
        // libcurl names the time of its own timers, such as that for connecting.
        let due = queues.values.reduce(nextDeadline) { min($0, $1.connections?.due ?? .max) }
        if sockets.wait(milliseconds: CurlLoop.milliseconds(until: due)) { drainWakeUp() }
    }

    /// Rounded up, so that the thread does not wake just before the time; at most one minute.
    private static func milliseconds(until time: UInt64) -> Int32 {
        let now = MonotonicClock.now
        return time > now ? Int32(min((time - now) / 1_000_000 + 1, 60_000)) : 0
    }

    /// Sleeps without libcurl. After a minute without transfers all connections are closed.
    private func sleepIdle() {
        var entry = pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)
        let idle = sockets.isEmpty ? -1 : CurlLoop.idleMilliseconds
        let isWaiting = !pausing.isEmpty || !exchanging.isEmpty || transfers.values.contains(where: \.isAsking)
        let ready = unsafe poll(&entry, 1, isWaiting ? CurlLoop.milliseconds(until: nextDeadline) : idle)
        if ready > 0 { drainWakeUp() }
        guard ready == 0, !isWaiting else { return }
        for queue in queues.values { queue.dropConnections() }
    }

    /// Resets the counter of the event descriptor.
    private func drainWakeUp() {
        var count: UInt64 = 0
        _ = unsafe read(wakeUp, &count, 8)
    }
}
