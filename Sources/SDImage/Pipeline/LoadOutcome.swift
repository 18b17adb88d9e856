/// The result of a load before it is delivered.
/// Made by the stages; `Load.result` turns it into an `ImageResult` for each task.
struct LoadOutcome {
    /// nil beside an error, and if no cache has the image and no loader may be used.
    var image: Image?
    /// The encoded bytes of the image, if they are known without further work.
    var data: Bytes?
    /// The origin of the image, as reported to the host.
    var source: ImageSource = .none
    /// The error of a failed revalidation, beside the stale image.
    var error: ImageError?
    /// True if a refresh found an image that differs from the cached one.
    var isChanged = false
    /// True if the image is used although its freshness could not be confirmed.
    var isStale = false
    /// The rule that permitted or forbade the use of the cached image.
    var rule = FreshnessRule.none
    /// The exchanges with the origin, in order; empty if there were none.
    var transactions: [LoadTransaction] = []
}
