/// Callbacks of a widget of the host, called through the queue of calls of its target. Serialized.
package protocol TargetHost: AnyObject, Sendable {
    /// True when `updateIndicator` has an effect.
    var showsProgress: Bool { get }
    /// True when any of the transition callbacks has an effect; otherwise there are no transitions.
    var canAnimate: Bool { get }
    /// Sets the image; nil clears it. Without a result, it is a placeholder.
    func setImage(_ key: CString, _ image: Image?, _ result: ImageResult?)
    func startIndicator(_ key: CString)
    func stopIndicator(_ key: CString)
    func updateIndicator(_ key: CString, fraction: Double)
    func prepareTransition(_ key: CString, _ transition: TargetTransition, _ image: Image?, _ result: ImageResult)
    func animateTransition(_ key: CString, _ transition: TargetTransition, _ image: Image?)
    func endTransition(_ key: CString, finished: Bool)
}

/// Transition from one image to another. The host draws it according to the number.
package struct TargetTransition: Sendable {
    /// Value of `sdimage_transition`, or one defined by the host.
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
