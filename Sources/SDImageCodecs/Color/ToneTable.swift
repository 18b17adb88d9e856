import Glibc
import SDImage

/// Applies one curve to every color sample: the gamma of a file, or the profile of a gray image. `ColorConverter` caches it.
/// Thread-safe: immutable.
struct ToneTable: RowTransform {
    private let format: PixelFormat
    /// One entry for each sample value, with the 8 or 16 bits of the format.
    private let table: [UInt16]

    /// nil when no value changes by more than 1.
    init?(encoding: RGBEncoding, format: PixelFormat) {
        self.init(format: format, curve: { ToneTable.encode(encoding.toLinear($0, top: ToneTable.top(format))) })
    }

    /// nil when the profile is unusable, not a gray profile, or changes nothing.
    init?(format: PixelFormat, profile: Bytes) {
        let values = ToneTable.top(format) + 1
        guard let curve = ICCTransform.grayCurve(profile: profile, values: values) else { return nil }
        self.init(format: format, curve: { Double(curve[min(Int(($0 * Double(values - 1)).rounded()), values - 1)]) / 65535 })
    }

    /// `curve` maps stored values to those of sRGB, both from 0 to 1.
    private init?(format: PixelFormat, curve: (Double) -> Double) {
        let top = ToneTable.top(format)
        let table = (0...top).map { UInt16(min(max(curve(Double($0) / Double(top)), 0), 1) * Double(top) + 0.5) }
        // A step of 8 bits, for 16-bit samples, too.
        guard table.enumerated().contains(where: { abs(Int($0.element) - $0.offset) > top / 255 }) else { return nil }
        self.format = format
        self.table = table
    }

    /// Changes a row in place; does nothing for another format or a row that is too short.
    func apply(_ row: UnsafeMutableRawBufferPointer, pixels: Int, format: PixelFormat) {
        guard format == self.format, pixels > 0, row.count >= pixels * format.bytesPerPixel else { return }
        if format.bytesPerChannel == 1 {
            unsafe change(row.bindMemory(to: UInt8.self), samples: pixels * format.channels)
        } else {
            unsafe change(row.bindMemory(to: UInt16.self), samples: pixels * format.channels)
        }
    }

    /// Maps samples. The table has an entry for every possible sample value.
    private func change<Sample: FixedWidthInteger & UnsignedInteger>(_ row: UnsafeMutableBufferPointer<Sample>, samples: Int) {
        let skipsAlpha = format.hasAlpha
        unsafe table.withUnsafeBufferPointer { table in
            // Formats with alpha have four channels, alpha last.
            for index in 0..<min(samples, row.count) where !(skipsAlpha && index & 3 == 3) {
                unsafe row[index] = unsafe Sample(truncatingIfNeeded: table[Int(row[index])])
            }
        }
    }

    /// The highest sample value.
    private static func top(_ format: PixelFormat) -> Int { format.bytesPerChannel == 1 ? 255 : 65535 }

    /// Converts linear light to the stored value of sRGB (IEC 61966-2-1).
    private static func encode(_ light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
}
