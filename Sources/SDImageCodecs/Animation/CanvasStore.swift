import SDImage

/// The canvases kept for one animation, within a limit of bytes.
///
/// While frames are played in order, canvases are kept uncompressed and by reference, which costs nothing. If that leaves some
/// frame too far from a kept canvas, a seek to it packs others on its way, and uncompressed canvases are packed when their memory
/// is needed. If even that exceeds the limit, the least valuable canvases are removed first.
struct CanvasStore {
    /// Number of frames that a seek may draw before more canvases are kept.
    static let reach = 3

    private let byteCount: Int
    /// Byte limit of the kept canvases, in addition to the latest canvas.
    private let limit: Int
    private let shelf: CanvasCache
    private var places: CanvasSelection
    /// Frames whose canvases are kept uncompressed while memory allows, and all frames whose canvases are kept.
    private var whole: Set<Int> = []
    private var kept: Set<Int> = []
    /// True after a seek had to draw too many frames.
    private var packs = false
    /// False after the process-wide budget refused a canvas of this seek.
    private var hasRoom = true

    init(byteCount: Int, limit: Int, of frames: FrameBudget) {
        self.byteCount = byteCount
        self.limit = max(limit - byteCount, 0)
        shelf = CanvasCache(frames)
        places = CanvasSelection([], layouts: [], count: 0)
    }

    /// Chooses the canvases to keep.
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

    /// True when the process must keep frames in less memory than they take uncompressed.
    var isShort: Bool { shelf.isShort }

    // MARK: Canvases

    /// Returns a kept canvas, unpacked if necessary into memory from `make`. `isNew` means that the caller holds the only
    /// reference.
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

    /// Begins a seek that draws this many frames. Returns the packer for canvases on the way, or nil when none are to be packed.
    mutating func packer(drawing frames: Int) -> CanvasPacker? {
        // The packed size is unknown in advance and may equal the original size.
        guard frames > CanvasStore.reach, isShort || whole.count < places.count, byteCount <= limit else { return nil }
        if !packs {
            packs = true
            places.choose(reach: CanvasStore.reach)
            keepPlaces(places.order.count)
        }
        hasRoom = true
        // Without room or memory for canvases, seeks keep their length.
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

    /// Packs an uncompressed canvas; if there is none, removes the least valuable canvases.
    private mutating func makeRoom(_ packer: CanvasPacker) {
        if let index = shelf.wholeFrame, case .whole(let pixels) = shelf[index] {
            _ = shelf.take(index)
            keepPacked(pixels, at: index, packer)
        } else {
            keepPlaces(kept.count - max(kept.count / 16, 1))
        }
    }

    // MARK: A canvas to draw on

    /// Keeps the canvas of a displayed frame, to draw on it when it is no longer displayed; one canvas more than the limit
    /// allows. False when the process-wide budget refuses it.
    func keepSpare(_ canvas: CachedCanvas, of index: Int) -> Bool {
        // Canvases kept for seeking must stay unchanged.
        shelf[index] == nil && shelf.keep(canvas, at: CanvasCache.spare(of: index))
    }

    func takeSpare(of index: Int) -> CachedCanvas? { shelf.take(CanvasCache.spare(of: index)) }
}
