/// Callbacks of a widget of the host, called through the queue of calls of its target. Serialized.
/// Implemented by the adapter of the C interface.
/// `key`: name of the slot, in every function.
package protocol TargetHost: AnyObject, Sendable {
    /// True when `updateIndicator` has an effect.
    var showsProgress: Bool { get }
    /// True when any of the transition callbacks has an effect; otherwise there are no transitions.
    var canAnimate: Bool { get }
    /// Sets the image; nil clears it. Without a result, it is a placeholder.
    func setImage(_ key: CString, _ image: Image?, _ result: ImageResult?)
    /// A load has begun to wait.
    func startIndicator(_ key: CString)
    /// The load has ended, or was ended.
    func stopIndicator(_ key: CString)
    /// Progress between 0 and 1; 0 for an unknown length.
    func updateIndicator(_ key: CString, fraction: Double)
    /// The transition is about to begin; the image is not set yet.
    func prepareTransition(_ key: CString, _ transition: TargetTransition, _ image: Image?, _ result: ImageResult)
    /// Draws the transition. The image has been set before if the options say so.
    func animateTransition(_ key: CString, _ transition: TargetTransition, _ image: Image?)
    /// `finished`: false if another image or a cancellation ended it early.
    func endTransition(_ key: CString, finished: Bool)
}

/// Transition from one image to another. The host draws it according to the number.
package struct TargetTransition: Sendable {
    /// Value of `sdimage_transition`, or one defined by the host.
    /// 0 = no transition.
    package var number: UInt32 = 0
    /// Duration of the drawing in milliseconds.
    package var durationMilliseconds = TargetTransition.standardDuration

    /// Milliseconds.
    package static let standardDuration: UInt32 = 500

    package init() {}

    /// A duration of 0 means the standard one.
    package init(number: UInt32, durationMilliseconds: UInt32) {
        self.number = number
        self.durationMilliseconds = durationMilliseconds > 0 ? durationMilliseconds : TargetTransition.standardDuration
    }

    var isNone: Bool { number == 0 }
}
