import Glibc

/// Address space for an unknown number of bytes, backed by memory as it is used: growth neither moves the bytes nor holds them
/// twice.
/// `GrowingBytes` uses it for bodies of more than 1 MiB.
@safe final class Reservation: @unchecked Sendable {
    // Unchecked: only the one writer changes it; readers see memory that became usable before they got a reference.
    let base: UnsafeMutableRawPointer
    /// Bytes that may be written.
    private(set) var usable = 0
    /// Bytes of address space, a multiple of the step until `trim`.
    private var reserved: Int

    /// Size of a huge page: the advice to use huge pages needs whole ones.
    private static let step = 2 << 20

    /// nil if the system refuses.
    /// `size`: the most bytes that may come. Only address space is taken (PROT_NONE): memory follows with
    /// `makeUsable`.
    init?(_ size: Int) {
        let (rounded, isTooLarge) = size.addingReportingOverflow(2 * Reservation.step - 1)
        guard size > 0, !isTooLarge else { return nil }
        // One step more for the alignment.
        let length = rounded & ~(Reservation.step - 1)
        guard let start = unsafe mmap(nil, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
            unsafe start != MAP_FAILED
        else { return nil }
        // The kernel aligns to pages only. The parts before and after the aligned range are returned.
        let before = (Reservation.step - Int(bitPattern: start) & (Reservation.step - 1)) & (Reservation.step - 1)
        unsafe base = start + before
        reserved = length - Reservation.step
        if before > 0 { unsafe _ = munmap(start, before) }
        if before < Reservation.step { unsafe _ = munmap(base + reserved, Reservation.step - before) }
        // Advice only: no effect where huge pages are disabled.
        unsafe _ = madvise(base, reserved, MADV_HUGEPAGE)
    }

    deinit { unsafe _ = munmap(base, reserved) }

    /// Makes the first `count` bytes usable; false if memory is refused or `count` exceeds the reservation.
    /// Called by the writer before it writes there; readers are unaffected.
    func makeUsable(_ count: Int) -> Bool {
        guard count > usable else { return true }
        guard count <= reserved else { return false }
        // Whole steps, so that the kernel can back each with one huge page.
        let end = min((count + Reservation.step - 1) & ~(Reservation.step - 1), reserved)
        guard unsafe mprotect(base + usable, end - usable, PROT_READ | PROT_WRITE) == 0 else { return false }
        usable = end
        return true
    }

    /// Returns the memory after the first `count` bytes to the system. `count` must be positive.
    /// Ends the growth: later calls of `makeUsable` beyond it fail.
    func trim(to count: Int) {
        let end = (count + 4095) & ~4095
        guard end > 0, end < reserved else { return }
        unsafe _ = munmap(base + end, reserved - end)
        (reserved, usable) = (end, min(usable, end))
    }
}
