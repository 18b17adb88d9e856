/// EXIF orientation: how stored pixels must be turned to be seen upright (EXIF 2.32, tag 0x0112).
package enum Orientation: Int32, Sendable, CaseIterable {
    case up = 1
    case upMirrored = 2
    case down = 3
    case downMirrored = 4
    case leftMirrored = 5
    case right = 6
    case rightMirrored = 7
    case left = 8

    /// Unknown values act as up.
    package init(exif value: Int) { self = Int32(exactly: value).flatMap(Orientation.init(rawValue:)) ?? .up }

    /// True for the four that exchange width and height.
    package var swapsAxes: Bool { rawValue >= 5 }
}
