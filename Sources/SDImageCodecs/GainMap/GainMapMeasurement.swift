import Glibc
import SDImage
import SDImagePixels

/// Computes the gain map from an SDR image to its HDR rendition: the ratio of the light of each block of two by two pixels.
package struct GainMapMeasurement {
    private let sdr: Image
    private let hdr: Image
    private let size: PixelSize
    /// Three gains in stops per block.
    private let gains: ScratchMemory

    /// Light that is added to both renditions, so that the ratio of dark pixels is defined (ISO 21496-1, annex A).
    private static let offset = 1.0 / 64
    /// Share of the gains, in thousands, that may lie outside of the range of the samples: single pixels do not make it coarse.
    private static let outliers = 1
    /// Gains in stops that are counted, and the classes of one stop.
    private static let counted = -8.0...16.0
    private static let classes = 32.0

    /// `sdr` has integer pixels. Throws UNSUPPORTED if no pixel of `hdr` is brighter than SDR white.
    package static func map(
        from sdr: Image, to hdr: Image, account: WorkingMemory, stop: CancellationToken
    ) throws(ImageError) -> GainMap {
        guard hdr.pixels.format == .rgbaFloat, sdr.pixels.format != .rgbaFloat, sdr.size == hdr.size else {
            throw ImageError(.invalidArgument, "gain map: sizes differ, or pixel formats are not those of SDR and HDR")
        }
        return try GainMapMeasurement(sdr, hdr, account, stop).map(stop)
    }

    private init(_ sdr: Image, _ hdr: Image, _ account: WorkingMemory, _ stop: CancellationToken) throws(ImageError) {
        let isDeep = sdr.pixels.format.bytesPerChannel > 1
        self.sdr = try sdr.still.converted(to: isDeep ? .rgba16 : .rgb8)
        self.hdr = hdr
        size = PixelSize(width: (hdr.size.width + 1) / 2, height: (hdr.size.height + 1) / 2)
        gains = try ScratchMemory(3 * size.width * size.height, of: Float.self, account: account)
        try measure(account, stop)
    }

    private func measure(_ account: WorkingMemory, _ stop: CancellationToken) throws(ImageError) {
        guard let light = RGBLight(sdr.metadata), let fromStandard = light.toStandard.inverse,
            let format = RGBLight.format(sdr.pixels)
        else { throw ImageError(.unsupported, "gain map: no matrix describes the colors of the SDR image") }
        let width = sdr.size.width, last = sdr.size.height - 1
        let rows = try ScratchMemory(2 * 3 * width, of: Float.self, account: account)
        unsafe try light.withKernel(format, .identity) { kernel throws(ImageError) in
            let dark = unsafe rows.bound(to: Float.self), gains = unsafe self.gains.bound(to: Float.self)
            guard let first = dark.baseAddress, let to = gains.baseAddress else { return }
            for y in 0..<size.height {
                if y % 16 == 0 { try stop.check() }
                let (upper, lower) = (2 * y, min(2 * y + 1, last))
                guard let above = unsafe sdr.pixels.row(upper)?.baseAddress,
                    let below = unsafe sdr.pixels.row(lower)?.baseAddress,
                    let top = unsafe hdr.pixels.row(upper)?.baseAddress, let bottom = unsafe hdr.pixels.row(lower)?.baseAddress
                else { return }
                unsafe sdpx_gain_light(first, above, width, &kernel)
                unsafe sdpx_gain_light(first + 3 * width, below, width, &kernel)
                unsafe sdpx_measure_gains(
                    to + 3 * size.width * y, first, first + 3 * width, top.assumingMemoryBound(to: Float.self),
                    bottom.assumingMemoryBound(to: Float.self), width, fromStandard.kernelRows, Float(GainMapMeasurement.offset))
            }
        }
    }

    private func map(_ stop: CancellationToken) throws(ImageError) -> GainMap {
        let peak = try peak(stop)
        guard peak > 1 else { throw ImageError(.unsupported, "gain map: no pixel is brighter than SDR white") }
        let ranges = (0..<3).map(range)
        let isGray = isGray(within: ranges)
        let common = ranges.dropFirst().reduce(ranges[0]) {
            min($0.lowerBound, $1.lowerBound)...max($0.upperBound, $1.upperBound)
        }
        var parameters = GainMap.Parameters()
        parameters.alternateHeadroom = log2(peak)
        let channels = ranges.map { range in
            var channel = GainMap.Channel()
            let used = isGray ? common : range
            (channel.minimum, channel.maximum) = (used.lowerBound, used.upperBound)
            (channel.baseOffset, channel.alternateOffset) = (GainMapMeasurement.offset, GainMapMeasurement.offset)
            return channel
        }
        (parameters.red, parameters.green, parameters.blue) = (channels[0], channels[1], channels[2])
        return GainMap(parameters, image: Image(pixels: try samples(channels, isGray: isGray), metadata: ImageMetadata()))
    }

    /// The brightest light of a channel, at most that of the highest valid headroom.
    private func peak(_ stop: CancellationToken) throws(ImageError) -> Double {
        var peak: Float = 0
        for y in 0..<hdr.size.height {
            if y % 64 == 0 { try stop.check() }
            guard let row = unsafe hdr.pixels.row(y)?.baseAddress else { break }
            peak = max(peak, unsafe sdpx_brightest(row.assumingMemoryBound(to: Float.self), hdr.size.width))
        }
        return min(Double(peak), exp2(GainMap.Parameters.mostStops))
    }

    /// The gains of one channel without outliers.
    private func range(_ channel: Int) -> ClosedRange<Double> {
        let counted = GainMapMeasurement.counted, scale = GainMapMeasurement.classes
        var counts = [Int](repeating: 0, count: Int((counted.upperBound - counted.lowerBound) * scale) + 1)
        let gains = unsafe self.gains.bound(to: Float.self)
        for index in stride(from: channel, to: gains.count, by: 3) {
            let gain = min(max(Double(unsafe gains[index]), counted.lowerBound), counted.upperBound)
            counts[Int((gain - counted.lowerBound) * scale)] += 1
        }
        let most = gains.count / 3 * GainMapMeasurement.outliers / 1000
        func first(_ classes: some Sequence<Int>) -> Int {
            var left = most
            return classes.first { index in
                left -= counts[index]
                return left < 0
            } ?? 0
        }
        let low = first(0..<counts.count), high = first((0..<counts.count).reversed())
        return counted.lowerBound + Double(low) / scale...counted.lowerBound + Double(max(high, low) + 1) / scale
    }

    /// True if the gains of red, green and blue are equal, but for outliers.
    private func isGray(within ranges: [ClosedRange<Double>]) -> Bool {
        let gains = unsafe self.gains.bound(to: Float.self)
        let step = Float((ranges[0].upperBound - ranges[0].lowerBound) / 255)
        var different = 0
        for index in stride(from: 0, to: gains.count - 2, by: 3) {
            let green = unsafe gains[index + 1]
            if unsafe abs(gains[index] - green) > step || abs(gains[index + 2] - green) > step { different += 1 }
        }
        return different <= gains.count / 3 * GainMapMeasurement.outliers / 1000
    }

    private func samples(_ channels: [GainMap.Channel], isGray: Bool) throws(ImageError) -> PixelBuffer {
        let pixels = try PixelBuffer(size: size, format: isGray ? .gray8 : .rgb8)
        let gains = unsafe self.gains.bound(to: Float.self)
        let low = channels.map { Float($0.minimum) }, scale = channels.map { 255 / Float($0.maximum - $0.minimum) }
        // The gain of a gray map is that of green.
        let first = isGray ? 1 : 0, count = isGray ? 1 : 3
        for y in 0..<size.height {
            guard let row = unsafe pixels.mutableRow(y) else { break }
            for x in 0..<size.width {
                for k in 0..<count {
                    let gain = unsafe gains[3 * (y * size.width + x) + first + k]
                    let sample = ((gain - low[k]) * scale[k]).rounded()
                    unsafe row[count * x + k] = UInt8(min(max(sample, 0), 255))
                }
            }
        }
        return pixels
    }
}
