import Glibc
import SDImage

/// Composes any frame of an animation on its canvas without drawing all frames before it.
///
/// Canvases are kept on the way. As long as all fit the budget, every canvas is kept; otherwise those that save most, packed if
/// there are many (`CanvasStore`), so that a seek draws few frames. The latest canvas is kept too, so that sequential playback
/// draws one frame each time. Returned canvases are shared and never changed. When the process is short of memory for frames, the
/// latest canvas is kept as indices between two frames, if it has few enough colors. Not synchronized.
package struct FrameCompositor {
    /// Bytes of canvases kept for one animation.
    package static let standardBudget = 8 << 20

    /// Size of the canvas.
    package let size: PixelSize
    private let format: PixelFormat
    private let byteCount: Int
    private let limits: DecodeLimits
    package private(set) var layouts: [FrameLayout] = []
    private var dependencies: [FrameDependency] = []
    /// Errors of frames that cannot be decoded.
    private var failures: [Int: ImageError] = [:]
    private var store: CanvasStore
    /// Number of frames added or revised since canvases were last chosen, and the number of frames at that time.
    private var changes = 0
    private var placedFrames = 0
    private var latestIndex = -1
    /// The latest canvas; nil while it is only held as indices.
    private var latest: PixelBuffer?
    /// The latest canvas as indices, from the last time they were requested.
    private var indexed: (index: Int, pixels: IndexedPixels)?
    /// Index of the frame whose canvas is kept to be drawn on again; -1 for none.
    private var spareIndex = -1
    /// Index of the frame whose canvas was the latest when playback stopped; -1 for none.
    private var restingIndex = -1
    /// Index of the frame requested last.
    private var requested = -1
    private let makeAhead: @Sendable () -> FramesAhead
    /// The frames needed next; nil until some are.
    private var ahead: FramesAhead?

    /// Refuses a canvas beyond the limits; allocates nothing yet. `format` is the format of canvases: 8 bits with alpha, straight
    /// or premultiplied. Only the painter depends on it.
    package init(
        size: PixelSize, format: PixelFormat = .rgba8, limits: DecodeLimits,
        budget: Int = standardBudget, of frames: FrameBudget = .shared,
        workers: @escaping @Sendable () -> WorkPool? = WorkPool.idle
    ) throws(ImageError) {
        byteCount = try FrameCompositor.byteCount(size, limits: limits)
        self.size = size
        self.format = format
        self.limits = limits
        makeAhead = { FramesAhead(frames, workers: workers) }
        store = CanvasStore(byteCount: byteCount, limit: budget, of: frames)
    }

    /// Appends the next frame of the animation; ignored beyond the frame limit.
    package mutating func append(_ layout: FrameLayout) {
        guard layouts.count < limits.frames else { return }
        layouts.append(layout)
        dependencies.append(dependency(layouts.count - 1))
        changes += 1
    }

    /// False when a pixel of the canvas may be transparent while the frame is displayed.
    package func isOpaque(at index: Int) -> Bool {
        dependencies.indices.contains(index) && dependencies[index].isOpaque
    }

    /// Records that a frame has no transparent pixel although its layout does not promise that. If it covers the canvas, later
    /// frames do not depend on earlier ones.
    package mutating func setOpaque(at index: Int) {
        guard layouts.indices.contains(index), !layouts[index].overwrites, layouts[index].covers(size) else { return }
        layouts[index].isOpaque = true
        revise(from: index)
    }

    /// Adopts a canvas that was drawn elsewhere.
    package mutating func adopt(_ canvas: PixelBuffer, at index: Int) {
        guard layouts.indices.contains(index), canvas.size == size, canvas.format == format,
            canvas.byteCount == byteCount
        else { return }
        store(canvas, at: index, packer: nil)
    }

    // MARK: Frames

    /// Returns the canvas while the frame is displayed. A frame that cannot be decoded throws its error; later frames are
    /// composed as if it had drawn nothing. `isPaced`: frames are requested before they are due, so that none is decoded ahead.
    package mutating func canvas(
        at index: Int, painter: any FramePainter, isPaced: Bool = true, stop: CancellationToken
    ) throws(ImageError) -> PixelBuffer {
        guard layouts.indices.contains(index) else {
            throw ImageError(.invalidArgument, "frame: index \(index) is out of range (count \(layouts.count))")
        }
        choosePlaces()
        let upcoming = isPaced || index == 0 || index != requested + 1 ? 0 : FramesAhead.window
        requested = index
        // Repeats only after a frame turned out to differ from its layout.
        while true {
            if let failure = failures[index] { throw failure }
            let canvas =
                if let held = try held(index) { held } else {
                    try drawChain(to: index, upcoming: upcoming, painter: painter, stop: stop)
                }
            guard let canvas else { continue }
            canvas.becomeResult()
            return canvas
        }
    }

    /// Draws the frames that lead to `index`; that number of `upcoming` frames is likely to be requested next. Returns nil when a
    /// frame differed from its layout and the dependencies were revised.
    private mutating func drawChain(
        to index: Int, upcoming: Int, painter: any FramePainter, stop: CancellationToken
    ) throws(ImageError) -> PixelBuffer? {
        var chain = [index]
        var next = index
        while case .frame(let parent) = dependencies[next].base, latestIndex != parent {
            // A reference is held from here on, because the cache may be emptied at any time.
            if let canvas = try held(parent) {
                (latestIndex, latest) = (parent, canvas)
                break
            }
            chain.append(parent)
            next = parent
        }
        let packer = store.packer(drawing: chain.count)
        chain.reverse()
        let frames = chain + (index + 1..<min(index + 1 + upcoming, layouts.count)).filter { !store.holds($0) }
        var canvas: PixelBuffer?
        for (position, frame) in chain.enumerated() {
            canvas = nil
            expect(frames[(position + 1)...], after: frame, painter)
            canvas = try draw(frame, isResult: frame == index, painter: painter, packer: packer, stop: stop)
            guard canvas != nil else { break }
        }
        return canvas
    }

    /// Has idle workers decode the frames that are drawn after `index`.
    private mutating func expect(_ frames: ArraySlice<Int>, after index: Int, _ painter: any FramePainter) {
        guard ahead != nil || !frames.isEmpty else { return }
        // Frames ahead must not take the memory that the frame itself needs.
        let isLarge = layouts[index].size.pixelCount ?? .max > limits.workingBytes / 8
        let sound = store.isShort || isLarge ? [] : frames.prefix(FramesAhead.window).filter { failures[$0] == nil }
        let jobs = FramesAhead.jobs(sound, layouts, painter, canvasBytes: byteCount, limits: limits)
        if ahead == nil, !jobs.isEmpty { ahead = makeAhead() }
        ahead?.expect(jobs, after: index)
    }

    /// Draws one frame on its base and keeps the canvas. nil when the frame differed from its layout.
    private mutating func draw(
        _ index: Int, isResult: Bool, painter: any FramePainter, packer: CanvasPacker?, stop: CancellationToken
    ) throws(ImageError) -> PixelBuffer? {
        try stop.check()
        // Intermediate canvases count as working memory, in addition to the memory of the painter.
        let (canvas, background) = try background(index, isResult ? nil : limits.account)
        if isResult { canvas.becomeResult() }
        // A frame that cannot be decoded only contributes its disposal.
        if failures[index] == nil {
            let frameCanvas = FrameCanvas(canvas, layout: layouts[index], background: background)
            guard try paint(index, onto: frameCanvas, painter, stop) else {
                layouts[index].isOpaque = false
                layouts[index].blend = .over
                revise(from: index)
                return nil
            }
        }
        background?.finish()
        store(canvas, at: index, packer: packer)
        return canvas
    }

    /// False when the frame differed from its layout.
    private mutating func paint(
        _ index: Int, onto canvas: FrameCanvas, _ painter: any FramePainter, _ stop: CancellationToken
    ) throws(ImageError) -> Bool {
        do throws(ImageError) {
            guard let pixels = try ahead?.take(index, stop: stop) else {
                return try painter.paint(index, onto: canvas, stop: stop) || !layouts[index].overwrites
            }
            try painter.paint(index, from: pixels, onto: canvas)
            return true
        } catch {
            guard error.isLasting else {
                ahead?.cancel()
                throw error
            }
            failures[index] = error
            return false
        }
    }

    /// Returns the canvas to draw the frame on, owned by the caller, and a copier when the base is still to be copied.
    private mutating func background(_ index: Int, _ account: WorkingMemory?) throws(ImageError) -> (PixelBuffer, CanvasCopy?) {
        guard case .frame(let parent) = dependencies[index].base else {
            // The memory of the latest canvas is the most likely to be reused by the allocator.
            if layouts[index].leavesTrace {
                forgetLatest()
                forgetSpare()
            }
            return (try newCanvas(zeroed: dependencies[index].base == .blank, account), nil)
        }
        let (canvas, background) =
            if let own = try takeLatest(parent, for: index) { (own, nil as CanvasCopy?) } else {
                try copy(parent, for: index, account)
            }
        guard layouts[parent].disposal == .background else { return (canvas, background) }
        background?.finish()
        FrameCanvas(canvas, layout: layouts[parent]).clear()
        return (canvas, nil)
    }

    /// Returns the canvas that the first frame is drawn on.
    package func startCanvas() throws(ImageError) -> PixelBuffer { try newCanvas(zeroed: true, nil) }

    /// Returns the latest canvas itself if nothing else references or needs it.
    private mutating func takeLatest(_ parent: Int, for index: Int) throws(ImageError) -> PixelBuffer? {
        guard latestIndex == parent, layouts[index].leavesTrace else { return nil }
        try bringLatest()
        guard isKnownUniquelyReferenced(&latest) else { return nil }
        defer { forgetLatest() }
        forgetSpare()
        return latest
    }

    /// Returns a copy of the canvas. Reuses the previously displayed canvas if available, which only differs where the last frame
    /// changed it.
    private mutating func copy(
        _ parent: Int, for index: Int, _ account: WorkingMemory?
    ) throws(ImageError) -> (PixelBuffer, CanvasCopy) {
        guard let below = try held(parent) else { throw ImageError(.internalError, "animation: frame \(parent) has no canvas") }
        let spare = takeSpare(before: parent)
        let canvas = if let spare { spare.canvas } else { try newCanvas(zeroed: false, account) }
        let background = CanvasCopy(
            canvas, below: below, stale: spare?.stale ?? PixelArea(size),
            hidden: layouts[index].overwrites ? layouts[index].area(on: size) : nil)
        return (canvas, background)
    }

    private func newCanvas(zeroed: Bool, _ account: WorkingMemory?) throws(ImageError) -> PixelBuffer {
        try PixelBuffer(size: size, format: format, limit: limits.workingBytes, zeroed: zeroed, account: account)
    }

    // MARK: Kept canvases

    /// Returns the canvas of a frame if it is kept; nil otherwise.
    private mutating func held(_ index: Int) throws(ImageError) -> PixelBuffer? {
        if latestIndex == index { return try bringLatest() }
        if let canvas = try wake(index) { return canvas }
        let (size, format, limits) = (size, format, limits)
        guard
            let (canvas, isNew) = try store.canvas(
                at: index,
                make: { () throws(ImageError) in
                    try PixelBuffer(size: size, format: format, limit: limits.workingBytes, account: limits.account)
                })
        else { return nil }
        // The next frame is likely to be drawn on this canvas.
        if isNew, layouts[index].leavesTrace { (latestIndex, latest) = (index, canvas) }
        return canvas
    }

    /// Returns the latest canvas; converts it from indices if only those are held.
    @discardableResult
    private mutating func bringLatest() throws(ImageError) -> PixelBuffer? {
        if latest == nil, let indexed, indexed.index == latestIndex { latest = try indexed.pixels.pixels() }
        return latest
    }

    /// Keeps a canvas that was drawn, as the latest one and in the store.
    private mutating func store(_ canvas: PixelBuffer, at index: Int, packer: CanvasPacker?) {
        if layouts[index].leavesTrace {
            if case .frame(latestIndex) = dependencies[index].base, let latest { keepSpare(latest) }
            latest = canvas
            latestIndex = index
        }
        store.keep(canvas, at: index, packer: packer)
    }

    /// Keeps the latest canvas as a spare. It was copied, so it is displayed and its successor is likely to be needed soon.
    private mutating func keepSpare(_ canvas: PixelBuffer) {
        forgetSpare()
        if store.keepSpare(.whole(canvas), of: latestIndex) { spareIndex = latestIndex }
    }

    private mutating func forgetSpare() {
        if spareIndex >= 0 { _ = store.takeSpare(of: spareIndex) }
        spareIndex = -1
    }

    /// Returns the canvas that a frame was drawn on, if it is no longer referenced elsewhere, and the area that the frame
    /// changed.
    private mutating func takeSpare(before index: Int) -> (canvas: PixelBuffer, stale: PixelArea)? {
        let before = spareIndex
        spareIndex = -1
        guard before >= 0, case .whole(var canvas) = store.takeSpare(of: before),
            case .frame(before) = dependencies[index].base, isKnownUniquelyReferenced(&canvas)
        else { return nil }
        return (canvas, changed(by: index, after: before))
    }

    /// The area in which the canvas of a frame differs from the canvas that it is drawn on.
    private func changed(by index: Int, after parent: Int) -> PixelArea {
        let cleared = layouts[parent].disposal == .background ? layouts[parent].area(on: size) : nil
        guard let drawn = layouts[index].area(on: size) else { return cleared ?? PixelArea(columns: 0..<0, rows: 0..<0) }
        return drawn.union(cleared)
    }

    private mutating func forgetLatest() {
        latest = nil
        latestIndex = -1
    }

    /// Called when no other frame is needed soon: hands the latest canvas to the process-wide cache if there is room.
    package mutating func rest() {
        ahead?.cancel()
        forgetSpare()
        if restingIndex >= 0 { _ = store.takeSpare(of: restingIndex) }
        restingIndex = -1
        let indices = indexed.flatMap { $0.index == latestIndex ? CachedCanvas.indexed($0.pixels) : nil }
        if let canvas = latest.map({ .whole($0) }) ?? indices, store.keepSpare(canvas, of: latestIndex) {
            restingIndex = latestIndex
        }
        forgetLatest()
        indexed = nil
    }

    /// Restores the latest canvas after `rest` if it is still cached.
    private mutating func wake(_ index: Int) throws(ImageError) -> PixelBuffer? {
        guard restingIndex == index else { return nil }
        restingIndex = -1
        switch store.takeSpare(of: index) {
        case .whole(let canvas): latest = canvas
        case .indexed(let indices): latest = try indices.pixels()
        default: return nil
        }
        latestIndex = index
        return latest
    }

    /// Releases the latest canvas, which no budget counts, unless it is the memory of `pixels`, which exists anyway.
    package mutating func keep(only pixels: PixelBuffer) {
        guard latest !== pixels else { return }
        forgetLatest()
        indexed = nil
    }

    // MARK: Memory shortage

    /// Returns the canvas of a frame as indices, when the process is short of memory for frames and the canvas has few enough
    /// colors. The latest canvas is then only kept as indices.
    package mutating func indices(of canvas: PixelBuffer, at index: Int) -> IndexedPixels? {
        guard store.isShort, layouts.indices.contains(index) else {
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
        FrameDependency(index, layouts: layouts, earlier: dependencies, canvas: size)
    }

    /// Updates the dependencies from `index` on, after that frame changed. No kept canvas was drawn on it.
    private mutating func revise(from index: Int) {
        for frame in index..<layouts.count {
            let dependency = dependency(frame)
            if frame > index, dependency == dependencies[frame] { break }
            dependencies[frame] = dependency
        }
        changes += 1
    }

    /// Chooses canvases again if many frames changed.
    private mutating func choosePlaces() {
        guard changes > placedFrames / 8 else { return }
        store.choose(dependencies, layouts: layouts)
        (changes, placedFrames) = (0, layouts.count)
    }
}
