/// Receives the image to draw. Called on the thread that sets an image, ticks or advances, or on the dispatcher of the clock.
/// Implemented by the C interface, on top of functions of the host.
package protocol AnimatedViewHandler: AnyObject, Sendable {
    /// False when `show` has no effect.
    /// The image for it is then not made.
    var wantsFrames: Bool { get }
    /// Replaces the drawn image; nil: none.
    /// The image is valid during the call, or longer while it is referenced.
    func show(_ view: AnimatedView, _ image: Image?)
    /// `count`: complete rounds.
    func loop(_ view: AnimatedView, _ count: Int)
}

/// A still or animated image in a widget, also while it arrives. Decides when the animation plays.
/// The C interface offers it for toolkits; it owns a player for animations and drives it by visibility and settings.
/// Any thread may call it. `State` is guarded by a lock that is never held while a player or the handler is called.
package final class AnimatedView: Sendable {
    package struct Settings: Sendable {
        /// Plays automatically while the view is visible.
        package var playsByItself = true
        /// Replaces the loop count of the image; nil keeps it.
        package var loopLimit: Int?
        /// Plays partial images; false shows their first frame.
        package var isIncremental = true
        /// Releases the held frames on `stop`; the next start makes them again.
        package var clearsBufferWhenStopped = false
        /// Returns to the first frame on `stop` instead of staying at the current one.
        package var rewindsWhenStopped = false
        /// Transformation of every frame, used from the next image on.
        package var change: FrameChange?
        /// Settings that players take over at once.
        package var playback = PlaybackSettings()
    }

    private struct State {
        var settings = Settings()
        /// The image as set, with its frames.
        var image: Image?
        /// Drawn without a player, or before its first frame: the first frame, changed if the settings say so.
        var poster: Image?
        /// nil for stills.
        var player: AnimationPlayer?
        /// True while the image arrives and the player continues with each new part.
        var isProgressive = false
        var isVisible = true
        /// The host has been told what to draw: an image, or none.
        var isDefined = false
        var clock: (any PlaybackClock)?
        /// Counters of the changes of `settings` and of the replacements of the image.
        /// Loops compare them to find out if another thread was faster.
        var settingsChanges: UInt64 = 0
        var replacements: UInt64 = 0
    }

    private let handler: (any AnimatedViewHandler)?
    /// Limits the memory of frames, for all views of the process.
    private let budget: FrameBudget
    /// Keeps the engine running as long as the view exists.
    private let lease: EngineLease
    private let state = Monitor(State())

    package init(handler: (any AnimatedViewHandler)?, budget: FrameBudget, lease: EngineLease) {
        self.handler = handler
        self.budget = budget
        self.lease = lease
    }

    package var settings: Settings { state.withLock { $0.settings } }
    package var player: AnimationPlayer? { state.withLock { $0.player } }
    package var isVisible: Bool { state.withLock { $0.isVisible } }
    /// True while the player plays.
    package var isAnimating: Bool { player?.isPlaying ?? false }
    package var clock: (any PlaybackClock)? { state.withLock { $0.clock } }
    /// The image to draw.
    package var image: Image? {
        let (player, poster) = state.withLock { ($0.player, $0.poster) }
        return player?.drawnFrame ?? poster
    }

    /// Changes the settings, also those of the current player.
    /// A change of `change` affects the next image only, as the frames of the current one are fixed.
    package func change(_ body: (inout Settings) -> Void) {
        let (old, player) = state.withLock { state in
            let old = state.settings
            body(&state.settings)
            state.settingsChanges += 1
            return (old, state.player)
        }
        // Values of the settings may be freed here, outside the lock.
        withExtendedLifetime(old) {}
        if let player { applySettings(to: player) }
    }

    /// Applies the settings to a player. Another thread may change them meanwhile and apply its own first, so this repeats until
    /// the applied settings are the newest.
    /// Called without the lock.
    private func applySettings(to player: AnimationPlayer) {
        while true {
            let (settings, changes) = state.withLock { ($0.settings, $0.settingsChanges) }
            apply(settings, to: player)
            if state.withLock({ $0.settingsChanges == changes }) { return }
        }
    }

    package func setClock(_ clock: (any PlaybackClock)?) {
        let player = state.withLock { state in
            state.clock = clock
            return state.player
        }
        if let player { giveClock(to: player) }
    }

    /// Sets the clock of the current player. Another thread may replace either meanwhile: a replaced player loses the clock, and
    /// the current player arms it again.
    private func giveClock(to player: AnimationPlayer) {
        while true {
            let (shown, clock) = state.withLock { ($0.player, $0.clock) }
            player.setClock(shown === player ? clock : nil)
            if let shown, shown !== player { shown.settle() }
            let isDone = state.withLock { $0.player === shown && $0.clock === clock }
            if isDone { return }
        }
    }

    // MARK: Images

    /// Shows another image, or nothing. Setting the current object again has no effect; the first call always has one, so that
    /// the host draws its own placeholder in an empty view.
    /// Throws if the frames cannot be changed or played; the image shown before then stays.
    package func setImage(_ image: Image?) throws(ImageError) {
        let (before, player, settings, wasProgressive, isFirst) = state.withLock {
            ($0.image, $0.player, $0.settings, $0.isProgressive, !$0.isDefined)
        }
        guard isFirst || image !== before else { return }
        // The next part of an arriving animation continues in its player, without a restart.
        let follows = image.map { isPart($0, of: before, settings) } ?? false
        if follows, wasProgressive, let player, continues(player, with: image) {
            // The current frame stays visible, and playback continues with the frames that have arrived.
            player.update()
            if !player.isPlaying { playIfVisible() }
            return
        }
        try replace(image, isProgressive: follows)
    }

    /// Shows an image, or nothing if it is refused: the image shown before is a different one.
    /// For callers that cannot handle an error.
    package func show(_ image: Image?) {
        do throws(ImageError) { try setImage(image) } catch {
            Log.write(.warning, "animated view: image not shown: \(error.message.string) (\(error.status.name))")
            // Setting nil cannot be refused.
            try? setImage(nil)
        }
    }

    /// Makes the player and the poster first: if either fails, the view is unchanged.
    private func replace(_ image: Image?, isProgressive: Bool) throws(ImageError) {
        let (settings, changes) = state.withLock { ($0.settings, $0.settingsChanges) }
        // A partial image that must not play is a still.
        let isStill = image.map { $0.metadata.isIncremental && !isProgressive } ?? true
        let player = isStill ? nil : try image.flatMap { image throws(ImageError) in try makePlayer(image, settings) }
        let poster = try image.map { image throws(ImageError) in try firstImage(image, settings) }
        let (old, isChanged, number) = state.withLock { state in
            let old = (state.image, state.poster, state.player)
            (state.image, state.poster, state.player) = (image, poster, player)
            state.isDefined = true
            state.isProgressive = isProgressive && player != nil
            state.replacements += 1
            // Another thread may have changed the settings after they were read for the new player.
            return (old, state.settingsChanges != changes, state.replacements)
        }
        // A replaced player must neither tick nor keep its frames demanded.
        if let old = old.2 {
            giveClock(to: old)
            old.pause()
        }
        if let player {
            if isChanged { applySettings(to: player) }
            giveClock(to: player)
        }
        notify(poster, number)
        playIfVisible()
    }

    /// Takes the next part of the image for the current player; false when another thread has replaced that player meanwhile.
    private func continues(_ player: AnimationPlayer, with image: Image?) -> Bool {
        let (isShown, old) = state.withLock { state -> (Bool, Image?) in
            guard state.player === player else { return (false, nil) }
            defer { state.image = image }
            return (true, state.image)
        }
        withExtendedLifetime(old) {}
        return isShown
    }

    /// Reports the image to draw to the host. Another thread may replace it meanwhile and report first, so this repeats until the
    /// last report is the current image.
    /// `number`: the count of replacements for which the image is right.
    private func notify(_ image: Image?, _ number: UInt64) {
        var (image, number) = (image, number)
        while true {
            handler?.show(self, image)
            let newest = state.withLock { $0.replacements }
            if newest == number { return }
            (image, number) = (self.image, newest)
        }
    }

    /// True when an image continues `before`, or is the first part of an arriving animation.
    private func isPart(_ image: Image, of before: Image?, _ settings: Settings) -> Bool {
        guard settings.isIncremental, image.metadata.isIncremental, let frames = image.frames else { return false }
        // A still before it is a placeholder or a part without frames. The last part may be complete.
        guard let others = before?.frames else { return frames.isGrowing }
        // Each part of a transformed image has transformed frames of its own; only their root is the same.
        return others.root === frames.root
    }

    /// nil for images that do not move.
    private func makePlayer(_ image: Image, _ settings: Settings) throws(ImageError) -> AnimationPlayer? {
        guard let frames = image.frames, frames.frameCount > 1 || frames.isGrowing else { return nil }
        let own = FrameSource(image)
        let source = settings.change.map { own.changed(by: $0) } ?? own
        // The handler refers to the view weakly, so that the player does not keep it alive.
        let player = try AnimationPlayer(source, handler: Playback(self), budget: budget, lease: lease)
        apply(settings, to: player)
        return player
    }

    /// The change applies to the poster too: it is the first frame of what plays.
    private func firstImage(_ image: Image, _ settings: Settings) throws(ImageError) -> Image {
        guard let change = settings.change, image.frames != nil else { return image }
        // A change may be slow, so it has a limit of time.
        let stop = CancellationToken()
        stop.allow(nanoseconds: CallTimeLimits.frame)
        return try change.apply(image.still, stop)
    }

    private func apply(_ settings: Settings, to player: AnimationPlayer) {
        player.change { $0 = settings.playback }
        player.setLoopLimit(settings.loopLimit)
    }

    // MARK: Playing

    /// Starts playback; no effect while the view is invisible.
    /// Also starts a player that the settings would not start by themselves.
    package func start() {
        guard let player = state.withLock({ $0.isVisible ? $0.player : nil }) else { return }
        player.start()
        // Another thread may have hidden the view or replaced its player meanwhile, and have paused before this call started it.
        if state.withLock({ !$0.isVisible && $0.settings.playsByItself || $0.player !== player }) { player.pause() }
    }

    /// Pauses or rewinds, and clears the frame buffer if the settings say so.
    /// Keeps the image: without rewinding, the current frame stays visible.
    package func stop() {
        let (player, settings) = state.withLock { ($0.player, $0.settings) }
        if settings.rewindsWhenStopped { player?.stop() } else { player?.pause() }
        if settings.clearsBufferWhenStopped { player?.clearFrameBuffer() }
    }

    /// Sets the visibility to the user, as reported by the host.
    /// Repeats are cheap: only a change starts or stops.
    package func setVisible(_ isVisible: Bool) {
        let isChanged = state.withLock { state in
            defer { state.isVisible = isVisible }
            return state.isVisible != isVisible && state.settings.playsByItself
        }
        guard isChanged else { return }
        var isVisible = isVisible
        while true {
            if isVisible { start() } else { stop() }
            // Another thread may have changed the visibility and acted first.
            let isNow = self.isVisible
            if isNow == isVisible { return }
            isVisible = isNow
        }
    }

    private func playIfVisible() {
        if settings.playsByItself { start() }
    }

    /// See `AnimationPlayer`.
    /// The host calls one of them, depending on the clock it has chosen.
    package func tick(_ nanoseconds: UInt64) -> Bool { player?.tick(nanoseconds) ?? false }
    package func advance() -> Bool { player?.advance() ?? false }

    /// Forwards the callbacks of a player to its view.
    /// A player may outlive its view, if the host holds it; callbacks then have no effect.
    private final class Playback: PlaybackHandler {
        private let view: WeakView

        init(_ view: AnimatedView) { self.view = WeakView(view: view) }

        var wantsFrames: Bool { view.view?.handler?.wantsFrames ?? false }

        func frame(_ player: AnimationPlayer, _ index: Int, _ image: Image) {
            guard let view = view.view else { return }
            // A frame of a replaced player is not drawn over the new image.
            let number = view.state.withLock { $0.player === player ? $0.replacements : nil }
            if let number { view.notify(image, number) }
        }

        func loop(_ player: AnimationPlayer, _ count: Int) {
            guard let view = view.view, view.player === player else { return }
            view.handler?.loop(view, count)
        }
    }

    /// A box, because a class that is `Sendable` has no weak variables of its own.
    private struct WeakView: Sendable { weak var view: AnimatedView? }
}
