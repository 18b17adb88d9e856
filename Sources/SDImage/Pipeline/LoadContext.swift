import Synchronization

/// The parameters of one load, for its stages. Constant, except for its priority, the record of its transfer and its timings.
/// Made by `ImageManager.start`, and read from all threads on which the stages run.
final class LoadContext: Sendable {
    let manager: ImageManager
    /// The request after hooks, with the scale that its key implies.
    let request: ImageRequest
    let keys: LoadKeys
    /// Determined once: a hook of the host may refuse loaders.
    /// nil if no loader may be used.
    let loader: (any ImageLoader)?
    /// The freshness policy of the request, or that of the manager.
    let policy: FreshnessPolicy
    /// The image in memory if it is not the whole result: its bytes are requested too, or its freshness is in doubt. Under
    /// `refresh` it was delivered already.
    let memoryImage: Image?
    /// Background revalidation; no caller is waiting for it.
    let isRevalidation: Bool
    /// Monotonic nanoseconds.
    let started = MonotonicClock.now
    /// Measured times. An object, because few of many waiting loads have one.
    private final class Timings: @unchecked Sendable {
        // Unchecked: used under the lock of `state`.
        var all = StageTimings()
    }

    /// Guarded by `state`.
    private struct State {
        /// The request after the loader's hook.
        var sent: ImageRequest?
        /// Number of the load in the order of transfers, until its transfer starts or is known to be unnecessary; 0 for none.
        var transferNumber: UInt64 = 0
        /// The decode, which other loads may share.
        var decode: SharedDecode?
        var timings: Timings?
    }

    /// True if invalid certificates were accepted; see `mayFillCaches`.
    let isUntrusted = Atomic<Bool>(false)
    /// Raw value of a `LoadPriority`.
    private let currentPriority: Atomic<Int32>
    private let state = Lock(State())

    init(
        _ request: ImageRequest, _ keys: LoadKeys, of manager: ImageManager, policy: FreshnessPolicy, memoryImage: Image?,
        isRevalidation: Bool
    ) {
        self.manager = manager
        self.request = request.scaled(for: keys.original)
        self.keys = keys
        loader = request.mayBeLoaded ? request.loader.resolved(manager.loader) : nil
        self.policy = policy
        self.memoryImage = memoryImage
        self.isRevalidation = isRevalidation
        currentPriority = Atomic(request.priority.rawValue)
    }

    /// The cache of the requested image; nil if the request uses none.
    var cache: (any ImageCaching)? { request.cache.resolved(manager.cache) }
    /// The cache of encoded originals: `cache`, unless the request names another one for variants.
    var originals: (any ImageCaching)? { keys.isOriginal ? cache : request.originalCache.resolved(cache) }

    var memory: (any MemoryCaching)? { cache?.memoryPart }
    /// Uses the part that the manager has resolved, unless the request has a cache of its own.
    var disk: (any DataCaching)? {
        switch request.cache {
        case .inherited: manager.disk
        case .none: nil
        case .value(let cache): cache.diskPart
        }
    }

    /// The memory and the disk of the cache of originals.
    var memoryOfOriginals: (any MemoryCaching)? { originals?.memoryPart }
    var diskOfOriginals: (any DataCaching)? { usesOneCache ? disk : originals?.diskPart }
    /// Rare options include the second cache, so requests without them need no further comparison.
    private var usesOneCache: Bool { keys.isOriginal || !request.hasRareOptions }

    var engine: Engine { manager.engine }
    var registry: CoderRegistry { manager.registry }

    /// The highest priority of the tasks that wait for the load.
    var priority: LoadPriority {
        get { LoadPriority(rawValue: currentPriority.load(ordering: .relaxed)) ?? .normal }
        set { currentPriority.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Called after the priority has changed.
    func raiseDecode() { state.withLock { $0.decode }?.raise(to: priority) }

    /// Raises the priority of a decode to that of this load, now and when it changes.
    /// Replaces an earlier decode of the load, which has ended.
    func didJoin(_ decode: SharedDecode) {
        state.withLock { $0.decode = decode }
        decode.raise(to: priority)
    }

    /// The URL without user, password and signatures.
    var urlForLog: String { URLText(request.urlText.redacted.string).messageText }

    /// The request as it was sent; nil before.
    var sent: ImageRequest? {
        get { state.withLock { $0.sent } }
        set { state.withLock { $0.sent = newValue } }
    }

    /// The fields as sent by the chosen loader, with those of its hook.
    func sentFields(by loader: any ImageLoader) -> [HeaderField] { loader.sentFields(sent ?? request) }

    // MARK: order of transfers

    /// By the priority of the request, which is constant: a load must not change its queue.
    private var order: TransferOrder { manager.order(request.priority) }

    /// Reserves the position of the load among the transfers that start later.
    /// Called on the thread that starts the load, in the order of calls.
    func enterTransferOrder() {
        let number = order.enter()
        state.withLock { $0.transferNumber = number }
    }

    /// Starts a transfer when the loads before this one have started theirs, or need none. For a load without a position.
    /// Runs on the calling thread if no other load precedes it.
    func startNext(_ start: @escaping @Sendable () -> Void) { order.start(start) }

    /// The same for a load with a position. A second transfer starts immediately.
    /// Only the first transfer of a load is ordered.
    func startInOrder(_ start: @escaping @Sendable () -> Void) {
        if let number = takeTransferNumber() { order.start(number, start) } else { start() }
    }

    /// Notes that the load needs no transfer, so that later ones do not wait for it.
    func leaveTransferOrder() {
        if let number = takeTransferNumber() { order.leave(number) }
    }

    /// nil once it has been taken, so that exactly one of start and leave has an effect.
    private func takeTransferNumber() -> UInt64? {
        state.withLock { state in
            defer { state.transferNumber = 0 }
            return state.transferNumber == 0 ? nil : state.transferNumber
        }
    }

    // MARK: timings

    /// Durations of the stages so far; zeros before the first stage ends.
    var timings: StageTimings { state.withLock { $0.timings?.all } ?? StageTimings() }

    /// Adds the time since `start` to that of a stage. A closure, because a key path would be evaluated at run time.
    func addTime(since start: UInt64, to add: (inout StageTimings, UInt64) -> Void) {
        let time = MonotonicClock.now - start
        state.withLock { state in
            let timings = state.timings ?? Timings()
            add(&timings.all, time)
            state.timings = timings
        }
    }
}
