import Glibc
import SDImage
import SDImagePixels

/// Computes the gain map from an SDR image to its HDR rendition: the ratio of their light at each pixel. Gains are computed twice,
/// first for the range of the samples, instead of kept: they would take as much memory as the HDR image. `JPEGGainMapEncoder`
/// and the C functions use it, on the calling thread.
package struct GainMapMeasurement {
    private let sdr: PixelBuffer
    private let hdr: PixelBuffer
    /// Linear light of `sdr`, and the matrix from the primaries of sRGB, in which `hdr` is, to those of `sdr`.
    private let light: RGBLight
    private let fromStandard: Matrix3x3
    private let account: WorkingMemory
    private let stop: CancellationToken

    /// Light that is added to both renditions, so that the ratio of dark pixels is defined (ISO 21496-1, annex A).
    private static let offset = 1.0 / 64
    /// Among this number of pixels, the gains of one may lie outside of the range of the samples, or differ between the channels of
    /// a gray map: single pixels make it neither coarse nor colored.
    private static let pixelsPerOutlier = 1000
    /// Headroom in stops below which the renditions are equal.
    private static let leastHeadroom = 1.0 / 64
    /// Difference in stops below which the gains of two channels are equal: less than 2 % of the light.
    private static let tolerance: Float = 1.0 / 64

    /// `sdr` has integer pixels. Throws UNSUPPORTED if no pixel of `hdr` is brighter than SDR white.
    package static func map(
        from sdr: Image, to hdr: Image, account: WorkingMemory, stop: CancellationToken
    ) throws(ImageError) -> GainMap {
        guard hdr.pixels.format == .rgbaFloat, sdr.pixels.format != .rgbaFloat, sdr.size == hdr.size else {
            throw ImageError(.invalidArgument, "gain map: sizes differ, or pixel formats are not those of SDR and HDR")
        }
        guard let light = RGBLight(sdr.metadata), let fromStandard = light.toStandard.inverse else {
            throw ImageError(.unsupported, "gain map: no matrix describes the colors of the SDR image")
        }
        // The kernels read RGB with 8 bits and RGBA with 16.
        let isDeep = sdr.pixels.format.bytesPerChannel > 1
        let base = try sdr.still.converted(to: isDeep ? .rgba16 : .rgb8).pixels
        return try GainMapMeasurement(
            sdr: base, hdr: hdr.pixels, light: light, fromStandard: fromStandard, account: account, stop: stop
        ).map()
    }

    /// Measures twice: the range of the gains, then the samples.
    private func map() throws(ImageError) -> GainMap {
        let peak = try peak()
        guard log2(peak) > GainMapMeasurement.leastHeadroom else {
            throw ImageError(.unsupported, "gain map: no pixel is brighter than SDR white")
        }
        var statistics = GainStatistics(tolerance: GainMapMeasurement.tolerance)
        // First pass: the distribution of the gains gives the range of the samples.
        unsafe try forEachRow { _, gains in unsafe statistics.add(gains) }
        let most = hdr.size.width * hdr.size.height / GainMapMeasurement.pixelsPerOutlier
        // One channel is enough if the gains hardly differ between channels.
        let isGray = statistics.colored <= most
        let channels = statistics.ranges(without: most, isGray: isGray).map { range in
            var channel = GainMap.Channel()
            (channel.minimum, channel.maximum) = (range.lowerBound, range.upperBound)
            (channel.baseOffset, channel.alternateOffset) = (GainMapMeasurement.offset, GainMapMeasurement.offset)
            return channel
        }
        var parameters = GainMap.Parameters()
        parameters.alternateHeadroom = log2(peak)
        (parameters.red, parameters.green, parameters.blue) = (channels[0], channels[1], channels[2])
        return GainMap(parameters, image: Image(pixels: try samples(channels, isGray: isGray), metadata: ImageMetadata()))
    }

    /// Passes the gains of each row to `body`: three per pixel, in stops.
    private func forEachRow(_ body: (Int, UnsafeBufferPointer<Float>) -> Void) throws(ImageError) {
        guard let format = RGBLight.format(sdr) else { return }
        let count = 3 * sdr.size.width
        let rows = try ScratchMemory(2 * count, of: Float.self, account: account)
        let memory = unsafe rows.bound(to: Float.self)
        guard let dark = memory.baseAddress else { return }
        let gains = unsafe dark + count
        unsafe try light.withKernel(format, .identity) { kernel throws(ImageError) in
            for y in 0..<sdr.size.height {
                if y % 16 == 0 { try stop.check() }
                guard let base = unsafe sdr.row(y)?.baseAddress, let other = unsafe hdr.row(y)?.baseAddress else { return }
                unsafe sdpx_gain_light(dark, base, sdr.size.width, &kernel)
                unsafe sdpx_measure_gains(
                    gains, dark, other.assumingMemoryBound(to: Float.self), sdr.size.width, fromStandard.kernelRows,
                    Float(GainMapMeasurement.offset))
                unsafe body(y, UnsafeBufferPointer(start: gains, count: count))
            }
        }
        withExtendedLifetime(rows) {}
    }

    /// The brightest light of a channel, at most that of the highest valid headroom.
    private func peak() throws(ImageError) -> Double {
        var peak: Float = 0
        for y in 0..<hdr.size.height {
            if y % 64 == 0 { try stop.check() }
            guard let row = unsafe hdr.row(y)?.baseAddress else { break }
            peak = max(peak, unsafe sdpx_brightest(row.assumingMemoryBound(to: Float.self), hdr.size.width))
        }
        return min(Double(peak), exp2(GainMap.Parameters.mostStops))
    }

    /// Maps the gains from their range to 0 … 255; gains outside are clipped.
    private func samples(_ channels: [GainMap.Channel], isGray: Bool) throws(ImageError) -> PixelBuffer {
        let pixels = try PixelBuffer(size: hdr.size, format: isGray ? .gray8 : .rgb8)
        let low = channels.map { Float($0.minimum) }, scale = channels.map { 255 / Float($0.maximum - $0.minimum) }
        // The gain of a gray map is that of green.
        let first = isGray ? 1 : 0, count = isGray ? 1 : 3
        unsafe try forEachRow { y, gains in
            guard let row = unsafe pixels.mutableRow(y) else { return }
            for x in 0..<hdr.size.width {
                for k in 0..<count {
                    let sample = unsafe ((gains[3 * x + first + k] - low[first + k]) * scale[first + k]).rounded()
                    unsafe row[count * x + k] = UInt8(min(max(sample, 0), 255))
                }
            }
        }
        return pixels
    }
}

