import SDImage

/// Decodes the data of the frames that are needed next: on idle workers, and on the calling thread while it would wait for one.
///
/// The data of a frame depend on no other frame; only their composition does. Decoded frames are held as canvases, which the
/// frame budget of the process counts and may drop at any time. Failures are not held: the calling thread decodes the frame again
/// and reports its error.
final class FramesAhead: Sendable {
    /// Decodes the data of one frame on any thread; nil if they are damaged, exceed a limit, or the token ends the work.
    typealias Job = @Sendable (CancellationToken) -> PixelBuffer?

    /// Number of frames among which those to decode ahead are chosen. The small frames between two large ones take no time: a
    /// worker that has decoded the first large one must know of the second.
    static let window = 16
    /// Maximum number of frames decoded ahead.
    private static let depth = 3
    /// Minimum size of a frame in pixels; below it, waking a worker is too large a part of the work.
    private static let smallestPixels = 1 << 15
    /// Time limit of a frame that the calling thread decodes instead of waiting.
    private static let otherFrameNanoseconds: UInt64 = 100_000_000
    /// Interval at which a waiting thread checks its token.
    private static let checkNanoseconds: UInt64 = 5_000_000

    /// A frame and how it is decoded.
    struct Frame: Sendable {
        let index: Int
        let decode: Job
    }

    /// Progress of a frame.
    private enum Stage {
        case waiting(Job)
        /// The token ends the work when the frame is no longer needed.
        case running(CancellationToken)
        /// Decoded or failed, until it is taken.
        case finished

        var isWaiting: Bool { if case .waiting = self { true } else { false } }
        var isRunning: Bool { if case .running = self { true } else { false } }
    }

    /// State under the lock of `state`.
    private struct State {
        /// Some frames in the order in which they are needed.
        var frames: [(index: Int, stage: Stage)] = []
        /// Number of workers that decode, or are about to.
        var helpers = 0
        /// True after the budget had no room for a frame.
        var isRefused = false

        /// The position of a frame in the list; nil if it is not there.
        func location(of index: Int) -> Int? { frames.firstIndex { $0.index == index } }
        func isRunning(_ index: Int) -> Bool { location(of: index).map { frames[$0].stage.isRunning } ?? false }
    }

    private let state = Monitor(State())
    /// Holds the decoded frames.
    private let cache: CanvasCache
    private let workers: @Sendable () -> WorkPool?

    /// `workers` returns the pool whose idle workers help.
    init(_ frames: FrameBudget, workers: @escaping @Sendable () -> WorkPool?) {
        cache = CanvasCache(frames)
        self.workers = workers
    }

    deinit {
        // In the child of a fork, a thread that does not exist may hold the lock.
        if !Engine.isForked { cancel() }
    }

    /// Returns how to decode the first of these frames, except for those that are too small to gain, and those whose memory is not
    /// small beside the working memory: frames ahead change neither what can be decoded nor which frame fails.
    static func jobs(
        _ frames: [Int], _ layouts: [FrameLayout], _ painter: any FramePainter, canvasBytes: Int, limits: DecodeLimits
    ) -> [Frame] {
        // Several canvases must fit beside what the frame itself needs.
        guard canvasBytes <= limits.workingBytes / 8 else { return [] }
        var jobs: [Frame] = []
        for index in frames where jobs.count < depth {
            let pixels = layouts[index].size.pixelCount ?? Int.max
            guard pixels >= smallestPixels, pixels <= limits.workingBytes / 64 else { continue }
            if let decode = painter.decoder(of: index) { jobs.append(Frame(index: index, decode: decode)) }
        }
        return jobs
    }

    /// Replaces the frames to decode, in the order in which they are needed, and has idle workers decode them. All others are
    /// cancelled and released, except for `current`, which is taken next.
    func expect(_ frames: [Frame], after current: Int? = nil) {
        guard !Engine.isForked else { return }
        var dropped: [Int] = []
        let (wanted, before) = state.withLock { state in
            let before = state.frames
            var remaining: [(index: Int, stage: Stage)] = []
            // Finished frames stay if they are needed. Running ones stay until they end, cancelled if nothing needs them.
            // The new list replaces waiting ones.
            for frame in before where !frame.stage.isWaiting {
                let isNeeded = frame.index == current || frames.contains { $0.index == frame.index }
                if case .running(let token) = frame.stage, !isNeeded { token.cancel() }
                if isNeeded || frame.stage.isRunning { remaining.append(frame) } else { dropped.append(frame.index) }
            }
            let known = remaining.count
            for frame in frames where !remaining.contains(where: { $0.index == frame.index }) {
                remaining.append((frame.index, .waiting(frame.decode)))
            }
            state.frames = remaining
            // The number of new frames for which no worker is on its way; none while the budget has no room.
            return (state.isRefused ? 0 : remaining.count - known - state.helpers, before)
        }
        // Jobs may hold data of the host, which are released outside the lock.
        withExtendedLifetime(before) {}
        for index in dropped { _ = cache.take(index) }
        guard wanted > 0, let pool = workers() else { return }
        var missing = wanted
        while missing > 0, help(pool) { missing -= 1 }
    }

