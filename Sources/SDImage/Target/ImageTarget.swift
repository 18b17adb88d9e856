/// One widget of the host: loads images into its slots, and prevents late or wrong images from being shown.
///
/// Callbacks to the host run in order in the queue of calls. Changes of the active loads take effect immediately, under the lock.
/// The loads of a slot replace each other. Made by the C interface (`include/sdimage/target.h`).
package final class ImageTarget: Sendable {
    /// Guarded by `ImageTarget.state`, like all slots.
    private struct Slot {
        /// Name of the slot, as passed to the host.
        let key: CString
        /// URL of the latest load.
        var url: [UInt8] = []
        /// View that shows the image of the slot.
        var view: AnimatedView?
        /// Loads in progress, or with a transition in progress; the latest is last.
        var loads: [TargetLoad] = []
        /// Loads removed from the slot. Only closing the target ends them.
        var released: [TargetLoad] = []
        /// A load started by the host itself.
        var foreign: LoadTask?
    }

    private struct State {
        /// By name; a slot stays until the target is closed.
        var slots: [CacheKey: Slot] = [:]
        /// Name of the slot of the latest load.
        var latest: TargetKey?
        var isClosed = false
        /// The manager of loads that do not name one; nil after `close`, because the queue of calls may hold the target for long.
        var manager: ManagerHold?
    }

    /// Receives the callbacks.
    let host: any TargetHost
    /// Order of all callbacks to the host.
    let calls: CallQueue
    let lease: EngineLease
    private let state: Lock<State>

    /// Holds the queue of a pollable dispatcher, but not the dispatcher: the queue may hold the target.
    package init(manager: ManagerHold, dispatcher: any Dispatcher, host: any TargetHost, lease: EngineLease) {
        state = Lock(State(manager: manager))
        self.host = host
        self.lease = lease
        calls = CallQueue(on: dispatcher)
    }

    /// Starts a load; nil without a URL.
    /// Ends the loads in progress in the slot unless the options keep them. Callbacks may come before this returns.
    package func load(
        _ request: ImageRequest, _ options: TargetOptions, handler: (any LoadHandler)?, token: UInt,
        owner: (any Sendable & AnyObject)?
    ) throws(ImageError) -> LoadTask? {
        if Engine.isForked { throw .forked }
        try lease.engine.executor.ensureStarted()
        try calls.prepare()
        guard let hold = options.manager ?? state.withLock({ $0.manager }) else { throw .shutdown }
        // The target may be closed meanwhile.
        defer { withExtendedLifetime(hold) {} }
        let manager = hold.manager
        // An image held only by the widget must outlive the clearing of the widget.
        let held = manager.imageInMemory(request)
        defer { withExtendedLifetime(held) {} }
        let load = TargetLoad(self, manager, request, options, handler: handler, token: token)
        for replaced in try begin(load) { replaced.end(.replaced) }
        let placeholder = options.showsPlaceholderOnFailure ? nil : load.placeholder()
        calls.perform { load.begin(placeholder) }
        return try load.start(owner: owner)
    }

    /// Accepts no more loads and ends those in progress; nothing is shown afterwards.
    package func close() {
        let (slots, manager) = state.withLock { state in
            state.isClosed = true
            defer { (state.slots, state.manager) = ([:], nil) }
            return (state.slots, state.manager)
        }
        for slot in slots.values {
            for one in ImageTarget.contents(slot) + slot.released.map({ .load($0) }) { one.end(.replaced) }
        }
        // May close the manager, whose loads have ended.
        withExtendedLifetime(manager) {}
    }

    /// Ends the loads in progress in a slot; nil: in the slot of the latest load.
    package func cancel(_ key: TargetKey?) {
        let ended = state.withLock { state -> [Endable] in
            guard let key = (key ?? state.latest)?.bytes, let slot = state.slots[key] else { return [] }
            state.slots[key]?.loads = []
            state.slots[key]?.foreign = nil
            return ImageTarget.contents(slot)
        }
        for one in ended { one.end(.cancelled) }
    }

    /// The load in progress in a slot.
    /// The latest load, or the one that the host has set; nil if there is none.
    package func task(_ key: TargetKey) -> LoadTask? {
        let (foreign, own) = state.withLock { state in
            let slot = state.slots[key.bytes]
            return (slot?.foreign, slot?.loads.last?.task)
        }
        // A load of the host does not leave its slot by itself.
        guard let foreign, !foreign.isDelivered else { return own }
        return foreign
    }

    /// Changes the priority of the loads in progress in a slot.
    package func setPriority(_ priority: LoadPriority, _ key: TargetKey) {
        let tasks = state.withLock { state in
            state.slots[key.bytes].map { slot in slot.loads.compactMap(\.task) + (slot.foreign.map { [$0] } ?? []) } ?? []
        }
        for task in tasks { task.setPriority(priority) }
    }

    /// Puts a load started by the host into a slot, replacing the loads in progress there.
    /// A closed target cancels the task.
    package func setTask(_ task: LoadTask, _ key: TargetKey) {
        let ended = state.withLock { state -> [Endable] in
            guard !state.isClosed else { return [.task(task)] }
            var before = state.slots[key.bytes]
            // A task that is set again does not end.
            if before?.foreign === task { before?.foreign = nil }
            state.slots[key.bytes, default: Slot(key: key.text)].loads = []
            state.slots[key.bytes]?.foreign = task
            return before.map(ImageTarget.contents) ?? []
        }
        for one in ended { one.end(.replaced) }
    }

    /// Removes the loads in progress from a slot; they continue.
    /// Their results are still shown.
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

    /// The view that shows the slot, too; nil for none.
    package func view(_ key: TargetKey) -> AnimatedView? { state.withLock { $0.slots[key.bytes]?.view } }

    /// Shows a slot in a view as well, from the next image on; nil: in none. The view is retained.
    package func setView(_ view: AnimatedView?, _ key: TargetKey) {
        let before = state.withLock { state -> AnimatedView? in
            guard !state.isClosed else { return nil }
            defer { state.slots[key.bytes, default: Slot(key: key.text)].view = view }
            return state.slots[key.bytes]?.view
        }
        withExtendedLifetime(before) {}
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The slot of the latest load; nil before the first.
    package var latestKey: TargetKey? { state.withLock { $0.latest } }

    /// URL of the latest load of a slot; nil: of the latest load of all.
    package func url(_ key: TargetKey?) -> [UInt8] {
        state.withLock { state in (key ?? state.latest).flatMap { state.slots[$0.bytes]?.url } ?? [] }
    }
}

/// A load that occupies a slot.
/// A load of the target itself, or one that the host has started.
private enum Endable {
    case load(TargetLoad)
    case task(LoadTask)

    /// Outside the lock: both may call the host.
    func end(_ end: TargetLoad.End) {
        switch self {
        case .load(let load): load.end(end)
        case .task(let task): task.cancel()
        }
    }
}

/// Functions for the loads of a target.
extension ImageTarget {
    /// Loads in progress in a slot.
    private static func contents(_ slot: Slot) -> [Endable] {
        slot.loads.map { .load($0) } + (slot.foreign.map { [.task($0)] } ?? [])
    }

    /// Puts a load into its slot; returns the replaced loads, which the caller must end.
    /// Throws `shutdown` for a closed target.
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

    /// Removes a load that makes no further calls.
    /// Called when the load was delivered and its transition has ended.
    func forget(_ load: TargetLoad) {
        let key = load.options.key.bytes
        state.withLock { state in
            state.slots[key]?.loads.removeAll { $0 === load }
            state.slots[key]?.released.removeAll { $0 === load }
        }
    }

    /// Other loads of the same slot: kept previous loads and removed ones.
    /// Called before a new image is set, to end their transitions.
    func others(than load: TargetLoad) -> [TargetLoad] {
        state.withLock { state in
            guard let slot = state.slots[load.options.key.bytes] else { return [] }
            return (slot.loads + slot.released).filter { $0 !== load }
        }
    }

    /// Runs in the queue of calls. Sets the view first, so that the host finds the image there.
    func show(_ key: TargetKey, _ image: Image?, _ result: ImageResult?) {
        if let view = state.withLock({ $0.slots[key.bytes]?.view }) { view.show(image) }
        // A callback of the view may have closed the target.
        if !isClosed { host.setImage(key.text, image, result) }
    }
}
