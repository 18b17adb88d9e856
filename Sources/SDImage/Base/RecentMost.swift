/// Maximum of the last few numbers: constant while small and large numbers alternate.
struct RecentMost {
    private static let few = 8

    private(set) var value: Int?
    private var most = 0
    private var count = 0

    /// Returns true if the maximum changed.
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
