/// Time limits in nanoseconds of calls that have no options to set them. Task-local: a test can lower those of its own calls.
package enum CallTimeLimits {
    /// Transforming a picture outside a load.
    @TaskLocal package static var transformation = EncodeOptions.standardWorkNanoseconds
    /// Making frames outside a load, and bringing a picture to the size of its batch.
    @TaskLocal package static var frame = DecodeLimits.standard.workNanoseconds
}
