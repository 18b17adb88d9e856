/// The frames of one animation that are held, and which of them its players need. Pure; the budget guards it.
package struct PoolTable: Sendable {
    /// What is there of a frame.
    package enum Holding: Sendable {
        case absent
        case frame(CachedFrame)
        /// It cannot be made.
        case failed
    }

    package private(set) var frames: [Int: CachedFrame] = [:]
    /// Frames that cannot be made, and whether that is for good.
    private var failures: [Int: Bool] = [:]
    package var wants: [UInt64: FrameDemand] = [:]
    var listeners: [UInt64: WeakListener] = [:]
    /// Of one frame; a guess until the first is known.
    package var frameBytes: Int { max(frameSize.value ?? 1024, 1) }
    private var frameSize = RecentMost()
    /// Of one frame as a picture.
    private(set) var pictureBytes = 1024
    /// Of the canvas that frames are drawn on, where it is none of them: as it is kept, and as pixels.
    var canvasBytes: Int { canvasSize.value ?? 0 }
    private var canvasSize = RecentMost()
    private(set) var canvasPictureBytes = 0
    package private(set) var bytes = 0
    /// Frames that may be held.
    package var allowed = 1
    /// A frame is being made, or about to be.
    package var isBusy = false
    /// Stops the frame that a worker is making.
    private var making: StopSignal?
    /// What making a frame takes, lately, in nanoseconds.
    package private(set) var cost: UInt64 = 0

    /// What the frames come from: those of others may too, each changed.
    let root: ObjectIdentifier

    init(of root: ObjectIdentifier) { self.root = root }

    /// Different frames that are on show: players in step show the same one.
    package var shownFrames: Int { Set(wants.values.filter(\.isPlaying).map(\.place.index)).count }
    package var isActive: Bool { wants.values.contains(where: \.isPlaying) }
    private var count: Int { wants.values.reduce(0) { max($0, $1.count) } }
    private var holdsAll: Bool { allowed >= count }

    /// Bytes of all frames, or of as many as its players allow.
    package var demand: Int {
        let all = frameBytes.multipliedReportingOverflow(by: max(count, 1))
        let wish = wants.values.reduce(0) { max($0, $1.bufferBytes == 0 ? .max : $1.bufferBytes) }
        return min(all.overflow ? .max : all.partialValue, max(wish, frameBytes))
    }

    /// A failure that may pass is told once; then the frame is tried again.
    package mutating func look(_ index: Int) -> Holding {
        if let frame = frames[index] { return .frame(frame) }
        guard let isLasting = failures[index] else { return .absent }
        if !isLasting { failures[index] = nil }
        return .failed
    }

    /// The frame to make next and when it is needed: the first that is missing in the order of need. Where only one may be
    /// held, not more than `lead` nanoseconds before its time.
    package func target(now: UInt64, lead: UInt64) -> (index: Int, deadline: UInt64)? {
        let lead = allowed > 1 ? UInt64.max : lead
        for need in needs where frames[need.index] == nil && failures[need.index] == nil {
            return need.deadline > now && need.deadline - now > lead ? nil : need
        }
        return nil
    }

    /// Frames to be held for their players, the next of each first, at most as many as are allowed.
    private var needs: [(index: Int, deadline: UInt64)] {
        var places = wants.values.filter { $0.isPlaying && $0.depth > 0 && $0.count > 0 }.map { ($0, $0.place) }
        places.sort { $0.0.deadline < $1.0.deadline }
        var needs: [(index: Int, deadline: UInt64)] = []
        let deepest = places.reduce(0) { max($0, min($1.0.depth, $1.0.count)) }
        for depth in 0..<deepest {
            for (number, (want, place)) in places.enumerated() where depth < want.depth {
                guard depth == 0 || needs.count < allowed else { return needs }
                let deadline = want.deadline &+ UInt64(depth) &* want.interval
                if !needs.contains(where: { $0.index == place.index }) { needs.append((place.index, deadline)) }
                places[number].1 = place.next(want.mode, of: want.count)
            }
        }
        return needs
    }

    /// Gives the frame that was there before; `isNews`: the size of frames became known.
    package mutating func insert(_ frame: CachedFrame, at index: Int, isNews: inout Bool) -> [CachedFrame] {
        let before = take(index)
        failures[index] = nil
        bytes += frame.heldBytes
        frames[index] = frame
        let isOtherFrame = frameSize.add(frame.heldBytes)
        isNews = canvasSize.add(frame.canvasBytes) || isOtherFrame
        pictureBytes = max(frame.pictureBytes, 1)
        canvasPictureBytes = frame.canvasPictureBytes
        return before.map { [$0] } ?? []
    }

    /// A worker begins to make a frame.
    mutating func beginMaking() -> StopSignal {
        let stop = StopSignal()
        making = stop
        return stop
    }

    /// A player is gone. The frame in the making is of no use without any.
    func playerLeft() { if wants.isEmpty { making?.cancel() } }

    /// True when the frame was abandoned.
    mutating func finishMaking() -> Bool {
        defer { making = nil }
        return making?.isCancelled == true
    }

    /// A frame has taken so long.
    package mutating func count(cost latest: UInt64) { cost = cost == 0 ? latest : (cost &* 3 &+ latest) / 4 }

    package mutating func fail(_ index: Int, isLasting: Bool) { failures[index] = isLasting }

    /// Takes out what nobody needs and what is too much; never what is shown next.
    package mutating func takeSurplus() -> [CachedFrame] {
        guard !frames.isEmpty, isActive, !holdsAll else { return [] }
        let needed = needs.map(\.index)
        let isShared = wants.values.reduce(0) { $0 + ($1.isPlaying ? 1 : 0) } > 1
        // Of several players one may still come to what another has seen.
        var room = isShared ? allowed - frames.count : -frames.count
        guard room < 0 else { return [] }
        var taken: [CachedFrame] = []
        for index in frames.keys where !needed.contains(index) {
            guard room < 0 else { break }
            if let frame = take(index) { taken.append(frame) }
            room += 1
        }
        return taken
    }

    /// Takes out everything, or all that is not shown next by somebody who plays.
    package mutating func takeAll(butNext: Bool) -> [CachedFrame] {
        let next = butNext ? Set(wants.values.filter { $0.isPlaying && $0.depth > 0 }.map(\.place.index)) : []
        return frames.keys.filter { !next.contains($0) }.compactMap { take($0) }
    }

    private mutating func take(_ index: Int) -> CachedFrame? {
        guard let frame = frames.removeValue(forKey: index) else { return nil }
        bytes -= frame.heldBytes
        return frame
    }
}
