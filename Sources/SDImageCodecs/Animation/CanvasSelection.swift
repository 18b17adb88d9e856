import SDImage

/// Chooses the canvases of an animation to keep in memory: those that save the most drawing if every frame is equally likely to
/// be requested. Greedy: each step adds the canvas that saves the most beside those chosen before. `CanvasStore` makes one
/// whenever the frames of an animation have changed much.
struct CanvasSelection {
    /// Maximum number of steps of one selection; for animations with very many frames, fewer canvases are selected.
    private static let mostSteps = 1_000_000

    /// Index of the frame that each frame is drawn on; -1 for none.
    private let parents: [Int]
    /// Cost of drawing each frame, without the frame that it is drawn on.
    private let costs: [Double]
    /// Chosen frames, most valuable first, so that any prefix is the best selection of its length.
    private(set) var order: [Int] = []
    /// The same frames as a set.
    private(set) var chosen: Set<Int> = []
    /// Cost of a seek to each frame.
    private var seeks: [Double]
    /// Number of frames drawn on each frame, directly or indirectly, down to the next canvas that is kept; includes the frame
    /// itself.
    private var followers: [Double]

    /// Number of frames drawn by a seek to each frame.
    private var depths: [Int]

    /// Chooses at most `count` canvases.
    init(_ dependencies: [FrameDependency], layouts: [FrameLayout], count: Int) {
        parents = dependencies.map { if case .frame(let parent) = $0.base { parent } else { -1 } }
        // Includes the work of opening a decoder and touching the canvas.
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

    /// Number of canvases that can be chosen: each choice visits all frames.
    private var mostPlaces: Int { CanvasSelection.mostSteps / max(parents.count, 1) }

    /// Number of frames to choose from.
    var count: Int { parents.count }

    /// Chooses more canvases until no seek draws more than `reach` frames.
    mutating func choose(reach: Int) { choose(min(mostPlaces, parents.count), reach: reach) }

    /// Chooses up to `count` canvases, or until every seek draws at most `reach` frames.
    private mutating func choose(_ count: Int, reach: Int) {
        while order.count < count {
            let best = mostWorth()
            guard depths.contains(where: { $0 > reach }) else { return }
            order.append(best)
            chosen.insert(best)
        }
    }

    /// The frame whose canvas saves the most work if the canvases chosen so far are kept.
    private mutating func mostWorth() -> Int {
        // Parents come before the frames drawn on them, so one pass in order sums up the costs of seeks.
        for index in parents.indices {
            let parent = parents[index]
            let isChosen = chosen.contains(index)
            seeks[index] = isChosen ? 0 : costs[index] + (parent < 0 ? 0 : seeks[parent])
            depths[index] = isChosen ? 0 : 1 + (parent < 0 ? 0 : depths[parent])
            followers[index] = 1
        }
        var best = 0
        // The reverse order counts followers before the frame that they follow. A kept canvas ends the count: it needs no parent.
        for index in parents.indices.reversed() {
            if seeks[index] * followers[index] > seeks[best] * followers[best] || seeks[best] == 0 { best = index }
            if parents[index] >= 0, seeks[index] > 0 { followers[parents[index]] += followers[index] }
        }
        return best
    }
}
