import Glibc
import SDImage
import SDImagePixels

/// Makes the HDR rendition of a base image: linear light of sRGB primaries, with 1 for SDR white.
struct GainMapRenderer {
    let map: GainMap
    /// Linear light of the samples of the base image.
    private let light: [Float]
    /// One table, or one for each channel: the gain of a sample of the map.
    private let gains: [[Float]]
    private let before: [Float]
    private let after: [Float]
    private let isYCC: Bool
    /// Rows between two checks of the token.
    private static let rowsPerStep = 16

    /// `profile` is that of the base image, whose samples are not converted; `isYCC` if they are YCbCr. nil if a profile has tables:
    /// then no matrix describes its colors.
    init?(_ map: GainMap, weight: Double, profile: Bytes?, isYCC: Bool) {
        guard let base = RGBLight(profile: profile), let other = RGBLight(profile: map.alternateProfile ?? profile) else {
            return nil
        }
        self.map = map
        self.isYCC = isYCC
        light = base.curve
        let isGray = map.image.pixels.format.channels == 1
        gains = map.parameters.channels.prefix(isGray ? 1 : 3).map { channel in
            GainMapRenderer.table(map.parameters, channel, weight: weight)
        }
        // Without a change of primaries one matrix is enough.
        let own = map.parameters.usesBaseColorSpace
        guard let back = other.toStandard.inverse else { return nil }
        before = (own ? .identity : back.multiplied(by: base.toStandard)).values
        after = (own ? base : other).toStandard.values
    }

    private static func table(_ parameters: GainMap.Parameters, _ channel: GainMap.Channel, weight: Double) -> [Float] {
        (0..<Int(SDPX_GAIN_ENTRIES)).map { index in
            let sample = Double(index) / Double(Int(SDPX_GAIN_ENTRIES) - 1)
            if parameters.isLinear {
                // Apple, "Applying Apple HDR effect to your photos": the headroom is scaled in stops.
                return Float(1 + (exp2(weight * parameters.alternateHeadroom) - 1) * RGBEncoding.Curve.sRGB.toLinear(sample))
            }
            let share = pow(sample, 1 / channel.gamma)
            return Float(exp2(weight * (channel.minimum + (channel.maximum - channel.minimum) * share)))
        }
    }

    /// Renders `base`, which has three samples of 8 bits.
    func render(_ base: PixelBuffer, limits: DecodeLimits, stop: CancellationToken) throws(ImageError) -> PixelBuffer {
        let size = base.size, source = map.image.pixels
        let result = try PixelBuffer(size: size, format: .rgbaFloat, limit: limits.outputBytes)
        let channels = source.format.channels
        let blend = try ScratchMemory(source.size.width * channels, of: Float.self, account: limits.account)
        let row = try ScratchMemory(size.width * channels, of: Float.self, account: limits.account)
        defer { withExtendedLifetime((blend, row)) {} }
        guard base.format == .rgb8, let blended = unsafe blend.bytes.baseAddress?.assumingMemoryBound(to: Float.self),
            let samples = unsafe row.bytes.baseAddress?.assumingMemoryBound(to: Float.self)
        else { throw ImageError(.internalError, "gain map: no rows") }
        for y in 0..<size.height {
            if y % GainMapRenderer.rowsPerStep == 0 { try stop.check() }
            let (upper, lower, weight) = rows(of: source.size.height, at: y, of: size.height)
            guard let from = unsafe base.row(y)?.baseAddress, let to = unsafe result.mutableRow(y)?.baseAddress,
                let above = unsafe source.row(upper)?.baseAddress, let below = unsafe source.row(lower)?.baseAddress
            else { break }
            unsafe sdpx_interpolate_gains(
                samples, size.width, blended, above.assumingMemoryBound(to: UInt8.self),
                below.assumingMemoryBound(to: UInt8.self),
                weight, source.size.width, channels)
            unsafe apply(
                samples, channels, from.assumingMemoryBound(to: UInt8.self), to.assumingMemoryBound(to: Float.self), size.width)
        }
        return result
    }

    /// The rows of the map around the center of row `y`, and the weight of the lower one.
    private func rows(of mapHeight: Int, at y: Int, of height: Int) -> (upper: Int, lower: Int, weight: Float) {
        let center = (Float(y) + 0.5) * Float(mapHeight) / Float(height) - 0.5
        let position = min(max(center, 0), Float(mapHeight - 1))
        let upper = Int(position)
        return (upper, min(upper + 1, mapHeight - 1), position - Float(upper))
    }

    private func apply(
        _ samples: UnsafePointer<Float>, _ channels: Int, _ row: UnsafePointer<UInt8>, _ to: UnsafeMutablePointer<Float>,
        _ count: Int
    ) {
        let offsets = map.parameters.channels
        unsafe light.withUnsafeBufferPointer { light in
            unsafe gains[0].withUnsafeBufferPointer { red in
                unsafe gains[gains.count > 1 ? 1 : 0].withUnsafeBufferPointer { green in
                    unsafe gains[gains.count - 1].withUnsafeBufferPointer { blue in
                        var kernel = unsafe sdpx_gain_map()
                        unsafe kernel.is_ycc = isYCC ? 1 : 0
                        unsafe kernel.light = light.baseAddress
                        unsafe kernel.gains = (red.baseAddress, green.baseAddress, blue.baseAddress)
                        unsafe kernel.base_offset = (
                            Float(offsets[0].baseOffset), Float(offsets[1].baseOffset), Float(offsets[2].baseOffset)
                        )
                        unsafe kernel.alternate_offset = (
                            Float(offsets[0].alternateOffset), Float(offsets[1].alternateOffset),
                            Float(offsets[2].alternateOffset)
                        )
                        unsafe kernel.before = (
                            before[0], before[1], before[2], before[3], before[4], before[5], before[6], before[7], before[8]
                        )
                        unsafe kernel.after = (
                            after[0], after[1], after[2], after[3], after[4], after[5], after[6], after[7], after[8]
                        )
                        unsafe sdpx_apply_gains(to, row, count, samples, channels, &kernel)
                    }
                }
            }
        }
    }
}

/// The linear light of samples, and the matrix from its primaries to those of sRGB.
private struct RGBLight {
    let curve: [Float]
    let toStandard: Matrix3x3

    /// sRGB without a profile; nil if the profile cannot be described this way.
    init?(profile: Bytes?) {
        guard let profile else {
            let last = Int(SDPX_GAIN_ENTRIES) - 1
            curve = (0...last).map { Float(RGBEncoding.Curve.sRGB.toLinear(Double($0) / Double(last))) }
            toStandard = .identity
            return
        }
        guard let shaper = ICCContext()?.shaper(profile, values: Int(SDPX_GAIN_ENTRIES)) else { return nil }
        curve = shaper.curve
        toStandard = shaper.matrix
    }
}

extension Matrix3x3 {
    fileprivate var values: [Float] { rows.flatMap { $0.map(Float.init) } }
}
