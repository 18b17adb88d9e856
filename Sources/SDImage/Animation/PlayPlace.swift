/// A place in the order of play.
package struct PlayPlace: Equatable, Sendable {
    package var index = 0
    /// Which way a bouncing animation is moving.
    package var isForward = true

    package init(index: Int = 0, isForward: Bool = true) {
        self.index = index
        self.isForward = isForward
    }

    /// The place after this one. Of a single frame, that frame.
    package func next(_ mode: PlaybackMode, of count: Int) -> PlayPlace {
        guard count > 1 else { return PlayPlace() }
        let last = count - 1
        switch mode {
        case .normal: return PlayPlace(index: index < last ? index + 1 : 0)
        case .reverse: return PlayPlace(index: index > 0 ? min(index, count) - 1 : last, isForward: false)
        case .bounce, .reversedBounce:
            let isForward = index <= 0 || index < last && isForward
            return PlayPlace(index: isForward ? index + 1 : min(index, last) - 1, isForward: isForward)
        }
    }
}
