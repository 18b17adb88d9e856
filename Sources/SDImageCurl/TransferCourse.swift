import SDImage

/// The state that the hops and retries of a transfer have in common. An object, because most of many transfers wait for their turn.
/// Confined to the transfer thread.
final class TransferCourse {
    /// 0 before the first hop.
    var started: UInt64 = 0
    /// Redirects since the last retry.
    var hops = 0
    /// Retries so far.
    var retries = 0
    /// Earliest time of the next retry.
    var dueAt: UInt64 = 0
    var usesFreshConnection = false

    /// Size in bytes of all heads of one try together.
    var headBytes = 0
    /// The response body; decoders may read it while it arrives.
    let body: GrowingBody
    var resumePoint: ResumePoint?
    /// True once a partial response did not fit.
    var isResumeRefused = false
    var expected: Int64 = -1
    var received: Int64 = 0
    var transactions: [LoadTransaction] = []
    var lastActivity: UInt64 = 0
    var lastProgress: UInt64 = 0
    var lastReported: Int64 = 0

    init(bodyLimit: Int) { body = GrowingBody(limit: bodyLimit, source: .network) }
}
