import SDImage

/// Which canvases of an animation are worth their memory: those that save the most drawing where every frame is as likely to
/// be asked for as any other.
struct CanvasPlaces {
    /// Steps that one choice may take: of very many frames fewer canvases are chosen well.
    private static let mostSteps = 1_000_000

    /// The frame that each is drawn on; -1 for none.
    private let parents: [Int]
    /// What drawing a frame costs, its ground aside.
    private let costs: [Double]
    private(set) var chosen: Set<Int> = []
    /// What a seek to each frame costs.
    private var seeks: [Double]
    /// Frames that are drawn on each, directly or not, down to the next canvas that is kept; and itself.
    private var followers: [Double]

    /// At most `count` places.
    init(_ dependencies: [FrameDependency], layouts: [FrameLayout], count: Int) {
        parents = dependencies.map { if case .frame(let parent) = $0.base { parent } else { -1 } }
        // Opening a decoder and touching the canvas is work too.
        costs = layouts.map { Double($0.size.width) * Double($0.size.height) + 1000 }
        seeks = costs
        followers = costs
        guard parents.count > count else {
            chosen = Set(parents.indices)
            return
        }
        let places = min(count, max(16, CanvasPlaces.mostSteps / parents.count))
        while chosen.count < places { chosen.insert(mostWorth()) }
    }

    /// The place that saves most while those chosen so far are kept.
    private mutating func mostWorth() -> Int {
        for index in parents.indices {
            let ground = parents[index] < 0 ? 0 : seeks[parents[index]]
            seeks[index] = chosen.contains(index) ? 0 : costs[index] + ground
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
