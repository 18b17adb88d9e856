import CSDImage
import Foundation
import SDImage
import TestSupport

/// A coder for images whose first two bytes are their number. The first decodes, one for each worker, wait for `gate`; all others
/// for `later`, or without it until `urgent` is decoded.
final class OrderedCoder: Sendable {
    let workers = LibraryThread.availableProcessors
    let gate = Gate()
    let later: Gate?
    let decoded = Locked<[Int]>([])
    let urgent: Int

    init(urgent: Int, later: Gate? = nil) {
        self.urgent = urgent
        self.later = later
    }

    func decode(_ id: Int) {
        decoded.change { $0.append(id) }
        if id < workers { return gate.pass() }
        if let later { return later.pass() }
        _ = becomesTrue(within: 30) { decoded.get().contains(urgent) }
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
