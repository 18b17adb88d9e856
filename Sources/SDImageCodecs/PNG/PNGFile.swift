import SDImage

/// PNG bytes that arrive: a still or an animation.
struct PNGFile: PictureStream {
    private let options: DecodeOptions
    private let coder: PNGCoder
    private var bytes = Bytes.empty
    private var animation: APNGAnimation
    private var isFinished = false
    private var still: Image?

    init(_ coder: PNGCoder, _ options: DecodeOptions) {
        self.coder = coder
        self.options = options
        animation = APNGAnimation(options)
    }

    var facts: StreamFacts {
        var facts = animation.facts
        guard isFinished, !animation.structure.isAnimated else { return facts }
        facts.frameCount = 1
        facts.loopCount = 0
        facts.durations = []
        if let still { facts.size = still.size }
        return facts
    }

    mutating func update(_ bytes: Bytes, isFinished: Bool) throws(ImageError) {
        guard !self.isFinished else { return }
        self.bytes = try bytes.kept()
        self.isFinished = isFinished
        try animation.update(bytes, isFinished: isFinished)
    }

    mutating func image(stop: StopSignal) throws(ImageError) -> Image? {
        let structure = animation.structure
        guard isFinished, !structure.isAnimated else { return try animation.image(stop: stop) }
        // Of an animation the missing frames would be missed.
        if structure.announcedFrames > 1, !structure.isEnded, !options.acceptPartial {
            throw ImageError(.truncated, "APNG data end early")
        }
        if still == nil { still = try coder.decodeStill(bytes, options: options, stop: stop) }
        return still
    }

    mutating func frame(at index: Int, stop: StopSignal) throws(ImageError) -> Image {
        guard isFinished, !animation.structure.isAnimated else { return try animation.frame(at: index, stop: stop) }
        guard index == 0, let image = try image(stop: stop) else { throw .noFrame(index, of: facts.frameCount) }
        return image
    }
}
