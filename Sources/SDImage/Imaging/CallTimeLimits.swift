/// Time limits in nanoseconds for what has no option. Task-local, so that a test can change its own limits.
package enum CallTimeLimits {
    /// Limit for transforming an image outside a load.
    @TaskLocal package static var transformation = EncodeOptions.standardWorkNanoseconds
    /// Limit for decoding frames outside a load and for resizing an image to the size of its batch.
    @TaskLocal package static var frame = DecodeLimits.standard.workNanoseconds
    /// The time that the transfers of a new manager wait for the look-ups of earlier loads: that of one in a disk index.
    @TaskLocal package static var lookUp: UInt64 = 250_000_000
    /// The time for which closing a manager waits for queued encodes; the rest is abandoned.
    @TaskLocal package static var closing: UInt64 = 2_000_000_000
}
