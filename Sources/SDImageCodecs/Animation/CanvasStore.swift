import SDImage

/// The canvases of one animation that are kept, within a number of bytes.
///
/// While frames are shown in order canvases are kept as they are, by reference: that costs nothing. Where those leave some frame
/// far away, a seek to it packs others on its way, and what was kept whole is packed when they need its room. Those that save
/// least go first where even that is too much.
struct CanvasStore {
    /// Frames that a seek may draw before more canvases are kept.
    static let reach = 3

    private let byteCount: Int
    /// Beside the latest canvas.
    private let limit: Int
    private let shelf: CanvasCache
    private var places: CanvasSelection
    /// The first of them, which are kept as they are where there is room, and all that are kept.
    private var whole: Set<Int> = []
    private var kept: Set<Int> = []
    /// Frames in the way of a seek have been too many.
    private var packs = false
    /// The process has taken what this seek wanted to keep.
    private var hasRoom = true

    init(byteCount: Int, limit: Int, of frames: FrameBudget) {
        self.byteCount = byteCount
        self.limit = max(limit - byteCount, 0)
        shelf = CanvasCache(frames)
        places = CanvasSelection([], layouts: [], count: 0)
    }

    /// Chooses which are kept.
    mutating func choose(_ dependencies: [FrameDependency], layouts: [FrameLayout]) {
        places = CanvasSelection(dependencies, layouts: layouts, count: limit / byteCount)
        whole = places.chosen
        if packs { places.choose(reach: CanvasStore.reach) }
        keepPlaces(places.order.count)
    }

    private mutating func keepPlaces(_ count: Int) {
        kept = Set(places.order.prefix(count))
        shelf.keepOnly(kept)
    }

    /// Frames of the process must be held in less memory than they take as they are.
    var isShort: Bool { shelf.isShort }

    // MARK: Canvases

    /// As it was kept, or taken out into memory that `make` gives: then nobody else has it.
    func canvas(
        at index: Int, make: () throws(ImageError) -> PixelBuffer
    ) throws(ImageError) -> (canvas: PixelBuffer, isNew: Bool)? {
        guard kept.contains(index), let canvas = shelf[index] else { return nil }
        switch canvas {
        case .whole(let pixels): return (pixels, false)
        case .indexed(let indices): return (try indices.pixels(), true)
        case .packed(let packed):
            let pixels = try make()
            try CanvasUnpacker().unpack(packed, into: pixels)
            return (pixels, true)
        }
    }

    /// A seek that draws so many frames begins: what packs canvases on its way, where it is to.
    mutating func packer(drawing frames: Int) -> CanvasPacker? {
        // What is packed may be as large as it was before anybody knows.
        guard frames > CanvasStore.reach, isShort || whole.count < places.count, byteCount <= limit else { return nil }
        if !packs {
            packs = true
            places.choose(reach: CanvasStore.reach)
            keepPlaces(places.order.count)
        }
        hasRoom = true
        // Without room for any, or without memory, the seek is as long as it was.
        return !kept.isEmpty ? try? CanvasPacker() : nil
    }

    mutating func keep(_ canvas: PixelBuffer, at index: Int, packer: CanvasPacker?) {
        guard kept.contains(index), shelf[index] == nil else { return }
        if let packer {
            guard hasRoom else { return }
            hasRoom = keepPacked(canvas, at: index, packer)
            while shelf.bytes > limit, !kept.isEmpty { makeRoom(packer) }
        } else if whole.contains(index), !isShort, shelf.bytes + canvas.heldBytes <= limit {
            shelf.keep(.whole(canvas), at: index)
        }
    }

    @discardableResult
    private func keepPacked(_ canvas: PixelBuffer, at index: Int, _ packer: CanvasPacker) -> Bool {
        shelf.keep(.packed(packer.pack(canvas, like: shelf.packed(upTo: index))), at: index)
    }

    /// Packs a canvas that is whole; else gives up the places that save least.
    private mutating func makeRoom(_ packer: CanvasPacker) {
        if let index = shelf.wholeFrame, case .whole(let pixels) = shelf[index] {
            _ = shelf.take(index)
            keepPacked(pixels, at: index, packer)
        } else {
            keepPlaces(kept.count - max(kept.count / 16, 1))
        }
    }

    // MARK: A canvas to draw on

    /// Holds on to the canvas of a frame that is on show, in order to draw on it when it no longer is; one more than the limit
    /// allows. False where the process has no room for it.
    func keepSpare(_ canvas: CachedCanvas, of index: Int) -> Bool {
        // What is kept for seeking must stay as it is.
        shelf[index] == nil && shelf.keep(canvas, at: CanvasCache.spare(of: index))
    }

    func takeSpare(of index: Int) -> CachedCanvas? { shelf.take(CanvasCache.spare(of: index)) }
}
