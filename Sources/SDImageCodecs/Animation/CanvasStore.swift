import SDImage

/// The canvases kept for one animation, within a limit of bytes.
///
/// While frames are played in order, canvases are kept uncompressed and by reference, which costs nothing. If that leaves some
/// frame too far from a kept canvas, a seek to it packs others on its way, and uncompressed canvases are packed when their memory
/// is needed. If even that exceeds the limit, the least valuable canvases are removed first. Canvases that hardly compress stay
/// uncompressed. Belongs to one `FrameCompositor`, on its thread. The canvases themselves are in the `CanvasCache`, from which
/// the frame budget of the process may drop them at any time.
struct CanvasStore {
    /// Number of frames that a seek may draw before more canvases are kept.
    static let reach = 3
    /// Packed size up to which packing always pays.
    private static let smallBytes = 64 << 10

    /// Bytes of an uncompressed canvas.
    private let byteCount: Int
    /// Byte limit of the kept canvases, in addition to the latest canvas.
    private let limit: Int
    private let cache: CanvasCache
    /// The frames whose canvases are worth keeping, in order of value.
    private var selection: CanvasSelection
    /// Frames whose canvases are kept uncompressed while memory allows, and all frames whose canvases are kept.
    private var whole: Set<Int> = []
    private var selected: Set<Int> = []
    /// True after a seek had to draw too many frames.
    private var packs = false
    /// False after canvases turned out to compress so little that unpacking one takes longer than the drawing that it saves.
    private var packingPays = true
    /// False after the process-wide budget refused a canvas of this seek.
    private var hasRoom = true

    /// `byteCount`: bytes of a canvas. `limit`: bytes of all canvases, the latest included.
    init(byteCount: Int, limit: Int, of frames: FrameBudget) {
        self.byteCount = byteCount
        self.limit = max(limit - byteCount, 0)
        cache = CanvasCache(frames)
        selection = CanvasSelection([], layouts: [], count: 0)
    }

    /// Chooses the canvases to keep.
    mutating func choose(_ dependencies: [FrameDependency], layouts: [FrameLayout]) {
        selection = CanvasSelection(dependencies, layouts: layouts, count: limit / byteCount)
        whole = selection.chosen
        if packs { selection.choose(reach: CanvasStore.reach) }
        select(selection.order.count)
    }

    /// Keeps the `count` most valuable canvases only.
    private mutating func select(_ count: Int) {
        selected = Set(selection.order.prefix(count))
        cache.keepOnly(selected)
    }

    /// True when the process must keep frames in less memory than they take uncompressed.
    var isShort: Bool { cache.isShort }

    // MARK: Canvases

    /// True when the canvas of the frame is kept.
    func holds(_ index: Int) -> Bool { selected.contains(index) && cache[index] != nil }

    /// Returns a kept canvas, unpacked if necessary into memory from `make`. `isNew` means that the caller holds the only
    /// reference.
    func canvas(
        at index: Int, make: () throws(ImageError) -> PixelBuffer
    ) throws(ImageError) -> (canvas: PixelBuffer, isNew: Bool)? {
        guard selected.contains(index), let canvas = cache[index] else { return nil }
        switch canvas {
        case .whole(let pixels): return (pixels, false)
        case .indexed(let indices): return (try indices.pixels(), true)
        case .packed(let packed):
            let pixels = try make()
            try CanvasUnpacker().unpack(packed, into: pixels)
            return (pixels, true)
        }
    }

    /// Begins a seek that draws this many frames. Returns the packer for canvases on the way, or nil when none are to be packed.
    mutating func packer(drawing frames: Int) -> CanvasPacker? {
        // The packed size is unknown in advance and may equal the original size.
        guard frames > CanvasStore.reach, isShort || packingPays && whole.count < selection.count, byteCount <= limit else {
            return nil
        }
        if !packs {
            packs = true
            selection.choose(reach: CanvasStore.reach)
            select(selection.order.count)
        }
        hasRoom = true
        // Without room or memory for canvases, seeks keep their length.
        return !selected.isEmpty ? try? CanvasPacker() : nil
    }

    /// Offers the canvas of a frame that was just drawn. It is kept if it was selected and there is room.
    mutating func keep(_ canvas: PixelBuffer, at index: Int, packer: CanvasPacker?) {
        guard selected.contains(index), cache[index] == nil else { return }
        // During a seek with a packer, all selected canvases on the way are packed, until the budget refuses one.
        if let packer, packs {
            guard hasRoom else { return }
            hasRoom = keepPacked(canvas, at: index, packer)
            while cache.bytes > limit, !selected.isEmpty { makeRoom(packer) }
        } else if whole.contains(index), !isShort, cache.bytes + canvas.heldBytes <= limit {
            cache.keep(.whole(canvas), at: index)
        }
    }

    /// Packs and keeps a canvas; false if it was not kept.
    @discardableResult
    private mutating func keepPacked(_ canvas: PixelBuffer, at index: Int, _ packer: CanvasPacker) -> Bool {
        let earlier = cache.packed(upTo: index)
        let packed = CachedCanvas.packed(packer.pack(canvas, like: earlier))
        guard earlier == nil || isShort || pays(cache.growth(packed)) else {
            keepWhole()
            return false
        }
        return cache.keep(packed, at: index)
    }

    /// True if packed canvases of this size save more drawing than fewer canvases as pixels. Unpacking pixels that deflate to more
    /// than half takes as long as drawing about two frames: measured for photographs in WebP. Small canvases are packed anyway.
    private func pays(_ bytes: Int) -> Bool {
        bytes <= max(byteCount / 2, CanvasStore.smallBytes) || selection.count * (byteCount - bytes) > 4 * whole.count * byteCount
    }

    /// Gives up packing: keeps fewer canvases, uncompressed.
    private mutating func keepWhole() {
        (packs, packingPays) = (false, false)
        cache.keepOnly([])
        select(whole.count)
    }

    /// Packs an uncompressed canvas; if there is none, removes the least valuable canvases.
    private mutating func makeRoom(_ packer: CanvasPacker) {
        if let index = cache.wholeFrame, case .whole(let pixels) = cache[index] {
            _ = cache.take(index)
            keepPacked(pixels, at: index, packer)
        } else {
            select(selected.count - max(selected.count / 16, 1))
        }
    }

    // MARK: A canvas to draw on

    /// Keeps the canvas of a displayed frame, to draw on it when it is no longer displayed; one canvas more than the limit
    /// allows. False when the process-wide budget refuses it.
    func keepSpare(_ canvas: CachedCanvas, of index: Int) -> Bool {
        // Canvases kept for seeking must stay unchanged.
        cache[index] == nil && cache.keep(canvas, at: CanvasCache.spare(of: index))
    }

    /// Removes the spare canvas; nil if the budget has dropped it.
    func takeSpare(of index: Int) -> CachedCanvas? { cache.take(CanvasCache.spare(of: index)) }
}
