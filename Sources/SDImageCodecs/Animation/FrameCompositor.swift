import Glibc
import SDImage

/// Composes any frame of an animation on its canvas without drawing all frames before it.
///
/// Canvases are kept on the way: every one as long as they fit the budget, else those that save most, packed where they are many
/// (`CanvasStore`), so that a seek draws few frames; and the latest, so that playing in order draws one frame each. Canvases
/// that were handed out are shared, never changed. Where the process is short of memory for frames, the latest is kept as
/// indices between two frames, if its colours are few enough. Not synchronised.
package struct FrameCompositor {
    /// Bytes of canvases kept for one animation.
    package static let standardBudget = 8 << 20

    /// Of the canvas.
    package let size: PixelSize
    private let format: PixelFormat
    private let byteCount: Int
    /// The opaque pixel that the canvas begins with; nil when it begins transparent.
    private let background: UInt32?
    private let limits: DecodeLimits
    package private(set) var layouts: [FrameLayout] = []
    private var dependencies: [FrameDependency] = []
    private var failures: [Int: ImageError] = [:]
    private var kept: CanvasStore
    /// Frames that were added or turned out differently since places were chosen, and how many frames there were then.
    private var changes = 0
    private var placedFrames = 0
    private var latestIndex = -1
    /// nil while it is there as indices alone.
    private var latest: PixelBuffer?
    /// The canvas that was the latest when somebody last asked for indices.
    private var indexed: (index: Int, pixels: IndexedPixels)?
    /// The frame whose canvas is kept to be drawn on again; -1 for none.
    private var spareIndex = -1
    /// The frame whose canvas was the latest when nobody played any more; -1 for none.
    private var restingIndex = -1

    /// Refuses a canvas beyond the limits; allocates nothing yet. `format`: of canvases, straight or premultiplied, 8 bits
    /// with alpha; only the painter needs to know.
    package init(
        size: PixelSize, format: PixelFormat = .rgba8, background: UInt32? = nil, limits: DecodeLimits,
        budget: Int = standardBudget, of frames: FrameBudget = .shared
    ) throws(ImageError) {
        byteCount = try FrameCompositor.byteCount(size, limits: limits)
        self.size = size
        self.format = format
        self.background = background
        self.limits = limits
        kept = CanvasStore(byteCount: byteCount, limit: budget, of: frames)
    }

    /// Bytes of a canvas; refuses one beyond the limits.
    package static func byteCount(_ size: PixelSize, limits: DecodeLimits) throws(ImageError) -> Int {
        guard !size.isEmpty else { throw ImageError(.badData, "picture without pixels") }
        guard let area = size.pixelCount, area <= limits.heldPixels else {
            throw .tooLarge("canvas area in pixels", limit: limits.heldPixels)
        }
        let stride = try PixelBuffer.stride(width: size.width, format: .rgba8)
        let (bytes, overflow) = stride.multipliedReportingOverflow(by: size.height)
        guard !overflow, bytes <= limits.workingBytes else {
            throw .tooLarge("working memory in bytes", limit: limits.workingBytes)
        }
        return bytes
    }

    /// The next frame of the animation; beyond the limit of frames nothing is added.
    package mutating func append(_ layout: FrameLayout) {
        guard layouts.count < limits.frames else { return }
        layouts.append(layout)
        dependencies.append(dependency(layouts.count - 1))
        changes += 1
    }

    /// False when some pixel of the canvas may be transparent while the frame shows.
    package func isOpaque(at index: Int) -> Bool {
        dependencies.indices.contains(index) && dependencies[index].isOpaque
    }

    /// The frame turned out to have no transparent pixel, although its layout does not promise that: if it covers the
    /// canvas, those after it need none before it.
    package mutating func setOpaque(at index: Int) {
        guard layouts.indices.contains(index), !layouts[index].overwrites, layouts[index].covers(size) else { return }
        layouts[index].isOpaque = true
        revise(from: index)
    }

    /// Takes over a canvas that was drawn elsewhere.
    package mutating func adopt(_ canvas: PixelBuffer, at index: Int) {
        guard layouts.indices.contains(index), canvas.size == size, canvas.format == format,
            canvas.byteCount == byteCount
        else { return }
        store(canvas, at: index, packer: nil)
    }

    // MARK: Frames

    /// The canvas while the frame shows. A frame that cannot be decoded throws its error; those after it
    /// are drawn as if it had drawn nothing.
    package mutating func canvas(
        at index: Int, painter: some FramePainter, stop: StopSignal
    ) throws(ImageError) -> PixelBuffer {
        guard layouts.indices.contains(index) else { throw ImageError(.invalidArgument, "no frame of this number") }
        choosePlaces()
        // Every other turn has learned that some frame is not what its layout promised.
        while true {
            if let failure = failures[index] { throw failure }
            let canvas =
                if let held = try held(index) { held } else {
                    try drawChain(to: index, painter: painter, stop: stop)
                }
            guard let canvas else { continue }
            canvas.becomeResult()
            return canvas
        }
    }

    /// nil when a frame was not what was thought of it, and the chain must be thought over.
    private mutating func drawChain(
        to index: Int, painter: some FramePainter, stop: StopSignal
    ) throws(ImageError) -> PixelBuffer? {
        var chain = [index]
        var next = index
        while case .frame(let parent) = dependencies[next].base, latestIndex != parent {
            // Held here from now on: the shelf may be emptied at any time.
            if let canvas = try held(parent) {
                (latestIndex, latest) = (parent, canvas)
                break
            }
            chain.append(parent)
            next = parent
        }
        let packer = kept.packer(drawing: chain.count)
        var canvas: PixelBuffer?
        for frame in chain.reversed() {
            canvas = nil
            canvas = try draw(frame, isResult: frame == index, painter: painter, packer: packer, stop: stop)
            guard canvas != nil else { break }
        }
        return canvas
    }

    private mutating func draw(
        _ index: Int, isResult: Bool, painter: some FramePainter, packer: CanvasPacker?, stop: StopSignal
    ) throws(ImageError) -> PixelBuffer? {
        try stop.check()
        // Canvases on the way to a frame are working memory, beside what the painter takes.
        let (canvas, ground) = try ground(index, isResult ? nil : limits.account)
        if isResult { canvas.becomeResult() }
        // One that cannot be decoded takes part by its disposal alone.
        if failures[index] == nil {
            let place = FrameCanvas(canvas, layout: layouts[index], ground: ground)
            guard try paint(index, onto: place, painter, stop) else {
                layouts[index].isOpaque = false
                layouts[index].blend = .over
                revise(from: index)
                return nil
            }
        }
        ground?.finish()
        store(canvas, at: index, packer: packer)
        return canvas
    }

    /// False when the frame did not keep what its layout promised.
    private mutating func paint(
        _ index: Int, onto canvas: FrameCanvas, _ painter: some FramePainter, _ stop: StopSignal
    ) throws(ImageError) -> Bool {
        do throws(ImageError) {
            return try painter.paint(index, onto: canvas, stop: stop) || !layouts[index].overwrites
        } catch {
            guard error.isLasting else { throw error }
            failures[index] = error
            return false
        }
    }

    /// What the frame is to be drawn on; nobody else sees it. With a ground where the one below is still to be brought over.
    private mutating func ground(_ index: Int, _ account: WorkingMemory?) throws(ImageError) -> (PixelBuffer, CanvasCopy?) {
        guard case .frame(let parent) = dependencies[index].base else {
            // Its memory is the likeliest to serve again.
            if layouts[index].leavesTrace {
                forgetLatest()
                forgetSpare()
            }
            return (try emptyCanvas(dependencies[index].base, account), nil)
        }
        let (canvas, ground) =
            if let own = try takeLatest(parent, for: index) { (own, nil as CanvasCopy?) } else {
                try copy(parent, for: index, account)
            }
        guard layouts[parent].disposal == .background else { return (canvas, ground) }
        ground?.finish()
        FrameCanvas(canvas, layout: layouts[parent]).clear()
        return (canvas, nil)
    }

    /// What the first frame is drawn on.
    package func startCanvas() throws(ImageError) -> PixelBuffer { try emptyCanvas(start, nil) }

    private var start: FrameDependency.Base { background == nil ? .blank : .filled }

    private func emptyCanvas(_ base: FrameDependency.Base, _ account: WorkingMemory?) throws(ImageError) -> PixelBuffer {
        let canvas = try PixelBuffer(
            size: size, format: format, limit: limits.workingBytes, zeroed: base == .blank, account: account)
        if base == .filled, let background { FrameCanvas(canvas, layout: FrameLayout(size: size)).fill(background) }
        return canvas
    }

    /// The latest canvas itself, where nobody else has it and nothing needs it any more.
    private mutating func takeLatest(_ parent: Int, for index: Int) throws(ImageError) -> PixelBuffer? {
        guard latestIndex == parent, layouts[index].leavesTrace else { return nil }
        try bringLatest()
        guard isKnownUniquelyReferenced(&latest) else { return nil }
        defer { forgetLatest() }
        forgetSpare()
        return latest
    }

    /// The same pixels on another canvas: the one on show before, where it is to be had, which differs in what the last frame
    /// changed.
    private mutating func copy(
        _ parent: Int, for index: Int, _ account: WorkingMemory?
    ) throws(ImageError) -> (PixelBuffer, CanvasCopy) {
        guard let below = try held(parent) else { throw ImageError(.internalError, "no canvas to draw on") }
        let spare = takeSpare(before: parent)
        let canvas = if let spare { spare.canvas } else { try newCanvas(account) }
        let ground = CanvasCopy(
            canvas, below: below, stale: spare?.stale ?? PixelArea(size),
            hidden: layouts[index].overwrites ? layouts[index].area(on: size) : nil)
        return (canvas, ground)
    }

    private func newCanvas(_ account: WorkingMemory?) throws(ImageError) -> PixelBuffer {
        try PixelBuffer(size: size, format: format, limit: limits.workingBytes, account: account)
    }

    // MARK: What is kept

    private mutating func held(_ index: Int) throws(ImageError) -> PixelBuffer? {
        if latestIndex == index { return try bringLatest() }
        if let canvas = try wake(index) { return canvas }
        let (size, format, limits) = (size, format, limits)
        guard
            let (canvas, isNew) = try kept.canvas(
                at: index,
                make: { () throws(ImageError) in
                    try PixelBuffer(size: size, format: format, limit: limits.workingBytes, account: limits.account)
                })
        else { return nil }
        // What is shown next is likely to be drawn on it.
        if isNew, layouts[index].leavesTrace { (latestIndex, latest) = (index, canvas) }
        return canvas
    }

    /// The latest canvas, out of its indices where it is there as those alone.
    @discardableResult
    private mutating func bringLatest() throws(ImageError) -> PixelBuffer? {
        if latest == nil, let indexed, indexed.index == latestIndex { latest = try indexed.pixels.pixels() }
        return latest
    }

    private mutating func store(_ canvas: PixelBuffer, at index: Int, packer: CanvasPacker?) {
        if layouts[index].leavesTrace {
            if case .frame(latestIndex) = dependencies[index].base, let latest { keepSpare(latest) }
            latest = canvas
            latestIndex = index
        }
        kept.keep(canvas, at: index, packer: packer)
    }

    /// The latest canvas was copied: somebody looks at it, and will look at the next one soon.
    private mutating func keepSpare(_ canvas: PixelBuffer) {
        forgetSpare()
        if kept.keepSpare(.whole(canvas), of: latestIndex) { spareIndex = latestIndex }
    }

    private mutating func forgetSpare() {
        if spareIndex >= 0 { _ = kept.takeSpare(of: spareIndex) }
        spareIndex = -1
    }

    /// The canvas that a frame was drawn on, where nobody has it any more, and where the frame changed it.
    private mutating func takeSpare(before index: Int) -> (canvas: PixelBuffer, stale: PixelArea)? {
        let before = spareIndex
        spareIndex = -1
        guard before >= 0, case .whole(var canvas) = kept.takeSpare(of: before),
            case .frame(before) = dependencies[index].base, isKnownUniquelyReferenced(&canvas)
        else { return nil }
        return (canvas, changed(by: index, after: before))
    }

    /// Where the canvas of a frame differs from that of the one that it is drawn on.
    private func changed(by index: Int, after parent: Int) -> PixelArea {
        let cleared = layouts[parent].disposal == .background ? layouts[parent].area(on: size) : nil
        guard let drawn = layouts[index].area(on: size) else { return cleared ?? PixelArea(columns: 0..<0, rows: 0..<0) }
        return drawn.union(cleared)
    }

    private mutating func forgetLatest() {
        latest = nil
        latestIndex = -1
    }

    /// No other frame is needed soon: the latest canvas goes where the process can take it.
    package mutating func rest() {
        forgetSpare()
        if restingIndex >= 0 { _ = kept.takeSpare(of: restingIndex) }
        restingIndex = -1
        let indices = indexed.flatMap { $0.index == latestIndex ? CachedCanvas.indexed($0.pixels) : nil }
        if let canvas = latest.map({ .whole($0) }) ?? indices, kept.keepSpare(canvas, of: latestIndex) {
            restingIndex = latestIndex
        }
        forgetLatest()
        indexed = nil
    }

    /// The latest again, where it is still there.
    private mutating func wake(_ index: Int) throws(ImageError) -> PixelBuffer? {
        guard restingIndex == index else { return nil }
        restingIndex = -1
        switch kept.takeSpare(of: index) {
        case .whole(let canvas): latest = canvas
        case .indexed(let indices): latest = try indices.pixels()
        default: return nil
        }
        latestIndex = index
        return latest
    }

    /// Lets go of the latest canvas, unless it is the memory of a picture that is there anyway: nobody would count it.
    package mutating func keep(only picture: PixelBuffer) {
        guard latest !== picture else { return }
        forgetLatest()
        indexed = nil
    }

    // MARK: Short of memory

    /// The canvas of a frame as indices, for one who holds it, where the process is short of memory for frames and its colours are
    /// few enough. Then nothing else of it is kept.
    package mutating func indices(of canvas: PixelBuffer, at index: Int) -> IndexedPixels? {
        guard kept.isShort, layouts.indices.contains(index) else {
            if latest != nil { indexed = nil }
            return nil
        }
        if let latest {
            guard let pixels = indices(latest, latestIndex) else { return nil }
            indexed = (latestIndex, pixels)
            self.latest = nil
            forgetSpare()
        }
        return indices(canvas, index)
    }

    private func indices(_ canvas: PixelBuffer, _ index: Int) -> IndexedPixels? {
        guard let indexed else { return IndexedPixels.of(canvas) }
        if indexed.index == index { return indexed.pixels }
        guard dependencies[index].base == .frame(indexed.index) else { return IndexedPixels.of(canvas) }
        return IndexedPixels.of(canvas, before: indexed.pixels, changed: changed(by: index, after: indexed.index))
    }

    private func dependency(_ index: Int) -> FrameDependency {
        FrameDependency(index, layouts: layouts, earlier: dependencies, canvas: size, start: start)
    }

    /// The frame at `index` turned out differently: so may those after it. No canvas that is kept was drawn on it.
    private mutating func revise(from index: Int) {
        for frame in index..<layouts.count {
            let dependency = dependency(frame)
            if frame > index, dependency == dependencies[frame] { break }
            dependencies[frame] = dependency
        }
        changes += 1
    }

    /// Where much has changed.
    private mutating func choosePlaces() {
        guard changes > placedFrames / 8 else { return }
        kept.choose(dependencies, layouts: layouts)
        (changes, placedFrames) = (0, layouts.count)
    }
}
