import CSDImage
import SDImage

/// The budget of an operation as seen by a coder of the host: of one call, or of the current call of an instance.
final class WorkBudget: Sendable {
    private struct State {
        var stop: StopSignal?
        /// Monotonic nanoseconds; for calls whose `stop` has no time limit.
        var deadline = UInt64.max
    }

    private let state: Monitor<State>

    /// A budget without limits until a call begins.
    init() { state = Monitor(State()) }

    convenience init(_ stop: StopSignal, nanoseconds: UInt64) {
        self.init()
        begin(stop, nanoseconds: nanoseconds)
    }

    func begin(_ stop: StopSignal, nanoseconds: UInt64) {
        let (end, overflow) = MonotonicClock.now.addingReportingOverflow(nanoseconds)
        state.withLock { $0 = State(stop: stop, deadline: overflow ? .max : end) }
    }

    func end() { state.withLock { $0 = State() } }

    func check() throws(ImageError) {
        let (stop, deadline) = state.withLock { ($0.stop, $0.deadline) }
        try stop?.check()
        if MonotonicClock.now > deadline { throw ImageError(.timeout, "image: work exceeded its time limit") }
    }

    /// The reason to stop the work; nil while it may continue.
    var failure: ImageError? {
        do throws(ImageError) { try check() } catch { return error }
        return nil
    }

    func spend(_ bytes: Int) throws(ImageError) {
        let stop = state.withLock { $0.stop }
        // Capped above any real amount, so that sums of several calls do not overflow.
        try stop?.spend(min(max(0, bytes), 1 << 32))
        try check()
    }

    var remainingMilliseconds: UInt32 {
        let (stop, deadline) = state.withLock { ($0.stop, $0.deadline) }
        let end = min(deadline, stop?.end ?? .max), now = MonotonicClock.now
        guard end < .max else { return .max }
        return end > now ? UInt32(clamping: (end - now) / 1_000_000) : 0
    }
}

@_cdecl("sdimage_work_budget_check") @implementation
public func sdimage_work_budget_check(_ budget: Object) -> sdimage_status {
    attempt(nil) { () throws(ImageError) in
        guard unsafe budget != nil else { return }
        try (unsafe try Handle.borrow(budget, as: WorkBudget.self)).check()
    }
}

@_cdecl("sdimage_work_budget_spend") @implementation
public func sdimage_work_budget_spend(_ budget: Object, _ bytes: Int) -> sdimage_status {
    attempt(nil) { () throws(ImageError) in
        guard unsafe budget != nil else { return }
        try (unsafe try Handle.borrow(budget, as: WorkBudget.self)).spend(bytes)
    }
}

@_cdecl("sdimage_work_budget_remaining_ms") @implementation
public func sdimage_work_budget_remaining_ms(_ budget: Object) -> UInt32 {
    unsafe read(budget, WorkBudget.self, .max) { $0.remainingMilliseconds }
}

@_cdecl("sdimage_decode_options_work_budget") @implementation
public func sdimage_decode_options_work_budget(_ options: Object) -> Object {
    unsafe Handle.lend(unsafe Handle.find(options, as: DecodeOptionsObject.self)?.budget)
}

@_cdecl("sdimage_encode_options_work_budget") @implementation
public func sdimage_encode_options_work_budget(_ options: Object) -> Object {
    unsafe Handle.lend(unsafe Handle.find(options, as: EncodeOptionsObject.self)?.budget)
}
