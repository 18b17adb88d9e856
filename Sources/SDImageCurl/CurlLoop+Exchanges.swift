import SDImage

/// Hops run by a transport of the host instead of libcurl.
extension CurlLoop {
    /// Starts an exchange and returns the earliest time at which it can time out.
    func begin(_ transfer: Transfer, over transport: any Transport) -> UInt64 {
        let exchange = Exchange(transfer.exchangeRequest, limit: transfer.download.maxBodyBytes, on: transport) {
            [post, download = transfer.download] exchange, event in post(.exchanged(download, exchange, event))
        }
        transfer.hop.exchange = exchange
        transfer.hop.isConnected = true
        transfer.hop.begun = MonotonicClock.now
        exchanging[ObjectIdentifier(transfer.download)] = transfer
        transport.start(exchange)
        return transfer.earliestDeadline
    }

    /// Handles an event that the transport reports.
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
    fileprivate var exchangeRequest: ImageRequest {
        var request = ImageRequest(url: EasyHandle.target(url))
        let aspect = HopOptions(self)
        request.method = hop.method
        request.body = hop.content
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

    fileprivate var exchangeTransaction: LoadTransaction {
        var made = LoadTransaction()
        made.url = url.redacted
        made.httpStatus = hop.head.status
        made.bodyBytes = UInt64(hopBytes)
        made.wireBytes = made.bodyBytes
        made.firstByte = hop.firstByteAt > hop.begun ? hop.firstByteAt - hop.begun : 0
        made.total = MonotonicClock.now &- hop.begun
        return made
    }
}
