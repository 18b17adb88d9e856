import CSDImage
import Foundation
import SDImage
import TestSupport

/// A coder for images whose first two bytes are their number. The first decodes, one for each worker, wait for `gate`; all others
/// for `later`, if there is one. The first of these, one for each worker, keep the workers; the rest waits until `urgent` is decoded.
final class OrderedCoder: Sendable {
    let workers = LibraryThread.availableProcessors
    let gate = Gate()
    let later: Gate?
    let decoded = Locked<[Int]>([])
    let urgent: Int
    /// True when `urgent` was waited for in vain: then the order is known to be wrong.
    private let isLate = Locked(false)

    init(urgent: Int, later: Gate? = nil) {
        self.urgent = urgent
        self.later = later
    }

    func decode(_ id: Int) {
        var position = 0
        decoded.change { decoded in
            position = decoded.count
            decoded.append(id)
        }
        if id < workers { return gate.pass() }
        if let later {
            later.pass()
            // The worker that begins the urgent one may be slow.
            if position < 2 * workers || isLate.get() { return }
        }
        if !becomesTrue(within: 30, { decoded.get().contains(urgent) }) { isLate.set(true) }
    }

    func make() throws -> Owned {
        var table = sdimage_coder_vtable()
        table.size = MemoryLayout<sdimage_coder_vtable>.size
        table.can_decode = { _, _, _ in true }
        table.decode = { userData, bytes, length, _, image, error in
            let id = bytes!.assumingMemoryBound(to: UInt8.self)
            Unmanaged<OrderedCoder>.fromOpaque(userData!).takeUnretainedValue().decode(Int(id[0]) | Int(id[1]) << 8)
            return sdimage_image_new(1, 1, 1, .SDIMAGE_PIXEL_FORMAT_GRAY8, [id[0]], image, error)
        }
        return try APITests.make(sdimage_coder_unref) {
            sdimage_coder_new_custom(
                "ordered", &table, Unmanaged.passRetained(self).toOpaque(),
                { Unmanaged<OrderedCoder>.fromOpaque($0!).release() }, $0, $1)
        }
    }
}
