/// EXIF orientation: the rotation or reflection that displays stored pixels upright (EXIF 2.32, tag 0x0112).
/// The raw values are those of the tag.
package enum Orientation: Int32, Sendable, CaseIterable {
    case up = 1
    case upMirrored = 2
    case down = 3
    case downMirrored = 4
    case leftMirrored = 5
    case right = 6
    case rightMirrored = 7
    case left = 8

    /// Creates an orientation from the EXIF value; unknown values become `up`.
    package init(exif value: Int) { self = Int32(exactly: value).flatMap(Orientation.init(rawValue:)) ?? .up }

    /// True for the four values that swap width and height.
    package var swapsAxes: Bool { rawValue >= 5 }
}
