/// The end of the process.
extension CurlLoop {
    /// Frees everything of libcurl. Each transfer waits until it is cancelled or the loop stops: a host that ends expects no results.
    /// A hop that a transport of the host runs goes on.
    func releaseLibcurl(_ done: () -> Void) {
        hasReleasedLibcurl = true
        for transfer in transfers.values where exchanging[ObjectIdentifier(transfer.download)] == nil {
            leave(transfer)
            if transfer.isWaiting { queues[transfer.settings.id]?.remove(transfer) }
        }
        pausing = [:]
        queues = [:]
        done()
    }
}
