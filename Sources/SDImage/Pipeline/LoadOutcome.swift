/// What a load came up with.
struct LoadOutcome {
    var image: Image?
    var data: Bytes?
    var source: ImageSource = .none
    /// Why the picture is stale; a load without any throws instead, unless a rule is to be told.
    var error: ImageError?
    var isChanged = false
    var isStale = false
    var rule = FreshnessRule.none
    var transactions: [LoadTransaction] = []
}
