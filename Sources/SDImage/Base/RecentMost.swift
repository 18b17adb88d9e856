/// The largest of the last few numbers: where small and large ones come in turns it stays as it is.
struct RecentMost {
    private static let few = 8

    private(set) var value: Int?
    private var most = 0
    private var count = 0

    /// True when the largest is another one now.
    mutating func add(_ number: Int) -> Bool {
        let before = value
        most = max(most, number)
        count += 1
        value = max(value ?? 0, number)
        if count == RecentMost.few {
            value = most
            (most, count) = (0, 0)
        }
        return value != before
    }
}
