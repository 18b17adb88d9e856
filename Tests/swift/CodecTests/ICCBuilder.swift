import Glibc
import SDImage

/// Writes ICC profiles of version 2 with the few tags that a test needs (ICC.1:2001-04).
struct ICCBuilder {
    private let deviceClass: String
    private let space: String
    private let connection: String
    private var tags: [(name: String, data: [UInt8])] = []

    init(_ space: String, deviceClass: String = "mntr", connection: String = "XYZ ") {
        self.space = space
        self.deviceClass = deviceClass
        self.connection = connection
        // The white point of the connection space is D50, also for every display here.
        tag("wtpt", ICCBuilder.xyz(0.9642, 1, 0.8249))
    }

    private static func two(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    /// A number with 16 fractional bits.
    private static func fixed(_ value: Double) -> [UInt8] { PNGBuilder.four(Int((value * 65536).rounded())) }

    private static func xyz(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
        Array("XYZ ".utf8) + PNGBuilder.four(0) + fixed(x) + fixed(y) + fixed(z)
    }

    mutating func tag(_ name: String, _ data: [UInt8]) { tags.append((name, data)) }

    /// A curve of evenly spaced values 0 … 65535.
    mutating func curve(_ name: String, _ values: [Int]) {
        let samples = values.flatMap(ICCBuilder.two)
        tag(name, Array("curv".utf8) + PNGBuilder.four(0) + PNGBuilder.four(values.count) + samples)
    }

    /// Columns of primaries, adapted to D50.
    mutating func primaries(_ columns: [[Double]]) {
        for (name, column) in zip(["rXYZ", "gXYZ", "bXYZ"], columns) {
            tag(name, ICCBuilder.xyz(column[0], column[1], column[2]))
        }
    }

    /// A table with only the corners of the color space, the last channel varying fastest; each corner is a Lab color.
    mutating func table(inputs: Int, corners: [[Double]]) {
        var data = Array("mft2".utf8) + PNGBuilder.four(0) + [UInt8(inputs), 3, 2, 0]
        for index in 0..<9 { data += ICCBuilder.fixed(index % 4 == 0 ? 1 : 0) }
        data += ICCBuilder.two(2) + ICCBuilder.two(2)
        for _ in 0..<inputs { data += [0, 0, 255, 255] }
        for corner in corners {
            data += ICCBuilder.two(Int(corner[0] * 652.8)) + ICCBuilder.two(Int((corner[1] + 128) * 256))
            data += ICCBuilder.two(Int((corner[2] + 128) * 256))
        }
        for _ in 0..<3 { data += [0, 0, 255, 255] }
        tag("A2B0", data)
    }

    /// A list of `count` multi-process elements, all of them one matrix that makes every color black (ICC.1:2010, section 10.14).
    mutating func elements(_ name: String, count: Int) {
        let channels = ICCBuilder.two(3) + ICCBuilder.two(3)
        let matrix = Array("matf".utf8) + PNGBuilder.four(0) + channels + [UInt8](repeating: 0, count: 48)
        let position = PNGBuilder.four(16 + 8 * count) + PNGBuilder.four(matrix.count)
        var data = Array("mpet".utf8) + PNGBuilder.four(0) + channels + PNGBuilder.four(count)
        for _ in 0..<count { data += position }
        tag(name, data + matrix)
    }

    var bytes: [UInt8] {
        var directory = PNGBuilder.four(tags.count)
        var content: [UInt8] = []
        let start = 128 + 4 + 12 * tags.count
        for tag in tags {
            directory += Array(tag.name.utf8) + PNGBuilder.four(start + content.count) + PNGBuilder.four(tag.data.count)
            content += tag.data + [UInt8](repeating: 0, count: (4 - tag.data.count % 4) % 4)
        }
        var header = PNGBuilder.four(start + content.count) + PNGBuilder.four(0) + PNGBuilder.four(0x0240_0000)
        header += Array(deviceClass.utf8) + Array(space.utf8) + Array(connection.utf8)
        header += [UInt8](repeating: 0, count: 12) + Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
        header += ICCBuilder.fixed(0.9642) + ICCBuilder.fixed(1) + ICCBuilder.fixed(0.8249)
        return header + [UInt8](repeating: 0, count: 128 - header.count) + directory + content
    }

    // MARK: Profiles

    /// A densely sampled power curve with the given exponent.
    private static func power(_ exponent: Double) -> [Int] {
        (0...1023).map { (index: Int) -> Int in Int((Glibc.pow(Double(index) / 1023, exponent) * 65535).rounded()) }
    }

    static func rgb(_ columns: [[Double]], curve: [Int]) -> [UInt8] {
        var builder = ICCBuilder("RGB ")
        builder.primaries(columns)
        for name in ["rTRC", "gTRC", "bTRC"] { builder.curve(name, curve) }
        return builder.bytes
    }

    static let standardColumns = [[0.43607, 0.22249, 0.01392], [0.38515, 0.71687, 0.09708], [0.14307, 0.06061, 0.7141]]
    static let wideColumns = [[0.51512, 0.2412, -0.00105], [0.29198, 0.69225, 0.04189], [0.1571, 0.06657, 0.78407]]

    /// The sRGB curve.
    static let standardCurve = (0...1023).map { (index: Int) -> Int in
        let v = Double(index) / 1023
        let light: Double = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)
        return Int((light * 65535).rounded())
    }

    static var displayP3: [UInt8] { rgb(wideColumns, curve: standardCurve) }
    static var standard: [UInt8] { rgb(standardColumns, curve: standardCurve) }

    static func gray(gamma: Double) -> [UInt8] {
        var builder = ICCBuilder("GRAY")
        builder.curve("kTRC", power(gamma))
        return builder.bytes
    }

    /// Inks on white paper: each ink darkens equally, black most.
    static var inks: [UInt8] {
        var builder = ICCBuilder("CMYK", deviceClass: "prtr", connection: "Lab ")
        builder.table(
            inputs: 4,
            corners: (0..<16).map { (index: Int) -> [Double] in
                index & 1 == 1 ? [0, 0, 0] : [100 - 30 * Double((index >> 1).nonzeroBitCount), 0, 0]
            })
        return builder.bytes
    }

    /// RGB by a table instead of primaries and curves.
    static var table: [UInt8] {
        var builder = ICCBuilder("RGB ", connection: "Lab ")
        builder.table(
            inputs: 3,
            corners: (0..<8).map { (index: Int) -> [Double] in
                let (r, g, b) = (Double(index >> 2 & 1), Double(index >> 1 & 1), Double(index & 1))
                return [30 * r + 60 * g + 10 * b, 50 * (r - g), 50 * (g - b)]
            })
        return builder.bytes
    }
}