/// The distribution of gains in stops.
private struct GainStatistics {
    /// Gains in each class: of red, then of green, then of blue.
    private var counts = [Int](repeating: 0, count: 3 * classes)
    /// Pixels whose gains differ between channels.
    private(set) var colored = 0
    private let tolerance: Float

    /// Gains from the lowest to the highest that a map may have, in classes of a 32nd of a stop.
    private static let lowest = -Float(SDPX_GAIN_LIMIT), perStop: Float = 32
    private static let classes = 2 * Int(SDPX_GAIN_LIMIT) * Int(perStop) + 1

    init(tolerance: Float) { self.tolerance = tolerance }

    /// Counts a row of gains, three per pixel. All gains are numbers within the limits of the kernel.
    mutating func add(_ gains: UnsafeBufferPointer<Float>) {
        for at in stride(from: 0, to: gains.count - 2, by: 3) {
            let green = unsafe gains[at + 1]
            if unsafe abs(gains[at] - green) > tolerance || abs(gains[at + 2] - green) > tolerance { colored += 1 }
            for channel in 0..<3 {
                let gain = unsafe gains[at + channel]
                let index = Int((gain - GainStatistics.lowest) * GainStatistics.perStop)
                counts[channel * GainStatistics.classes + index] += 1
            }
        }
    }

    /// The range of each channel, beyond which there are at most `outliers` gains at each end; that of green for all channels of a
    /// gray map.
    func ranges(without outliers: Int, isGray: Bool) -> [ClosedRange<Double>] {
        (0..<3).map { channel in
            let start = (isGray ? 1 : channel) * GainStatistics.classes
            let counts = counts[start..<start + GainStatistics.classes]
            let low = GainStatistics.first(counts, outliers)
            let high = counts.count - 1 - GainStatistics.first(counts.reversed(), outliers)
            // The highest class begins at the limit, and a range is not empty.
            let lowest = min(low, counts.count - 2)
            return GainStatistics.stops(lowest)...GainStatistics.stops(max(lowest, high) + 1)
        }
    }

    /// The first class with which more than `outliers` gains are counted.
    private static func first(_ counts: some Sequence<Int>, _ outliers: Int) -> Int {
        var sum = 0
        for (index, count) in counts.enumerated() {
            sum += count
            if sum > outliers { return index }
        }
        return 0
    }

    /// The lowest gain of a class.
    private static func stops(_ index: Int) -> Double { min(Double(Float(index) / perStop + lowest), Double(SDPX_GAIN_LIMIT)) }
}
