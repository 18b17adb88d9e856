import Glibc
import SDImage

/// Where the inflated bytes of a picture come from: this thread, or another.
protocol PNGByteSource: AnyObject {
    /// The next bytes, which live until the next call; nil when there are none, for now or for ever, for the reason in `state`.
    func next() -> UnsafeRawBufferPointer?
    var state: PNGInflater.State { get }
}

/// Inflates when bytes are asked for, into a window that stays in the cache.
@safe final class PNGWindow: PNGByteSource {
    /// Bytes of one piece: many rows, and with its history well inside a second-level cache.
    static let piece = 128 << 10

    private let inflater: PNGInflater
    private let memory: ScratchMemory
    private var end = 0
    /// Bytes that will still be asked for.
    private var left: Int
    private(set) var state = PNGInflater.State.isFull

    /// `total`: bytes that will be asked for, and no more are made; a small picture gets a small window.
    init(_ inflater: PNGInflater, total: Int) throws(ImageError) {
        self.inflater = inflater
        left = max(total, 0)
        memory = try ScratchMemory(PNGInflater.history + min(PNGWindow.piece, max(total, 0)))
    }

    /// More input may have come since it was missing.
    func next() -> UnsafeRawBufferPointer? {
        guard state == .isFull || state == .needsInput, let base = unsafe memory.bytes.baseAddress else { return nil }
        if end == memory.count {
            unsafe memmove(base, base + end - PNGInflater.history, PNGInflater.history)
            end = PNGInflater.history
        }
        let start = end
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: memory.bytes.prefix(start + min(left, memory.count - start)))
        state = unsafe inflater.fill(room, from: &end)
        left -= end - start
        return end > start ? unsafe UnsafeRawBufferPointer(rebasing: memory.bytes[start..<end]) : nil
    }
}
