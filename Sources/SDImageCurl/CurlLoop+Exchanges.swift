import SDImage

/// Hops run by a transport of the host instead of libcurl.
/// The transport calls back on its own threads; each event is posted to the transfer thread as a command.
extension CurlLoop {
    /// Starts an exchange and returns the earliest time at which it can time out.
    func begin(_ transfer: Transfer, over transport: any Transport) -> UInt64 {
        let exchange = Exchange(transfer.exchangeRequest, limit: transfer.download.maxBodyBytes, on: transport) {
            [post, download = transfer.download] exchange, event in post(.exchanged(download, exchange, event))
        }
        transfer.hop.exchange = exchange
        // There is no connection phase to wait for: inactivity counts from the start.
        transfer.hop.isConnected = true
        transfer.hop.begun = MonotonicClock.now
        exchanging[ObjectIdentifier(transfer.download)] = transfer
        transport.start(exchange)
        return transfer.earliestDeadline
    }

    /// Handles an event that the transport reports.
    /// Runs on the transfer thread, in the order in which the transport reported.
    func take(_ event: Exchange.Event, of transfer: Transfer) {
        transfer.noteActivity()
        switch event {
        case .responded(let response):
            transfer.hop.firstByteAt = MonotonicClock.now
            if !ResponseRules.takeHead(response, of: transfer) { abort(transfer) }
        case .received(let bytes):
            let isWanted = unsafe bytes.withUnsafeBytes {
                unsafe transfer.receive($0, contentLength: transfer.hop.head.transport.contentLength)
            }
            if !isWanted { abort(transfer) }
        case .ended(let error):
            leave(transfer)
            judge(transfer, error)
        }
    }

    /// Cancels an exchange whose remaining data is unwanted or refused, and judges the transfer.
    private func abort(_ transfer: Transfer) {
        leave(transfer)
        judge(transfer, transfer.hop.failure ?? ImageError(.connectionLost, "http: transfer was abandoned"))
    }

    /// Cancels the exchange and releases the transfer's slot. Cancelling has no effect on an exchange that has ended.
    /// Does nothing for a hop of libcurl.
    func leaveExchange(of transfer: Transfer, _ queue: DownloadQueue) {
        guard let exchange = transfer.hop.exchange else { return }
        transfer.hop.exchange = nil
        exchanging[ObjectIdentifier(transfer.download)] = nil
        transfer.note(transfer.exchangeTransaction)
        exchange.cancel()
        releaseSlot(of: transfer, in: queue)
    }
}

extension Transfer {
    /// The complete request that a transport sends.
    /// With a credential that libcurl would add itself.
    fileprivate var exchangeRequest: ImageRequest {
        // Without user and fragment, as libcurl gets it.
        var request = ImageRequest(url: EasyHandle.target(url))
        let aspect = HopOptions(self)
        request.method = hop.method
        request.body = hop.content
        // The priority may have changed since the request was made.
        request.priority = priority
        request.headers = aspect.headers
        let hasAuthorization =
            request.headers.contains { $0.isNamed("Authorization") }
            || aspect.omittedHeaders.contains { $0.lowercased() == "authorization" }
        if let credential = aspect.credential, !hasAuthorization {
            let proof = Base64.encode(Array("\(credential.user):\(credential.password)".utf8))
            request.headers.append(HeaderField(name: "Authorization", value: "Basic " + proof))
        }
        return request
    }

    /// The transport measures nothing else: times of the connection stay 0.
    fileprivate var exchangeTransaction: LoadTransaction {
        var made = LoadTransaction()
        made.url = url.redacted
        made.httpStatus = hop.head.status
        made.bodyBytes = UInt64(hopBytes)
        // Content codings are decoded by the transport, so their size on the wire is unknown.
        made.wireBytes = made.bodyBytes
        made.firstByte = hop.firstByteAt > hop.begun ? hop.firstByteAt - hop.begun : 0
        made.total = MonotonicClock.now &- hop.begun
        return made
    }
}
