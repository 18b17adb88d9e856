import Glibc

/// Address space for bytes whose number is not known yet, which are given memory as they are used: growing neither moves them nor
/// holds them twice.
@safe final class Reservation: @unchecked Sendable {
    // Unchecked: only the one writer changes it; readers see memory that was usable before they were handed a reference.
    let base: UnsafeMutableRawPointer
    /// Bytes that may be written.
    private(set) var usable = 0
    private var reserved: Int

    /// A huge page: advice to use them needs whole ones.
    private static let step = 2 << 20

    /// nil where the system refuses.
    init?(_ size: Int) {
        let (rounded, isTooLarge) = size.addingReportingOverflow(2 * Reservation.step - 1)
        guard size > 0, !isTooLarge else { return nil }
        // One step more, for the alignment.
        let length = rounded & ~(Reservation.step - 1)
        guard let start = unsafe mmap(nil, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
            unsafe start != MAP_FAILED
        else { return nil }
        let before = (Reservation.step - Int(bitPattern: start) & (Reservation.step - 1)) & (Reservation.step - 1)
        unsafe base = start + before
        reserved = length - Reservation.step
        if before > 0 { unsafe _ = munmap(start, before) }
        if before < Reservation.step { unsafe _ = munmap(base + reserved, Reservation.step - before) }
        // Advice only: where huge pages are off this changes nothing.
        unsafe _ = madvise(base, reserved, MADV_HUGEPAGE)
    }

    deinit { unsafe _ = munmap(base, reserved) }

    /// Gives memory to the first `count` bytes; false where there is none, or they are more than was reserved.
    func makeUsable(_ count: Int) -> Bool {
        guard count > usable else { return true }
        guard count <= reserved else { return false }
        let end = min((count + Reservation.step - 1) & ~(Reservation.step - 1), reserved)
        guard unsafe mprotect(base + usable, end - usable, PROT_READ | PROT_WRITE) == 0 else { return false }
        usable = end
        return true
    }

    /// Gives back what is behind the first `count` bytes; there must be at least one.
    func trim(to count: Int) {
        let end = (count + 4095) & ~4095
        guard end > 0, end < reserved else { return }
        unsafe _ = munmap(base + end, reserved - end)
        (reserved, usable) = (end, min(usable, end))
    }
}
