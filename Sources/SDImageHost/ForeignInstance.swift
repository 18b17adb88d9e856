import CSDImage
import SDImage

/// An instance of a coder of the host: its pointer, its source of bytes, and the budget of the call under way. Its calls
/// do not overlap, except for those that return counts and durations.
@safe package final class ForeignInstance: Sendable {
    // The host's own pointer, passed back to it and never dereferenced.
    package nonisolated(unsafe) let pointer: UserData
    package let functions: CoderFunctions
    package let options: DecodeOptions
    package let budget: WorkBudget
    /// Options lent to `open`: they, and their budget, are valid until the instance is destroyed.
    private let lent: DecodeOptionsObject
    /// The bytes that the coder reads as it needs them; nil if they arrive in parts.
    private let source: SourceObject?
    /// True while a call is under way.
    private let isBusy = Monitor(false)

    private init(
        _ pointer: UserData, _ functions: CoderFunctions, _ lent: DecodeOptionsObject, _ budget: WorkBudget,
        source: SourceObject?
    ) {
        unsafe self.pointer = unsafe pointer
        self.functions = functions
        self.lent = lent
        self.budget = budget
        self.source = source
        options = lent.value
    }

    deinit {
        // The callback thread destroys the pointer if an engine runs; what the host borrowed must live until then.
        let (functions, source, lent) = (functions, source, lent)
        nonisolated(unsafe) let pointer = unsafe pointer
        Engine.callLater {
            unsafe functions.table.instance_destroy?(functions.userData, pointer)
            withExtendedLifetime((source, lent)) {}
        }
    }

    /// Opens an instance for bytes that arrive in parts. Opening is short: it runs on the thread of the operation.
    package static func open(_ functions: CoderFunctions, options: DecodeOptions) throws(ImageError) -> ForeignInstance? {
        guard let open = unsafe functions.table.open, unsafe functions.table.instance_update != nil,
            unsafe functions.table.instance_image != nil
        else { return nil }
        let budget = WorkBudget()
        let lent = DecodeOptionsObject.lending(options, budget: budget)
        var made: UserData = nil
        var error: Object = nil
        let status = unsafe open(functions.userData, Handle.lend(lent), &made, &error)
        defer { unsafe Handle.unref(error, as: ImageError.self) }
        guard status.rawValue >= 0 else { throw unsafe .foreign(status, error) }
        return unsafe ForeignInstance(made, functions, lent, budget, source: nil)
    }

    /// Opens an instance for bytes that the coder reads as it needs them.
    package static func open(
        _ functions: CoderFunctions, source: any ByteSource, options: DecodeOptions, stop: CancellationToken
    ) throws(ImageError) -> ForeignInstance? {
        guard unsafe functions.table.open_source != nil, unsafe functions.table.instance_image != nil else { return nil }
        let own = WorkBudget(stop, options.limits)
        let budget = WorkBudget(stop, options.limits)
        let lent = DecodeOptionsObject.lending(options, budget: budget)
        let lentSource = SourceObject(source)
        return try functions.call(own) { () throws(ImageError) in
            defer { budget.end() }
            var made: UserData = nil
            var error: Object = nil
            let status = unsafe functions.table.open_source?(
                functions.userData, Handle.lend(lentSource), Handle.lend(lent), &made, &error)
            defer { unsafe Handle.unref(error, as: ImageError.self) }
            guard let status, status.rawValue >= 0 else {
                throw unsafe .foreign(status ?? .SDIMAGE_STATUS_UNSUPPORTED, error)
            }
            return unsafe ForeignInstance(made, functions, lent, budget, source: lentSource)
        }
    }

    /// State of one call: a detached one may be given up before its thread has begun.
    private enum Progress { case pending, begun, withdrawn }

    /// Runs a call of the instance after the previous call has returned, even one that was left behind.
    package func call<R: Sendable>(
        _ stop: CancellationToken, _ body: @escaping @Sendable (ForeignInstance) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        let own = WorkBudget(stop, options.limits)
        // `own` outlasts a call left behind; `budget` is that of the instance, which the next call begins again.
        try enter(own)
        budget.begin(stop, nanoseconds: options.limits.workNanoseconds)
        let progress = Monitor(Progress.pending)
        do throws(ImageError) {
            return try functions.call(own) { [self] () throws(ImageError) in
                let isWithdrawn = progress.withLock { state in
                    if state == .pending { state = .begun }
                    return state == .withdrawn
                }
                if isWithdrawn { throw .cancelled }
                defer { leave() }
                return try body(self)
            }
        } catch {
            // True for a call that has not started; it never will.
            let isWithdrawn = progress.withLock { state in
                if state == .pending { state = .withdrawn }
                return state == .withdrawn
            }
            if isWithdrawn { leave() }
            throw error
        }
    }

    /// Waits until no call is under way; throws when the budget is spent before. Checks it every 10 ms.
    private func enter(_ budget: WorkBudget) throws(ImageError) {
        let failure = isBusy.wait { isBusy, wakeAt -> ImageError?? in
            if !isBusy {
                isBusy = true
                return .some(nil)
            }
            wakeAt = MonotonicClock.now &+ 10_000_000
            return budget.failure.map { .some($0) }
        }
        if let failure = failure ?? nil { throw failure }
    }

    /// Lets the next call in.
    private func leave() {
        budget.end()
        isBusy.withLock { $0 = false }
        isBusy.signal()
    }
}
