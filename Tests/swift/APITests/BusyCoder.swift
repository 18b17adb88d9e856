import CSDImage
import Foundation
import TestSupport

/// A host coder whose calls take as long as the test wants, and which records the state of its work budget.
final class BusyCoder: @unchecked Sendable {
    // Unchecked: the lock protects the counters.
    private let lock = NSLock()
    private var counts = (started: 0, returned: 0)
    private var noted: (status: sdimage_status, remaining: UInt32)?
    enum Ending {
        /// Calls return as soon as the budget is exhausted, with its status.
        case budget
        /// They notice that it is exhausted, and return another status.
        case late
        /// They return after `release`.
        case release
    }
    let ending: Ending
    let detachedStack: Int
    private var isReleased = false
    /// Set by the function that destroys the coder's user data.
    let isDestroyed = NSCondition()
    private(set) var wasDestroyed = false

    init(_ ending: Ending, detachedStack: Int = 0) {
        self.ending = ending
        self.detachedStack = detachedStack
    }

    /// Lets all calls return, now and later.
    func release() { lock.withLock { isReleased = true } }

    var started: Int { lock.withLock { counts.started } }
    var returned: Int { lock.withLock { counts.returned } }
    /// The budget's status at the end of the latest call, and its remaining milliseconds at the start of that call.
    var budget: (status: sdimage_status, remaining: UInt32)? { lock.withLock { noted } }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> BusyCoder {
        Unmanaged.fromOpaque(pointer!).takeUnretainedValue()
    }

    private func work(_ budget: OpaquePointer?) -> sdimage_status {
        lock.withLock { counts.started += 1 }
        let remaining = sdimage_work_budget_remaining_ms(budget)
        var status = sdimage_work_budget_check(budget)
        let isOver = becomesTrue {
            status = sdimage_work_budget_check(budget)
            return ending == .release ? lock.withLock { isReleased } : status != .SDIMAGE_STATUS_OK
        }
        lock.withLock {
            noted = (status, remaining)
            counts.returned += isOver ? 1 : 0
        }
        return ending == .budget && status != .SDIMAGE_STATUS_OK ? status : .SDIMAGE_STATUS_BAD_DATA
    }

    private func destroyed() {
        isDestroyed.withLock { wasDestroyed = true }
        isDestroyed.broadcast()
    }

    /// `hasInstances`: the slow calls are the updates of an instance.
    func makeCoder(hasInstances: Bool = false) throws -> Owned {
        var table = sdimage_coder_vtable()
        table.size = MemoryLayout<sdimage_coder_vtable>.size
        table.detached_stack = detachedStack
        table.can_decode = { _, bytes, length in length >= 4 && memcmp(bytes!, "BUSY", 4) == 0 }
        table.decode = { userData, _, _, options, _, _ in
            BusyCoder.of(userData).work(sdimage_decode_options_work_budget(options))
        }
        table.can_encode = { _, format in format == .SDIMAGE_FORMAT_BMP }
        table.encode = { userData, _, _, options, _, _ in
            BusyCoder.of(userData).work(sdimage_encode_options_work_budget(options))
        }
        if hasInstances {
            // An instance needs only the budget, which stays valid.
            table.open = { _, options, instance, _ in
                instance!.pointee = UnsafeMutableRawPointer(sdimage_decode_options_work_budget(options))
                return .SDIMAGE_STATUS_OK
            }
            table.instance_update = { userData, instance, _, _, _, _ in
                BusyCoder.of(userData).work(OpaquePointer(instance))
            }
            table.instance_image = { _, _, _, _ in .SDIMAGE_STATUS_NEED_MORE_DATA }
            table.instance_destroy = { userData, instance in
                let coder = BusyCoder.of(userData), budget = OpaquePointer(instance)
                let status = sdimage_work_budget_check(budget), remaining = sdimage_work_budget_remaining_ms(budget)
                coder.lock.withLock { coder.noted = (status, remaining) }
            }
        }
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try make(sdimage_coder_unref) {
            sdimage_coder_new_custom(
                "busy", &table, userData,
                {
                    let coder = Unmanaged<BusyCoder>.fromOpaque($0!).takeRetainedValue()
                    coder.destroyed()
                }, $0, $1)
        }
    }
}
