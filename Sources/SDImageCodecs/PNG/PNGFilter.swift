import SDImagePixels

/// What is done to all rows of a picture before they are packed (PNG, third edition, section 9).
enum PNGFilter: Int32, CaseIterable {
    case none = 0
    case sub, up, average, paeth
    /// For each row the one of them that leaves the smallest numbers.
    case smallest

    /// Writes a row behind the number of its filter. `to` has one byte more than the row.
    func apply(
        _ to: UnsafeMutablePointer<UInt8>, row: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>, bytes: Int, pixelBytes: Int
    ) {
        let filter = self == .smallest ? unsafe sdpx_cheapest_filter(row, above, bytes, pixelBytes) : rawValue
        unsafe to[0] = UInt8(truncatingIfNeeded: filter)
        unsafe sdpx_filter_scanline(to + 1, row, above, bytes, filter, pixelBytes)
    }
}
