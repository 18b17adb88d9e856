import SDImage

/// The state that the hops and retries of a transfer have in common. An object, because most of many transfers wait for their turn.
/// Confined to the transfer thread.
/// Times are monotonic nanoseconds.
final class TransferCourse {
    /// 0 before the first hop.
    var started: UInt64 = 0
    /// Redirects since the last retry.
    var hops = 0
    /// Records of the redirects since the last retry.
    var redirects: [ResponseRecord] = []
    /// Retries so far.
    var retries = 0
    /// Earliest time of the next retry.
    var dueAt: UInt64 = 0
    /// True if the next hop must open a connection.
    var usesFreshConnection = false

    /// Size in bytes of all heads of one try together.
    var headBytes = 0
    /// The response body; decoders may read it while it arrives.
    let body: GrowingBody
    /// nil unless the next try continues the body.
    var resumePoint: ResumePoint?
    /// True once a partial response did not fit.
    var isResumeRefused = false
    /// Bytes of the complete body after decoding; -1 = unknown.
    var expected: Int64 = -1
    /// Bytes of the body so far, after decoding.
    var received: Int64 = 0
    /// At most `Transfer.mostTransactions`.
    var transactions: [LoadTransaction] = []
    /// Time at which the connection made progress last.
    var lastActivity: UInt64 = 0
    /// Time of the last report of progress.
    var lastProgress: UInt64 = 0
    /// Bytes at the last report.
    var lastReported: Int64 = 0

    init(bodyLimit: Int) { body = GrowingBody(limit: bodyLimit, source: .network) }
}
