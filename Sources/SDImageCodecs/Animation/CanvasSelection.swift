import SDImage

/// Which canvases of an animation are worth their memory: those that save the most drawing where every frame is as likely to
/// be asked for as any other.
struct CanvasSelection {
    /// Steps that one choice may take: of very many frames fewer canvases are chosen well.
    private static let mostSteps = 1_000_000

    /// The frame that each is drawn on; -1 for none.
    private let parents: [Int]
    /// What drawing a frame costs, its ground aside.
    private let costs: [Double]
    /// Most worth first, so that fewer places are the first of them.
    private(set) var order: [Int] = []
    private(set) var chosen: Set<Int> = []
    /// What a seek to each frame costs.
    private var seeks: [Double]
    /// Frames that are drawn on each, directly or not, down to the next canvas that is kept; and itself.
    private var followers: [Double]

    /// Frames that are drawn to show each.
    private var depths: [Int]

    /// At most `count` places.
    init(_ dependencies: [FrameDependency], layouts: [FrameLayout], count: Int) {
        parents = dependencies.map { if case .frame(let parent) = $0.base { parent } else { -1 } }
        // Opening a decoder and touching the canvas is work too.
        costs = layouts.map { Double($0.size.width) * Double($0.size.height) + 1000 }
        seeks = costs
        followers = costs
        depths = Array(repeating: 0, count: parents.count)
        guard parents.count > count else {
            order = Array(parents.indices)
            chosen = Set(order)
            return
        }
        choose(min(count, max(16, mostPlaces)), reach: 0)
    }

    private var mostPlaces: Int { CanvasSelection.mostSteps / max(parents.count, 1) }

    /// Frames that may be chosen.
    var count: Int { parents.count }

    /// More places, until no seek draws more than `reach` frames.
    mutating func choose(reach: Int) { choose(min(mostPlaces, parents.count), reach: reach) }

    private mutating func choose(_ count: Int, reach: Int) {
        while order.count < count {
            let place = mostWorth()
            guard depths.contains(where: { $0 > reach }) else { return }
            order.append(place)
            chosen.insert(place)
        }
    }

    /// The place that saves most while those chosen so far are kept.
    private mutating func mostWorth() -> Int {
        for index in parents.indices {
            let parent = parents[index]
            let isChosen = chosen.contains(index)
            seeks[index] = isChosen ? 0 : costs[index] + (parent < 0 ? 0 : seeks[parent])
            depths[index] = isChosen ? 0 : 1 + (parent < 0 ? 0 : depths[parent])
            followers[index] = 1
        }
        var best = 0
        for index in parents.indices.reversed() {
            if seeks[index] * followers[index] > seeks[best] * followers[best] || seeks[best] == 0 { best = index }
            if parents[index] >= 0, seeks[index] > 0 { followers[parents[index]] += followers[index] }
        }
        return best
    }
}
