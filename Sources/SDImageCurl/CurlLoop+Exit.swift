import SDImage

/// The end of the process.
extension CurlLoop {
    /// Nanoseconds after which transfers that were taken from libcurl end.
    private static let grace: UInt64 = 5_000_000_000

    /// Frees everything of libcurl. Its transfers end with `shutdown` after a while: a process that ends at once receives no results,
    /// and one that waits for a load does not hang. Transfers over a transport of the host go on.
    func releaseLibcurl(_ done: () -> Void) {
        hasReleasedLibcurl = true
        let end = Durations.moment(MonotonicClock.now, after: CurlLoop.grace)
        // One that waits for a hook of the host ends after it.
        for transfer in transfers.values where transfer.settings.configuration.transport == nil && !transfer.isAsking {
            leave(transfer)
            if transfer.isWaiting { queues[transfer.settings.id]?.remove(transfer) }
            // It fails to start then.
            transfer.course.dueAt = end
            pausing[ObjectIdentifier(transfer.download)] = transfer
        }
        queues = queues.filter { $0.value.settings.configuration.transport != nil }
        nextDeadline = min(nextDeadline, end)
        done()
    }
}
