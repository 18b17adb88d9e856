import SDImagePixels

/// Filter of all rows of an image before compression (PNG, third edition, section 9).
enum PNGFilter: Int32, CaseIterable {
    case none = 0
    case sub, up, average, paeth
    /// Chooses for each row the filter that leaves the smallest values.
    case smallest

    /// Writes the filter type and the filtered row. `to` has room for one byte more than the row.
    func apply(
        _ to: UnsafeMutablePointer<UInt8>, row: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>, bytes: Int, pixelBytes: Int
    ) {
        let filter = self == .smallest ? unsafe sdpx_cheapest_filter(row, above, bytes, pixelBytes) : rawValue
        unsafe to[0] = UInt8(truncatingIfNeeded: filter)
        unsafe sdpx_filter_scanline(to + 1, row, above, bytes, filter, pixelBytes)
    }
}
