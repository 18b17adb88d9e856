/// Time limits in nanoseconds for calls without an option for them. Task-local, so that a test can lower its own limits.
package enum CallTimeLimits {
    /// Limit for transforming an image outside a load.
    @TaskLocal package static var transformation = EncodeOptions.standardWorkNanoseconds
    /// Limit for decoding frames outside a load and for resizing an image to the size of its batch.
    @TaskLocal package static var frame = DecodeLimits.standard.workNanoseconds
}
