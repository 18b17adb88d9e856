/// The result of a load before it is delivered.
struct LoadOutcome {
    var image: Image?
    var data: Bytes?
    var source: ImageSource = .none
    /// The error of a failed revalidation, beside the stale image.
    var error: ImageError?
    var isChanged = false
    var isStale = false
    var rule = FreshnessRule.none
    var transactions: [LoadTransaction] = []
}
