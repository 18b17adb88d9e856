import SDImage
import SDImagePixels

/// Converts integer rows of an encoding to linear light with sRGB primaries: as float, or back to integers in sRGB. Light that
/// exceeds the result is tone-mapped. `ColorConverter` caches it without the tone mapping of an image. Thread-safe: immutable.
struct LightTransform: RowTransform {
    /// Format of the rows before the conversion, and after it.
    private let format: PixelFormat
    private let output: PixelFormat
    /// Linear light of each sample value, 256 or 65,536 entries.
    private let table: [Float]
    /// System gamma of HLG for its reference display, and the luminance weights it applies to (ITU-R BT.2100, table 5).
    private let systemGamma: Float
    private let luminance: [Float]
    /// From linear light of the encoding to that of sRGB, by rows; for HLG including the gain that makes SDR white 1.
    private let matrix: [Float]
    /// nil when the result holds all light.
    private var tones: ToneMapping?

    /// nil when the values describe no color space. Integers of PQ and HLG are mapped for the highest peak.
    init?(encoding: RGBEncoding, format: PixelFormat, isGray: Bool, output: PixelFormat) {
        guard format.bytesPerChannel <= 2, !format.isPremultiplied, let toXYZ = encoding.toXYZ,
            let toStandard = encoding.toStandard
        else { return nil }
        self.format = format
        self.output = output
        let top = format.bytesPerChannel == 1 ? 255 : 65535
        table = (0...top).map { Float(encoding.toLinear(Double($0) / Double(top), top: top)) }
        // HLG stores the light of the scene, which the system gamma converts to that of the display.
        systemGamma = encoding.curve == .hlg ? 1.2 : 1
        luminance = toXYZ.rows[1].map(Float.init)
        let gain = encoding.curve == .hlg ? CodePoints.hlgPeak / CodePoints.referenceWhite : 1
        // Gray stays gray with any primaries.
        matrix = (isGray ? .identity : toStandard).scaled(by: gain).rows.flatMap { $0.map(Float.init) }
        // Only floats hold light above white.
        let exceedsResult = encoding.curve.isHighDynamicRange && output != .rgbaFloat
        tones = exceedsResult ? .ofHighestPeak : nil
    }

    /// Handles RGB profiles with one curve and three primaries, as cameras and displays have; nil for others. Little CMS takes at
    /// least twice the time.
    init?(profile: Bytes, format: PixelFormat, output: PixelFormat) {
        let values = format.bytesPerChannel == 1 ? 256 : 65536
        guard format.bytesPerChannel <= 2, !format.isPremultiplied, format.channels >= 3, let context = ICCContext(),
            let shaper = context.shaper(profile, values: values)
        else { return nil }
        self.format = format
        self.output = output
        table = shaper.curve
        systemGamma = 1
        // Unused with a system gamma of 1.
        luminance = [0, 1, 0]
        matrix = shaper.matrix.rows.flatMap { $0.map(Float.init) }
        tones = nil
    }

    /// The same conversion with the tone mapping of an image; the tables are shared.
    func with(_ tones: ToneMapping) -> LightTransform {
        var copy = self
        copy.tones = tones
        return copy
    }

    func output(for format: PixelFormat) -> PixelFormat { output }

    func apply(_ row: UnsafeMutableRawBufferPointer, pixels: Int, format: PixelFormat) {
        // In-place conversion is possible when the pixel size stays the same.
        if output == format { unsafe apply(UnsafeRawBufferPointer(row), to: row, pixels: pixels, format: format) }
    }

    func apply(
        _ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer, pixels: Int, format: PixelFormat
    ) {
        guard format == self.format, pixels > 0, source.count / format.bytesPerPixel >= pixels,
            target.count / output.bytesPerPixel >= pixels, let from = source.baseAddress, let to = target.baseAddress
        else { return }
        unsafe table.withUnsafeBufferPointer { table in
            var light = unsafe sdpx_light()
            unsafe light.table = table.baseAddress
            unsafe light.luminance = (luminance[0], luminance[1], luminance[2])
            unsafe light.system_gamma = systemGamma
            unsafe light.matrix = (
                matrix[0], matrix[1], matrix[2], matrix[3], matrix[4], matrix[5], matrix[6], matrix[7], matrix[8]
            )
            guard let tones else { return unsafe sdpx_render_row(to, output.rawValue, from, format.rawValue, pixels, &light) }
            unsafe tones.withKernel { tones in
                unsafe light.tones = tones
                unsafe sdpx_render_row(to, output.rawValue, from, format.rawValue, pixels, &light)
            }
        }
    }
}
