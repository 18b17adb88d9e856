/// What a widget of the host does; called through its target's queue of calls, never two at once.
package protocol TargetHost: AnyObject, Sendable {
    /// Whether `updateIndicator` does anything.
    var showsProgress: Bool { get }
    /// Whether any of the calls around a transition does anything: without, there are none.
    var canAnimate: Bool { get }
    /// nil clears; without a result it is a placeholder.
    func setImage(_ key: CString, _ image: Image?, _ result: ImageResult?)
    func startIndicator(_ key: CString)
    func stopIndicator(_ key: CString)
    func updateIndicator(_ key: CString, fraction: Double)
    func prepareTransition(_ key: CString, _ transition: TargetTransition, _ image: Image?, _ result: ImageResult)
    func animateTransition(_ key: CString, _ transition: TargetTransition, _ image: Image?)
    func endTransition(_ key: CString, finished: Bool)
}

/// How one picture takes the place of another; what the number means is the host's to draw.
package struct TargetTransition: Sendable {
    /// Of `sdimage_transition`, or of the host's own.
    package var number: UInt32 = 0
    package var durationMilliseconds = TargetTransition.standardDuration

    package static let standardDuration: UInt32 = 500

    package init() {}

    package init(number: UInt32, durationMilliseconds: UInt32) {
        self.number = number
        self.durationMilliseconds = durationMilliseconds > 0 ? durationMilliseconds : TargetTransition.standardDuration
    }

    var isNone: Bool { number == 0 }
}
