/// The held frames of one animation, and the demands of its players. Pure; guarded by the lock of the budget.
/// One for each pool. The demands determine which frames are needed, and `allowed` how many may be held.
package struct PoolTable: Sendable {
    /// Result of looking up a frame.
    package enum Holding: Sendable {
        case absent
        case frame(CachedFrame)
        /// The frame cannot be made.
        case failed
    }

    package private(set) var frames: [Int: CachedFrame] = [:]
    /// Frames that cannot be made; true when the failure is permanent.
    /// A failed frame is not made again as long as its entry exists.
    private var failures: [Int: Bool] = [:]
    /// By player; also those of paused players.
    private var demands: [UInt64: FrameDemand] = [:]
    /// By player, for those with a clock.
    private var listeners: [UInt64: WeakListener] = [:]
    /// Bytes of one frame; an estimate until the first is known.
    /// Never 0, so that shares can be divided by it.
    package var frameBytes: Int { max(frameSize.value ?? 1024, 1) }
    private var frameSize = RecentMost()
    /// Bytes of one frame as an image.
    /// Larger than `frameBytes` if frames are held as indices.
    private(set) var imageBytes = 1024
    /// Bytes of the canvas that frames are drawn on, if it is not one of the frames: as it is held, and as pixels.
    var canvasBytes: Int { canvasSize.value ?? 0 }
    private var canvasSize = RecentMost()
    private(set) var canvasImageBytes = 0
    /// Bytes of all held frames.
    package private(set) var bytes = 0
    /// Number of frames that may be held.
    /// Set with the division of the budget; at least 1.
    package var allowed = 1
    /// True while a frame is being made or is scheduled.
    /// At most one worker serves a pool at a time, because decoding of an animation is sequential.
    package var isBusy = false
    /// Time of the pending timer of a frame that is not made yet because it is too early; `.max` for none.
    var alarm = UInt64.max
    /// Stops the frame that a worker is making.
    private var making: CancellationToken?
    /// Moving average of the time to make a frame, in nanoseconds.
    /// 0 before the first frame.
    package private(set) var cost: UInt64 = 0

    /// Identity of the provider below all transformations. Pools of differently transformed frames may share it.
    let root: ObjectIdentifier

    init(of root: ObjectIdentifier) { self.root = root }

    /// Number of distinct visible frames: players in step show the same one.
    package var shownFrames: Int { Set(demands.values.filter(\.isPlaying).map(\.position.index)).count }
    package var isActive: Bool { demands.values.contains(where: \.isPlaying) }
    /// Number of frames in the longest demand.
    private var count: Int { demands.values.reduce(0) { max($0, $1.count) } }
    private var holdsAll: Bool { allowed >= count }

    /// Bytes of all frames, or the size of the largest buffer that its players allow if that is smaller.
    /// `bufferBytes` 0 means no limit by that player.
    package var demandedBytes: Int {
        let all = frameBytes.multipliedReportingOverflow(by: max(count, 1))
        let buffer = demands.values.reduce(0) { max($0, $1.bufferBytes == 0 ? .max : $1.bufferBytes) }
        return min(all.overflow ? .max : all.partialValue, max(buffer, frameBytes))
    }

    /// Looks up a frame. A transient failure is reported once; then the frame is tried again.
    package mutating func look(_ index: Int) -> Holding {
        if let frame = frames[index] { return .frame(frame) }
        guard let isLasting = failures[index] else { return .absent }
        if !isLasting { failures[index] = nil }
        return .failed
    }

    /// The frame to make next and its due time: the first missing frame in the order of need. When only one frame may be held, it
    /// is made at most `lead` nanoseconds, and the time that it takes itself, before it is due.
    /// nil if nothing is missing, or if it is too early.
    package func target(now: UInt64, lead: UInt64) -> (index: Int, deadline: UInt64)? {
        guard let missing else { return nil }
        // With room for several frames there is no reason to wait.
        let lead = allowed > 1 ? UInt64.max : lead &+ cost
        return missing.deadline > now && missing.deadline - now > lead ? nil : missing
    }

    /// The time from which `target` returns the next frame to make. nil if nothing is missing, if no frame waits for its time, or
    /// if no player has a clock: a player without one reports its demand with each tick.
    func targetTime(lead: UInt64) -> UInt64? {
        guard allowed <= 1, !listeners.isEmpty, let missing else { return nil }
        return missing.deadline - min(missing.deadline, lead &+ cost)
    }

    private var missing: (index: Int, deadline: UInt64)? {
        needs.first { frames[$0.index] == nil && failures[$0.index] == nil }
    }

    /// Frames to hold for the players: the next frame of each, then more, up to `allowed` in total.
    /// Breadth first: no player gets a second frame before each has its next one.
    private var needs: [(index: Int, deadline: UInt64)] {
        var positions = demands.values.filter { $0.isPlaying && $0.depth > 0 && $0.count > 0 }.map { ($0, $0.position) }
        positions.sort { $0.0.deadline < $1.0.deadline }
        var needs: [(index: Int, deadline: UInt64)] = []
        // A demand deeper than the animation would only repeat frames.
        let deepest = positions.reduce(0) { max($0, min($1.0.depth, $1.0.count)) }
        for depth in 0..<deepest {
            for (number, (demand, position)) in positions.enumerated() where depth < demand.depth {
                guard depth == 0 || needs.count < allowed else { return needs }
                let deadline = demand.deadline &+ UInt64(depth) &* demand.interval
                // Players in step need one frame together; its earliest deadline was found first.
                if !needs.contains(where: { $0.index == position.index }) { needs.append((position.index, deadline)) }
                positions[number].1 = position.next(demand.mode, of: demand.count)
            }
        }
        return needs
    }

    /// Stores a frame and returns the previous one at that index. `isNews`: the known size of frames or of their canvas has
    /// changed.
    package mutating func insert(_ frame: CachedFrame, at index: Int, isNews: inout Bool) -> [CachedFrame] {
        let before = take(index)
        failures[index] = nil
        bytes += frame.heldBytes
        frames[index] = frame
        // Measured in groups, so that frames of varying size do not change the shares each time.
        let isOtherFrame = frameSize.add(frame.heldBytes)
        isNews = canvasSize.add(frame.canvasBytes) || isOtherFrame
        imageBytes = max(frame.imageBytes, 1)
        canvasImageBytes = frame.canvasImageBytes
        return before.map { [$0] } ?? []
    }

    /// Starts making a frame on a worker; returns the token that stops it.
    mutating func beginMaking() -> CancellationToken {
        let stop = CancellationToken(priority: FramePool.priority)
        making = stop
        return stop
    }

    /// Sets the demand of a player and returns the previous one; nil when the player was freed. Without players, the frame being
    /// made is abandoned.
    mutating func setDemand(_ demand: FrameDemand?, of player: UInt64) -> FrameDemand? {
        let before = demands[player]
        demands[player] = demand
        guard demand == nil else { return before }
        // A withdrawn demand also ends notifications.
        listeners[player] = nil
        if demands.isEmpty { making?.cancel() }
        return before
    }

    /// Sets the listener notified when a frame arrives; nil: none.
    mutating func setListener(_ listener: (any FrameListener)?, of player: UInt64) {
        listeners[player] = listener.map { WeakListener(listener: $0) }
    }

    /// The listeners that still exist.
    var currentListeners: [any FrameListener] { listeners.values.compactMap(\.listener) }

    /// True when the frame was abandoned.
    /// Called when a worker returns.
    mutating func finishMaking() -> Bool {
        defer { making = nil }
        return making?.isCancelled == true
    }

    /// Adds the time taken by a frame to the average.
    /// The latest frame counts a quarter.
    package mutating func count(cost latest: UInt64) { cost = cost == 0 ? latest : (cost &* 3 &+ latest) / 4 }

    /// `isLasting` false: the frame is tried again after it was reported once.
    package mutating func fail(_ index: Int, isLasting: Bool) { failures[index] = isLasting }

    /// Removes frames that no player needs and that exceed the limit; never the next frame of a player.
    /// Does nothing while no player plays: paused animations keep their frames until memory is needed.
    package mutating func takeSurplus() -> [CachedFrame] {
        guard !frames.isEmpty, isActive, !holdsAll else { return [] }
        let needed = needs.map(\.index)
        // More than one playing player.
        let isShared = demands.values.reduce(0) { $0 + ($1.isPlaying ? 1 : 0) } > 1
        // One of several players may still reach frames that another has shown.
        var room = isShared ? allowed - frames.count : -frames.count
        guard room < 0 else { return [] }
        var taken: [CachedFrame] = []
        // Frames that no player needs go in no particular order.
        for index in frames.keys where !needed.contains(index) {
            guard room < 0 else { break }
            if let frame = take(index) { taken.append(frame) }
            room += 1
        }
        return taken
    }

    /// Removes all frames; `butNext` keeps those that a playing player shows next.
    package mutating func takeAll(butNext: Bool) -> [CachedFrame] {
        let next = butNext ? Set(demands.values.filter { $0.isPlaying && $0.depth > 0 }.map(\.position.index)) : []
        return frames.keys.filter { !next.contains($0) }.compactMap { take($0) }
    }

    private mutating func take(_ index: Int) -> CachedFrame? {
        guard let frame = frames.removeValue(forKey: index) else { return nil }
        bytes -= frame.heldBytes
        return frame
    }
}
