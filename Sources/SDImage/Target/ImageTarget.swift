/// Stands for one widget of the host: loads pictures into its slots, and sees to it that nothing late or wrong is shown.
///
/// Whatever the host is told runs in the queue of calls, in order; what is under way is decided under the lock, at once.
package final class ImageTarget: Sendable {
    private struct Slot {
        let key: CString
        var url: [UInt8] = []
        var progress: ProgressCounter?
        /// Shows what is set in the slot.
        var view: AnimatedView?
        /// Under way, or with a transition under way; the latest last.
        var loads: [TargetLoad] = []
        /// Taken out of the slot: only the end of the target ends these.
        var released: [TargetLoad] = []
        /// A load of the host's own.
        var foreign: LoadTask?
    }

    private struct State {
        var slots: [CacheKey: Slot] = [:]
        var latest: TargetKey?
        var isClosed = false
    }

    let host: any TargetHost
    let calls: CallQueue
    let lease: EngineLease
    private let manager: ManagerHold
    /// A pollable one is open as long as somebody holds it.
    private let dispatcher: any Dispatcher
    private let state = Lock(State())

    package init(manager: ManagerHold, dispatcher: any Dispatcher, host: any TargetHost, lease: EngineLease) {
        self.manager = manager
        self.dispatcher = dispatcher
        self.host = host
        self.lease = lease
        calls = CallQueue(on: dispatcher)
    }

    /// Starts a load; nil without a URL.
    package func load(
        _ request: ImageRequest, _ options: TargetOptions, handler: (any LoadHandler)?, token: UInt,
        owner: (any Sendable & AnyObject)?
    ) throws(ImageError) -> LoadTask? {
        if Engine.isForked { throw .forked }
        try lease.engine.executor.ensureStarted()
        try calls.prepare()
        let manager = (options.manager ?? manager).manager
        // A picture that nobody but the widget holds must outlive that the widget is cleared.
        let kept = manager.imageInMemory(request)
        defer { withExtendedLifetime(kept) {} }
        let load = TargetLoad(self, manager, request, options, handler: handler, token: token)
        for overtaken in try begin(load) { overtaken.end() }
        let placeholder = options.showsPlaceholderOnFailure ? nil : load.placeholder()
        calls.perform { load.begin(placeholder) }
        return try load.start(owner: owner)
    }

    /// Takes no more loads and ends those under way; nothing is shown any more.
    package func close() {
        let slots = state.withLock { state in
            state.isClosed = true
            defer { state.slots = [:] }
            return state.slots
        }
        for slot in slots.values {
            for one in ImageTarget.contents(slot) + slot.released.map({ .load($0) }) { one.end() }
        }
    }

    /// Ends what is under way in a slot; nil is that of the latest load.
    package func cancel(_ key: TargetKey?) {
        let ended = state.withLock { state -> [Endable] in
            guard let key = (key ?? state.latest)?.bytes, let slot = state.slots[key] else { return [] }
            state.slots[key]?.loads = []
            state.slots[key]?.foreign = nil
            return ImageTarget.contents(slot)
        }
        for one in ended { one.end() }
    }

    /// The load under way in a slot.
    package func task(_ key: TargetKey) -> LoadTask? {
        state.withLock { state in
            let slot = state.slots[key.bytes]
            return slot?.foreign ?? slot?.loads.last?.task
        }
    }

    /// Puts a load of the host's own into a slot, in place of what is under way there.
    package func setTask(_ task: LoadTask, _ key: TargetKey) {
        let ended = state.withLock { state -> [Endable] in
            guard !state.isClosed else { return [.task(task)] }
            let before = state.slots[key.bytes]
            state.slots[key.bytes, default: Slot(key: key.text)].loads = []
            state.slots[key.bytes]?.foreign = task
            return before.map(ImageTarget.contents) ?? []
        }
        for one in ended { one.end() }
    }

    /// Takes what is under way out of a slot; it goes on.
    package func removeTask(_ key: TargetKey) {
        let foreign = state.withLock { state -> LoadTask? in
            guard var slot = state.slots[key.bytes] else { return nil }
            defer { state.slots[key.bytes] = slot }
            slot.released += slot.loads
            slot.loads = []
            defer { slot.foreign = nil }
            return slot.foreign
        }
        withExtendedLifetime(foreign) {}
    }

    /// Shows a slot in a view, too; nil: in none.
    package func setView(_ view: AnimatedView?, _ key: TargetKey) {
        let before = state.withLock { state -> AnimatedView? in
            guard !state.isClosed else { return nil }
            defer { state.slots[key.bytes, default: Slot(key: key.text)].view = view }
            return state.slots[key.bytes]?.view
        }
        withExtendedLifetime(before) {}
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    package var latestKey: TargetKey? { state.withLock { $0.latest } }

    /// Of the latest load of a slot, or of all.
    package func url(_ key: TargetKey?) -> [UInt8] {
        state.withLock { state in (key ?? state.latest).flatMap { state.slots[$0.bytes]?.url } ?? [] }
    }

    /// Made when first asked for.
    package func progress(_ key: TargetKey?) -> ProgressCounter {
        state.withLock { state in
            let key = key ?? state.latest ?? .standard
            if let known = state.slots[key.bytes]?.progress { return known }
            let made = ProgressCounter()
            state.slots[key.bytes, default: Slot(key: key.text)].progress = made
            return made
        }
    }

    package func setProgress(_ counter: ProgressCounter, _ key: TargetKey?) {
        let before = state.withLock { state in
            let key = key ?? state.latest ?? .standard
            let before = state.slots[key.bytes]?.progress
            state.slots[key.bytes, default: Slot(key: key.text)].progress = counter
            return before
        }
        withExtendedLifetime(before) {}
    }
}

/// What occupies a slot.
private enum Endable {
    case load(TargetLoad)
    case task(LoadTask)

    func end() {
        switch self {
        case .load(let load): load.overtake()
        case .task(let task): task.cancel()
        }
    }
}

/// The side of its loads.
extension ImageTarget {
    private static func contents(_ slot: Slot) -> [Endable] {
        slot.loads.map { .load($0) } + (slot.foreign.map { [.task($0)] } ?? [])
    }

    /// Puts a load into its slot; what it takes the place of is to be ended.
    private func begin(_ load: TargetLoad) throws(ImageError) -> [Endable] {
        let key = load.options.key
        let ended = state.withLock { state -> [Endable]? in
            guard !state.isClosed else { return nil }
            var slot = state.slots[key.bytes] ?? Slot(key: key.text)
            var ended: [Endable] = []
            if !load.options.keepsPreviousLoad {
                ended = ImageTarget.contents(slot)
                slot.loads = []
                slot.foreign = nil
            }
            slot.url = load.request.url
            slot.loads.append(load)
            state.slots[key.bytes] = slot
            state.latest = key
            return ended
        }
        guard let ended else { throw .shutdown }
        return ended
    }

    /// Nothing follows of a load.
    func forget(_ load: TargetLoad) {
        let key = load.options.key.bytes
        state.withLock { state in
            state.slots[key]?.loads.removeAll { $0 === load }
            state.slots[key]?.released.removeAll { $0 === load }
        }
    }

    /// Other loads of the same slot: those that were kept, or taken out.
    func others(than load: TargetLoad) -> [TargetLoad] {
        state.withLock { state in
            guard let slot = state.slots[load.options.key.bytes] else { return [] }
            return (slot.loads + slot.released).filter { $0 !== load }
        }
    }

    /// In the queue: in the view first, so that the host finds it there.
    func show(_ key: TargetKey, _ image: Image?, _ result: ImageResult?) {
        if let view = state.withLock({ $0.slots[key.bytes]?.view }) { view.show(image) }
        // What the view calls may have closed the target.
        if !isClosed { host.setImage(key.text, image, result) }
    }

    /// The counter of a slot, where anybody asked for one.
    func counter(_ key: TargetKey) -> ProgressCounter? { state.withLock { $0.slots[key.bytes]?.progress } }
}
