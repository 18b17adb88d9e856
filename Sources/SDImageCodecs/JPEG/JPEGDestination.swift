import SDImage

/// Where the rows of a picture lie, for libjpeg to write them there; in use by two threads at most, each with rows of its own.
struct JPEGDestination: Sendable {
    // An address, because pointers do not pass from thread to thread.
    private let first: UInt
    private let stride: Int
    /// Number of rows.
    let height: Int

    /// nil when rows must pass through the writer.
    init?(_ writer: borrowing ScanlineWriter, height: Int) {
        guard let first = unsafe writer.directRow(0)?.baseAddress else { return nil }
        self.first = UInt(bitPattern: first)
        // Rows lie evenly, upwards in a picture that is turned upside down.
        stride = unsafe writer.directRow(1)?.baseAddress.map { unsafe $0 - first } ?? 0
        self.height = height
    }

    /// Puts pointers to some rows in place of others.
    func replace(_ pointers: inout [UnsafeMutablePointer<UInt8>?], with rows: Range<Int>) {
        let base = unsafe UnsafeMutablePointer<UInt8>(bitPattern: first)
        unsafe pointers.removeAll(keepingCapacity: true)
        for row in rows { unsafe pointers.append(base.map { unsafe $0 + row * stride }) }
    }
}
