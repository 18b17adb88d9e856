import Glibc
import SDImage

/// Source of the inflated bytes of an image: this thread or another.
protocol PNGInflateSource: AnyObject {
    /// Returns the next bytes, valid until the next call. nil when there are none, temporarily or permanently; `state` is the
    /// reason. Throws when the operation of `stop` must end; no bytes are lost.
    func next(_ stop: CancellationToken) throws(ImageError) -> UnsafeRawBufferPointer?
    var state: PNGInflater.State { get }
}

/// Inflates on demand, into a window that fits the cache. Used by the thread that decodes the rows.
@safe final class PNGSerialInflate: PNGInflateSource {
    /// Bytes of one piece: many rows, yet small enough for a second-level cache together with its history.
    static let piece = 128 << 10

    private let inflater: PNGInflater
    private let memory: ScratchMemory
    /// End of the inflated bytes in the window.
    private var end = 0
    /// Bytes that will still be requested.
    private var left: Int
    private(set) var state = PNGInflater.State.isFull

    /// `total` is the number of bytes that will be requested, and limits the inflated bytes; a small image has a small window.
    init(_ inflater: PNGInflater, total: Int) throws(ImageError) {
        self.inflater = inflater
        left = max(total, 0)
        memory = try ScratchMemory(PNGInflater.history + min(PNGSerialInflate.piece, max(total, 0)))
    }

    /// Inflates up to the end of the window. More input may have arrived since it was missing.
    func next(_ stop: CancellationToken) throws(ImageError) -> UnsafeRawBufferPointer? {
        guard state == .isFull || state == .needsInput, let base = unsafe memory.bytes.baseAddress else { return nil }
        // The end of the window moves to its start, as the history of the next bytes.
        if end == memory.count {
            unsafe memmove(base, base + end - PNGInflater.history, PNGInflater.history)
            end = PNGInflater.history
        }
        let start = end
        // A stream longer than the image is not inflated further.
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: memory.bytes.prefix(start + min(left, memory.count - start)))
        state = unsafe try inflater.fill(room, from: &end, stop: stop)
        left -= end - start
        return end > start ? unsafe UnsafeRawBufferPointer(rebasing: memory.bytes[start..<end]) : nil
    }
}
