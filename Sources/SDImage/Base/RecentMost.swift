/// Maximum of the last few numbers: constant while small and large numbers alternate.
/// Pools of frames use it as the size of a frame, so that shares do not change with every frame.
struct RecentMost {
    /// Numbers in one group; the value is at least the maximum of the last complete group.
    private static let few = 8

    /// nil before the first number.
    private(set) var value: Int?
    /// Maximum and count of the group in progress.
    private var most = 0
    private var count = 0

    /// Returns true if the maximum changed.
    mutating func add(_ number: Int) -> Bool {
        let before = value
        most = max(most, number)
        count += 1
        value = max(value ?? 0, number)
        // The group is complete: smaller numbers lower the value only here.
        if count == RecentMost.few {
            value = most
            (most, count) = (0, 0)
        }
        return value != before
    }
}
