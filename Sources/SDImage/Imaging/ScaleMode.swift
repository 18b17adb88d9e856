/// How a picture meets a box of other proportions; the numbers are those of keys.
package enum ScaleMode: Int32, Sendable {
    /// Stretched.
    case fill = 0
    /// Whole: as large as the box on one side, smaller on the other.
    case aspectFit = 1
    /// Covering: as large as the box on one side, larger on the other.
    case aspectFill = 2
}