    /// Cancels and releases all frames.
    func cancel() { expect([]) }

    /// Returns the frame if it was decoded ahead; nil if the caller has to decode it. While a worker decodes it, decodes others.
    func take(_ index: Int, stop: CancellationToken) throws(ImageError) -> PixelBuffer? {
        // A child has no workers, and the lock may be held by a thread of its parent.
        guard !Engine.isForked else { return nil }
        while isDecodedElsewhere(orRemove: index) {
            try stop.check()
            // No other frame is left to decode meanwhile.
            guard let next = begin(FramesAhead.otherFrameNanoseconds) else {
                try wait(for: index, stop)
                break
            }
            finish(next.index, next.decode(next.token), next.token)
        }
        let isFinished = state.withLock { state -> Bool in
            guard let location = state.location(of: index) else { return false }
            state.frames.remove(at: location)
            return true
        }
        guard isFinished, case .whole(let pixels) = cache.take(index) else { return nil }
        return pixels
    }

    /// Removes a frame that no thread has begun, because the caller decodes it. True if another thread is decoding it.
    private func isDecodedElsewhere(orRemove index: Int) -> Bool {
        let (isRunning, withdrawn) = state.withLock { state -> (Bool, Stage?) in
            guard let location = state.location(of: index) else { return (false, nil) }
            let isWaiting = state.frames[location].stage.isWaiting
            return (state.isRunning(index), isWaiting ? state.frames.remove(at: location).stage : nil)
        }
        withExtendedLifetime(withdrawn) {}
        return isRunning
    }

    /// Waits until no thread decodes the frame; throws when `stop` ends the operation.
    private func wait(for index: Int, _ stop: CancellationToken) throws(ImageError) {
        let failure = state.wait { state, wakeAt -> ImageError?? in
            guard state.isRunning(index) else { return .some(nil) }
            do throws(ImageError) { try stop.check() } catch { return error }
            wakeAt = MonotonicClock.now &+ FramesAhead.checkNanoseconds
            return nil
        }
        if let error = failure ?? nil { throw error }
    }

    // MARK: Decoding

    /// False when no worker is idle.
    private func help(_ pool: WorkPool) -> Bool {
        state.withLock { $0.helpers += 1 }
        // The object is not held while a frame is decoded: its release cancels the frame.
        let assistance = pool.assist { [weak self] in
            // Work that is queued goes first: frames ahead only use idle time.
            while pool.queuedJobs == 0, let next = self?.begin(CallTimeLimits.frame) {
                let pixels = next.decode(next.token)
                self?.finish(next.index, pixels, next.token)
            }
            self?.state.withLock { $0.helpers -= 1 }
        }
        if assistance == nil { state.withLock { $0.helpers -= 1 } }
        return assistance != nil
    }

    /// Returns the first frame that no thread has begun, which the caller must `finish`; nil if there is none. `nanoseconds`
    /// limits the work.
    private func begin(_ nanoseconds: UInt64) -> (index: Int, decode: Job, token: CancellationToken)? {
        state.withLock { state in
            for location in state.frames.indices {
                guard case .waiting(let decode) = state.frames[location].stage else { continue }
                let token = CancellationToken()
                token.allow(nanoseconds: nanoseconds)
                state.frames[location].stage = .running(token)
                return (state.frames[location].index, decode, token)
            }
            return nil
        }
    }

    /// Holds a decoded frame if there is room, and wakes the thread that waits for it.
    private func finish(_ index: Int, _ pixels: PixelBuffer?, _ token: CancellationToken) {
        pixels?.becomeResult()
        let isHeld = pixels.map { !token.isCancelled && cache.keep(.whole($0), at: index) } ?? false
        state.withLock { state in
            if let location = state.location(of: index) { state.frames[location].stage = .finished }
            // Without room, further frames would be decoded in vain.
            state.isRefused = state.isRefused || pixels != nil && !isHeld && !token.isCancelled
        }
        state.broadcast()
    }
}
