import SDImage

/// Memory of an image's rows, which libjpeg writes directly. Used by at most two threads, each with its own rows. Does not own
/// the memory: the writer must outlive it.
struct JPEGRowDestination: Sendable {
    // An address, because pointers are not Sendable.
    private let first: UInt
    /// Bytes from row to row.
    private let stride: Int
    /// Number of rows.
    let height: Int

    /// nil when rows must pass through the writer.
    init?(_ writer: borrowing ScanlineWriter, height: Int) {
        guard let first = unsafe writer.directRow(0)?.baseAddress else { return nil }
        self.first = UInt(bitPattern: first)
        // The distance between rows is constant; it is negative in a vertically flipped image.
        stride = unsafe writer.directRow(1)?.baseAddress.map { unsafe $0 - first } ?? 0
        self.height = height
    }

    /// Replaces the pointers by pointers to the given rows.
    func replace(_ pointers: inout [UnsafeMutablePointer<UInt8>?], with rows: Range<Int>) {
        let base = unsafe UnsafeMutablePointer<UInt8>(bitPattern: first)
        unsafe pointers.removeAll(keepingCapacity: true)
        for row in rows { unsafe pointers.append(base.map { unsafe $0 + row * stride }) }
    }
}
