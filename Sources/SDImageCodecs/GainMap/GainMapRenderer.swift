import Glibc
import SDImage
import SDImagePixels

/// Makes the HDR rendition of a base image: linear light of sRGB primaries, with 1 for SDR white (ISO 21496-1). `JPEGRendition`
/// uses it for a decode, `Image.rendition` for an image that was decoded with its map; on the thread of the caller.
struct GainMapRenderer {
    let map: GainMap
    /// Linear light of the samples of the base image.
    private let light: RGBLight
    /// One table, or one for each channel: the gain of a sample of the map.
    private let gains: [[Float]]
    /// From the primaries of the base image to those in which gains apply, and from there to sRGB.
    private let toGainPrimaries: Matrix3x3
    private let toStandard: Matrix3x3
    /// Rows between two checks of the token.
    private static let rowsPerStep = 16

    /// The profile and the code points in `base` are those of the samples of the base image, which are not converted. nil if no
    /// matrix describes their colors.
    init?(_ map: GainMap, weight: Double, base metadata: ImageMetadata) {
        let usesBase = map.parameters.usesBaseColorSpace
        let other = map.image.metadata
        let isDescribed = other.colorProfile != nil || other.cicp != nil
        guard let base = RGBLight(metadata), let target = usesBase || !isDescribed ? base : RGBLight(other),
            let back = target.toStandard.inverse
        else { return nil }
        self.map = map
        light = base
        let isGray = map.image.pixels.format.channels == 1
        gains = map.parameters.channels.prefix(isGray ? 1 : 3).map { channel in
            GainMapRenderer.table(map.parameters, channel, weight: weight)
        }
        // Gains apply to the primaries of the base image or to those of the other rendition.
        toGainPrimaries = usesBase ? .identity : back.multiplied(by: base.toStandard)
        toStandard = target.toStandard
    }

    /// The factor for each sample of the map, at the resolution of the kernels. `weight` is the share of the gain, in stops.
    private static func table(_ parameters: GainMap.Parameters, _ channel: GainMap.Channel, weight: Double) -> [Float] {
        if parameters.isLinear {
            // Apple, "Applying Apple HDR effect to your photos": the headroom is scaled in stops.
            let gain = Float(exp2(weight * parameters.alternateHeadroom) - 1)
            return RGBLight.standardCurve.map { 1 + gain * $0 }
        }
        return (0..<Int(SDPX_GAIN_ENTRIES)).map { index in
            let sample = Double(index) / Double(Int(SDPX_GAIN_ENTRIES) - 1)
            // Reverses the exponent of the encoder, then scales to the range in stops.
            let share = channel.gamma == 1 ? sample : pow(sample, 1 / channel.gamma)
            return Float(exp2(weight * (channel.minimum + (channel.maximum - channel.minimum) * share)))
        }
    }

    /// Renders `base`, which is RGB8, or YCbCr in its place, or RGBA16, to `result`, which has floats and the same size.
    func render(
        _ base: PixelBuffer, isYCC: Bool = false, to result: PixelBuffer, limits: DecodeLimits, stop: CancellationToken
    ) throws(ImageError) {
        guard let format = RGBLight.format(base, isYCC: isYCC), result.format == .rgbaFloat, base.size == result.size else {
            throw ImageError(.internalError, "gain map: formats or sizes differ")
        }
        let channels = map.image.pixels.format.channels
        // One row of the map, blended vertically, and one row of samples at the width of the image.
        let blended = try ScratchMemory(map.image.size.width * channels, of: Float.self, account: limits.account)
        let samples = try ScratchMemory(base.size.width * channels, of: Float.self, account: limits.account)
        unsafe try withKernel(format) { kernel throws(ImageError) in
            for y in 0..<base.size.height {
                if y % GainMapRenderer.rowsPerStep == 0 { try stop.check() }
                unsafe render(row: y, of: base, to: result, blended, samples, &kernel)
            }
        }
    }

    /// Renders one row: interpolates the map at its pixels, and applies the gains.
    private func render(
        row y: Int, of base: PixelBuffer, to result: PixelBuffer, _ blended: ScratchMemory, _ samples: ScratchMemory,
        _ kernel: inout sdpx_gain_map
    ) {
        let source = map.image.pixels
        let (upper, lower, weight) = rows(of: source.size.height, at: y, of: base.size.height)
        guard let from = unsafe base.row(y)?.baseAddress, let to = unsafe result.mutableRow(y)?.baseAddress,
            let above = unsafe source.row(upper)?.baseAddress, let below = unsafe source.row(lower)?.baseAddress,
            let blend = unsafe blended.bytes.baseAddress, let gains = unsafe samples.bytes.baseAddress
        else { return }
        let width = base.size.width, channels = source.format.channels
        unsafe sdpx_interpolate_gains(
            gains.assumingMemoryBound(to: Float.self), width, blend.assumingMemoryBound(to: Float.self),
            above.assumingMemoryBound(to: UInt8.self), below.assumingMemoryBound(to: UInt8.self), weight, source.size.width,
            channels)
        unsafe sdpx_apply_gains(
            to.assumingMemoryBound(to: Float.self), from, width, gains.assumingMemoryBound(to: Float.self), channels, &kernel)
        withExtendedLifetime((blended, samples)) {}
    }

    /// The rows of the map around the center of row `y`, and the weight of the lower one.
    private func rows(of mapHeight: Int, at y: Int, of height: Int) -> (upper: Int, lower: Int, weight: Float) {
        // The map covers the same area as the image, so centers of pixels correspond.
        let center = (Float(y) + 0.5) * Float(mapHeight) / Float(height) - 0.5
        let position = min(max(center, 0), Float(mapHeight - 1))
        let upper = Int(position)
        return (upper, min(upper + 1, mapHeight - 1), position - Float(upper))
    }

    /// Calls `body` with all parameters of the kernels; valid during the call.
    private func withKernel(
        _ format: Int, _ body: (inout sdpx_gain_map) throws(ImageError) -> Void
    ) throws(ImageError) {
        let channels = map.parameters.channels
        let (base, alternate) = (channels.map { Float($0.baseOffset) }, channels.map { Float($0.alternateOffset) })
        // One allocation holds all tables, so that one pointer is valid for all rows.
        let tables = gains.flatMap { $0 }
        try unsafe tables.withUnsafeBufferPointer { tables throws(ImageError) in
            guard let first = tables.baseAddress else { return }
            unsafe try light.withKernel(format, toGainPrimaries) { kernel throws(ImageError) in
                let count = Int(SDPX_GAIN_ENTRIES)
                let (green, blue) = gains.count > 1 ? (1, 2) : (0, 0)
                unsafe kernel.gains = (first, first + green * count, first + blue * count)
                unsafe kernel.base_offset = (base[0], base[1], base[2])
                unsafe kernel.alternate_offset = (alternate[0], alternate[1], alternate[2])
                unsafe kernel.to_srgb = toStandard.kernelValues
                unsafe try body(&kernel)
            }
        }
    }
}
