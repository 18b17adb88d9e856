/// What a widget is told to draw; called on the thread that sets, ticks or advances, or on the clock's dispatcher.
package protocol AnimatedViewHandler: AnyObject, Sendable {
    /// False where `show` does nothing.
    var wantsFrames: Bool { get }
    /// nil: nothing.
    func show(_ view: AnimatedView, _ image: Image?)
    func loop(_ view: AnimatedView, _ count: Int)
}

/// A picture in a widget, moving or not, also while it arrives: the rules of who plays when.
package final class AnimatedView: Sendable {
    package struct Settings: Sendable {
        /// Plays while it is visible.
        package var playsByItself = true
        /// In place of what the picture says.
        package var loopLimit: Int?
        /// Moves while the picture arrives; else its first frame is shown.
        package var isIncremental = true
        package var clearsBufferWhenStopped = false
        package var rewindsWhenStopped = false
        /// Done to every frame of the next picture.
        package var change: FrameChange?
        package var playback = PlaybackSettings()
    }

    private struct State {
        var settings = Settings()
        var image: Image?
        var poster: Image?
        var player: AnimationPlayer?
        /// The picture is arriving, and the player follows.
        var isProgressive = false
        var isVisible = true
        var clock: (any PlaybackClock)?
        /// Rise with every change of `settings`, and of what is shown.
        var settingsChanges: UInt64 = 0
        var replacements: UInt64 = 0
    }

    private let handler: (any AnimatedViewHandler)?
    private let budget: FrameBudget
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
    package var isAnimating: Bool { player?.isPlaying ?? false }
    package var clock: (any PlaybackClock)? { state.withLock { $0.clock } }
    /// What is to be drawn.
    package var image: Image? {
        let (player, poster) = state.withLock { ($0.player, $0.poster) }
        return player?.frame ?? poster
    }

    /// Holds for the player of the picture that is shown, too.
    package func change(_ body: (inout Settings) -> Void) {
        let (old, player) = state.withLock { state in
            let old = state.settings
            body(&state.settings)
            state.settingsChanges += 1
            return (old, state.player)
        }
        withExtendedLifetime(old) {}
        if let player { applySettings(to: player) }
    }

    /// Applies the settings to a player. Another thread may change them meanwhile and apply its own first: repeats until what it
    /// applied is the newest.
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

    /// Gives the clock to the player that is shown. Another thread may replace either meanwhile: a player that is no longer shown
    /// gives the clock back, and the one that is shown sets it again.
    private func giveClock(to player: AnimationPlayer) {
        while true {
            let (shown, clock) = state.withLock { ($0.player, $0.clock) }
            player.setClock(shown === player ? clock : nil)
            if let shown, shown !== player { shown.settle() }
            let isDone = state.withLock { $0.player === shown && $0.clock === clock }
            if isDone { return }
        }
    }

    // MARK: Pictures

    /// Shows another picture, or nothing. The same object again changes nothing.
    package func setImage(_ image: Image?) throws(ImageError) {
        let (before, player, settings, wasProgressive) = state.withLock {
            ($0.image, $0.player, $0.settings, $0.isProgressive)
        }
        guard image !== before else { return }
        let follows = image.map { isPart($0, of: before, settings) } ?? false
        if follows, wasProgressive, let player, continues(player, with: image) {
            // The frame that shows stays, and what has come is played on.
            player.update()
            if !player.isPlaying { playIfVisible() }
            return
        }
        try replace(image, isProgressive: follows)
    }

    /// Shows nothing where a picture is refused: what was shown before is another one.
    package func show(_ image: Image?) {
        do throws(ImageError) { try setImage(image) } catch {
            Log.write(.warning, "a view stays empty: \(error.message.string) (\(error.status))")
            // Without a picture there is nothing to refuse.
            try? setImage(nil)
        }
    }

    private func replace(_ image: Image?, isProgressive: Bool) throws(ImageError) {
        let (settings, changes) = state.withLock { ($0.settings, $0.settingsChanges) }
        let isStill = image.map { $0.metadata.isIncremental && !isProgressive } ?? true
        let player = isStill ? nil : try image.flatMap { image throws(ImageError) in try makePlayer(image, settings) }
        let poster = try image.map { image throws(ImageError) in try firstPicture(image, settings) }
        let (old, isChanged, number) = state.withLock { state in
            let old = (state.image, state.poster, state.player)
            (state.image, state.poster, state.player) = (image, poster, player)
            state.isProgressive = isProgressive && player != nil
            state.replacements += 1
            return (old, state.settingsChanges != changes, state.replacements)
        }
        if let old = old.2 {
            giveClock(to: old)
            old.pause()
        }
        if let player {
            if isChanged { applySettings(to: player) }
            giveClock(to: player)
        }
        tell(poster, number)
        playIfVisible()
    }

    /// Takes the next part for the player that is shown; false where another thread has replaced that meanwhile.
    private func continues(_ player: AnimationPlayer, with image: Image?) -> Bool {
        let (isShown, old) = state.withLock { state -> (Bool, Image?) in
            guard state.player === player else { return (false, nil) }
            defer { state.image = image }
            return (true, state.image)
        }
        withExtendedLifetime(old) {}
        return isShown
    }

    /// Tells the host what is to be drawn. Another thread may replace that meanwhile and tell the host first: repeats until what
    /// was told last is what is shown.
    private func tell(_ image: Image?, _ number: UInt64) {
        var (image, number) = (image, number)
        while true {
            handler?.show(self, image)
            let newest = state.withLock { $0.replacements }
            if newest == number { return }
            (image, number) = (self.image, newest)
        }
    }

    /// Whether a picture is a part from which the one before it grew, or the first of its kind.
    private func isPart(_ image: Image, of before: Image?, _ settings: Settings) -> Bool {
        guard settings.isIncremental, image.metadata.isIncremental, let frames = image.frames else { return false }
        // A still before it was a placeholder, or a part without a frame that could move. The last part may be whole.
        guard let others = before?.frames else { return frames.isGrowing }
        // Each part of a transformed picture has changed frames of its own.
        return others.root === frames.root
    }

    private func makePlayer(_ image: Image, _ settings: Settings) throws(ImageError) -> AnimationPlayer? {
        guard let frames = image.frames, frames.frameCount > 1 || frames.isGrowing else { return nil }
        let own = FrameSource(image)
        let source = settings.change.map { own.changed(by: $0) } ?? own
        let player = try AnimationPlayer(source, handler: Playback(self), budget: budget, lease: lease)
        apply(settings, to: player)
        return player
    }

    private func firstPicture(_ image: Image, _ settings: Settings) throws(ImageError) -> Image {
        guard let change = settings.change, image.frames != nil else { return image }
        let stop = StopSignal()
        stop.allow(nanoseconds: CallTimeLimits.frame)
        return try change.apply(image.still, stop)
    }

    private func apply(_ settings: Settings, to player: AnimationPlayer) {
        player.change { $0 = settings.playback }
        player.setLoopLimit(settings.loopLimit)
    }

    // MARK: Playing

    /// Nothing while it is invisible.
    package func start() {
        guard let player = state.withLock({ $0.isVisible ? $0.player : nil }) else { return }
        player.start()
        // Another thread may have hidden the view or replaced its player meanwhile, and paused before this started.
        if state.withLock({ !$0.isVisible && $0.settings.playsByItself || $0.player !== player }) { player.pause() }
    }

    /// Pauses, or what else the settings say.
    package func stop() {
        let (player, settings) = state.withLock { ($0.player, $0.settings) }
        if settings.rewindsWhenStopped { player?.stop() } else { player?.pause() }
        if settings.clearsBufferWhenStopped { player?.clearFrameBuffer() }
    }

    /// Whether the user can see it, as the host knows.
    package func setVisible(_ isVisible: Bool) {
        let isChanged = state.withLock { state in
            defer { state.isVisible = isVisible }
            return state.isVisible != isVisible && state.settings.playsByItself
        }
        guard isChanged else { return }
        var isVisible = isVisible
        while true {
            if isVisible { start() } else { stop() }
            // Another thread may have changed it, and acted first.
            let isNow = self.isVisible
            if isNow == isVisible { return }
            isVisible = isNow
        }
    }

    private func playIfVisible() {
        if settings.playsByItself { start() }
    }

    /// See `AnimationPlayer`.
    package func tick(_ nanoseconds: UInt64) -> Bool { player?.tick(nanoseconds) ?? false }
    package func advance() -> Bool { player?.advance() ?? false }

    /// What the player of a view tells it.
    private final class Playback: PlaybackHandler {
        private let view: WeakView

        init(_ view: AnimatedView) { self.view = WeakView(view: view) }

        var wantsFrames: Bool { view.view?.handler?.wantsFrames ?? false }

        func frame(_ player: AnimationPlayer, _ index: Int, _ image: Image) {
            guard let view = view.view else { return }
            let number = view.state.withLock { $0.player === player ? $0.replacements : nil }
            if let number { view.tell(image, number) }
        }

        func loop(_ player: AnimationPlayer, _ count: Int) {
            guard let view = view.view, view.player === player else { return }
            view.handler?.loop(view, count)
        }
    }

    private struct WeakView: Sendable { weak var view: AnimatedView? }
}
