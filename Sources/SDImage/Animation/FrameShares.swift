/// Division of a budget among several demands.
/// Max-min fairness: no demand gets more while a smaller one is unmet.
package enum FrameShares {
    /// The share of each demand, in their order. A demand below an equal share is met in full; the others share the rest equally.
    package static func divide(_ budget: Int, among demands: [Int]) -> [Int] {
        var shares = demands
        var rest = max(budget, 0)
        // From the smallest demand to the largest: each leaves to the others what it does not need.
        let order = demands.indices.sorted { demands[$0] < demands[$1] }
        for (position, index) in order.enumerated() {
            let share = rest / (order.count - position)
            shares[index] = min(max(demands[index], 0), share)
            rest -= shares[index]
        }
        return shares
    }
}
