import Glibc
import SDImagePixels

/// Tone mapping of linear light to a lower headroom, with the tone curve of ITU-R BT.2446-1, method A (docs/decisions.md, "Tone
/// mapping"). One factor for all channels preserves the hue.
/// A table of factors is computed once; the kernel looks up each pixel.
package struct ToneMapping: RowTransform {
    /// The factor of a pixel by the square root of its luminance relative to the peak.
    private let factors: [Float]
    /// Luminance relative to SDR white that maps to `limit`.
    private let peak: Double
    /// Highest luminance of the result, relative to SDR white.
    private let limit: Double

    /// The highest peak that is mapped, relative to SDR white: that of HLG.
    package static let highestPeak = CodePoints.hlgPeak / CodePoints.referenceWhite
    /// To SDR, for content whose peak is unknown.
    package static let ofHighestPeak = ToneMapping(peak: highestPeak, headroom: 0)

    /// Maps luminance up to `peak`, relative to SDR white and at most `highestPeak`, to at most `headroom` stops above that white.
    package init(peak: Double, headroom: Double) {
        self.peak = min(max(peak, 1), ToneMapping.highestPeak)
        limit = exp2(headroom)
        // Reduced by a part of the stops only, as a gain map that is applied in part (ISO 21496-1).
        // A headroom of the display above 0 leaves a part of the range.
        let share = self.peak > limit ? 1 - headroom / log2(self.peak) : 0
        let curve = Curve(peak: self.peak * CodePoints.referenceWhite)
        let steps = Int(SDPX_TONE_STEPS)
        factors = (0...steps).map { step in
            // The curve would brighten dark tones of images with a low peak.
            Float(pow(min(curve.factor(Double(step * step) / Double(steps * steps)), 1), share))
        }
    }

    /// Other formats stay unchanged: they have no luminance above white.
    package func apply(_ row: UnsafeMutableRawBufferPointer, pixels: Int, format: PixelFormat) {
        guard format == .rgbaFloat, pixels > 0, row.count / format.bytesPerPixel >= pixels, let base = row.baseAddress else {
            return
        }
        unsafe withKernel { tones in unsafe sdpx_tone_map(base.assumingMemoryBound(to: Float.self), pixels, tones) }
    }

    /// Calls `body` with the mapping for kernels; the pointer is valid during the call.
    package func withKernel(_ body: (UnsafePointer<sdpx_tones>) -> Void) {
        unsafe factors.withUnsafeBufferPointer { table in
            guard let first = table.baseAddress else { return }
            var tones = unsafe sdpx_tones(factors: first, scale: Float(1 / peak), limit: Float(limit))
            unsafe withUnsafePointer(to: &tones) { unsafe body($0) }
        }
    }

    /// The tone curve of ITU-R BT.2446-1, section 4.1, with luminance in place of luma.
    private struct Curve {
        /// Luminance of the SDR display in cd/m².
        private static let standardPeak = 100.0
        /// Peak of the content in cd/m².
        private let peak: Double
        /// ρ of the HDR and of the SDR display.
        private let (high, low): (Double, Double)

        /// `peak`: in cd/m².
        init(peak: Double) {
            self.peak = peak
            let density = { (luminance: Double) in 1 + 32 * pow(luminance / CodePoints.pqPeak, 1 / 2.4) }
            (high, low) = (density(peak), density(Curve.standardPeak))
        }

        /// The factor of light whose luminance is this share of the peak. White of SDR is 1 before and after.
        func factor(_ share: Double) -> Double {
            let whites = peak / CodePoints.referenceWhite
            guard share > 0 else {
                // The limit of the quotient below.
                return pow(1.077 * (high - 1) / log(high) * log(low) / (low - 1), 2.4) / whites
            }
            let perceived = log(1 + (high - 1) * pow(share, 1 / 2.4)) / log(high)
            // The three pieces of the curve, as the report gives them.
            let mapped =
                perceived <= 0.7399
                ? 1.077 * perceived
                : perceived < 0.9909
                    ? -1.151 * perceived * perceived + 2.7811 * perceived - 0.6302 : 0.5 * perceived + 0.5
            return pow((pow(low, mapped) - 1) / (low - 1), 2.4) / (share * whites)
        }
    }
}

// MARK: The peak of an image

extension ToneMapping {
    /// Rows that are measured of an image.
    /// Every row of a small image, equally spaced rows of a large one.
    private static let measuredRows = 512
    /// Pixels among which one may be brighter than the peak.
    /// Single bright pixels must not darken the whole image.
    private static let pixelsPerHighlight = 200

    /// The luminance that 1 of 200 pixels exceeds, relative to SDR white: from 1 to `highestPeak`. `transform` converts rows to
    /// linear light, which float images are already.
    package static func peak(
        of pixels: PixelBuffer, through transform: (any RowTransform)? = nil, stop: CancellationToken
    ) throws(ImageError) -> Double {
        let size = pixels.size, step = max(1, size.height / measuredRows)
        let light = try ScratchMemory(size.width * PixelFormat.rgbaFloat.bytesPerPixel, zeroed: true)
        var counts = [UInt32](repeating: 0, count: Int(SDPX_LIGHT_LEVELS))
        for y in stride(from: step / 2, to: size.height, by: step) {
            try stop.check()
            guard let row = unsafe pixels.row(y), let room = unsafe light.bytes.baseAddress else { break }
            if let transform {
                unsafe transform.apply(row, to: light.bytes, pixels: size.width, format: pixels.format)
            } else {
                unsafe room.copyMemory(from: row.baseAddress ?? UnsafeRawPointer(room), byteCount: min(row.count, light.count))
            }
            unsafe counts.withUnsafeMutableBufferPointer { counts in
                guard let first = counts.baseAddress else { return }
                unsafe sdpx_count_light(first, room.assumingMemoryBound(to: Float.self), size.width)
            }
        }
        return peak(counts)
    }

    /// `counts`: pixels by level of light, from dark to bright.
    private static func peak(_ counts: [UInt32]) -> Double {
        var brighter = counts.reduce(0) { $0 + Int($1) }
        let highlights = brighter / pixelsPerHighlight
        for (level, count) in counts.enumerated() {
            brighter -= Int(count)
            guard brighter > highlights else {
                // Levels are ranges of the exponent and the highest bits of a float, from 1 upwards.
                let end = Float(bitPattern: Float(1).bitPattern + UInt32(level) << UInt32(SDPX_LEVEL_SHIFT))
                return min(Double(end), highestPeak)
            }
        }
        return highestPeak
    }

    /// The mapping of a float image to the headroom, in stops.
    /// Measures the image first.
    package init(_ pixels: PixelBuffer, headroom: Double, stop: CancellationToken) throws(ImageError) {
        self.init(peak: try ToneMapping.peak(of: pixels, stop: stop), headroom: headroom)
    }
}
