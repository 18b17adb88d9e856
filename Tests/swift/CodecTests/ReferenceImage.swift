import Glibc
import SDImage
import TestSupport

/// An image in double precision, premultiplied and in 0 ... 1: the reference for the kernels.
struct ReferenceImage {
    let width: Int
    let height: Int
    let channels: Int
    /// Row by row, pixel by pixel.
    var samples: [Double]

    private init(width: Int, height: Int, channels: Int) {
        self.width = width
        self.height = height
        self.channels = channels
        samples = [Double](repeating: 0, count: width * height * channels)
    }

    /// The samples of a buffer as they are stored.
    init(stored buffer: PixelBuffer) {
        self.init(width: buffer.size.width, height: buffer.size.height, channels: buffer.format.channels)
        for y in 0..<height {
            for x in 0..<width { for k in 0..<channels { samples[(y * width + x) * channels + k] = buffer.sample(x, y, k) } }
        }
    }

    /// The pixels of a buffer, converted to linear light if `isLight`.
    init(_ buffer: PixelBuffer, isLight: Bool = false) {
        self.init(width: buffer.size.width, height: buffer.size.height, channels: buffer.format.channels)
        let format = buffer.format
        for y in 0..<height {
            for x in 0..<width {
                var pixel = (0..<channels).map { buffer.sample(x, y, $0) }
                let alpha = format.hasAlpha ? pixel[3] : 1
                for k in 0..<min(3, channels) {
                    var straight = format.isPremultiplied ? (alpha > 0 ? pixel[k] / alpha : 0) : pixel[k]
                    if isLight, format != .rgbaFloat { straight = ReferenceImage.light(min(1, straight)) }
                    pixel[k] = format.isPremultiplied && !isLight ? pixel[k] : straight * alpha
                }
                for k in 0..<channels { samples[(y * width + x) * channels + k] = pixel[k] }
            }
        }
    }

    /// The unrounded stored samples, in 0 ... 1, for a format with the same number of channels.
    func stored(_ format: PixelFormat, isLight: Bool = false) -> ReferenceImage {
        var result = self
        for at in stride(from: 0, to: samples.count, by: channels) {
            let alpha = format.hasAlpha ? min(1, max(0, samples[at + 3])) : 1
            for k in 0..<min(3, channels) {
                var value = format == .rgbaFloat ? samples[at + k] : min(alpha, max(0, samples[at + k]))
                if isLight, format != .rgbaFloat { value = alpha > 0 ? ReferenceImage.encoded(value / alpha) * alpha : 0 }
                result.samples[at + k] = format.isPremultiplied ? value : (alpha > 0 ? value / alpha : 0)
            }
            if format.hasAlpha { result.samples[at + 3] = alpha }
        }
        return result
    }

    private static func light(_ v: Double) -> Double { v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4) }
    private static func encoded(_ v: Double) -> Double { v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055 }

    // MARK: Resampling

    func resized(_ part: Rectangle, width: Int, height: Int, shape: FilterShape) -> ReferenceImage {
        let columns = (0..<width).map {
            ReferenceImage.weights($0, of: width, start: part.x, extent: part.width, count: self.width, shape)
        }
        let rows = (0..<height).map {
            ReferenceImage.weights($0, of: height, start: part.y, extent: part.height, count: self.height, shape)
        }
        var across = ReferenceImage(width: width, height: self.height, channels: channels)
        for y in 0..<self.height {
            for x in 0..<width {
                for (from, weight) in columns[x] {
                    for k in 0..<channels {
                        across.samples[(y * width + x) * channels + k] += weight * samples[(y * self.width + from) * channels + k]
                    }
                }
            }
        }
        var result = ReferenceImage(width: width, height: height, channels: channels)
        for y in 0..<height {
            for (from, weight) in rows[y] {
                for i in 0..<width * channels {
                    result.samples[y * width * channels + i] += weight * across.samples[from * width * channels + i]
                }
            }
        }
        return result
    }

    private static func weights(
        _ index: Int, of length: Int, start: Double, extent: Double, count: Int, _ shape: FilterShape
    ) -> [(Int, Double)] {
        let ratio = extent / Double(length)
        let center = start + (Double(index) + 0.5) * ratio
        var all = (0..<count).map { position -> (Int, Double) in
            let left = Double(position)
            let distance = (left + 0.5 - center) / max(1, ratio)
            let d = abs(distance)
            let sinc = { (x: Double) in x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
            switch shape {
            case .area: return (position, max(0, min(left + 1, center + ratio / 2) - max(left, center - ratio / 2)))
            case .lanczos: return (position, d < 3 ? sinc(d) * sinc(d / 3) : 0)
            case .linear: return (position, max(0, 1 - d))
            case .cubic:
                let a = -0.5
                let near = (a + 2) * d * d * d - (a + 3) * d * d + 1
                let far = a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a
                return (position, d < 1 ? near : d < 2 ? far : 0)
            }
        }
        let sum = all.reduce(0) { $0 + $1.1 }
        for i in all.indices { all[i].1 /= sum }
        return all.filter { $0.1 != 0 }
    }

    // MARK: Blurring

    /// Three box filters of width `box`, with the edges continued.
    func blurred(box: Int) -> ReferenceImage {
        var result = self
        for y in 0..<height {
            result.blur(box, start: y * width * channels, step: channels, count: width)
        }
        for x in 0..<width {
            result.blur(box, start: x * channels, step: width * channels, count: height)
        }
        return result
    }

    private mutating func blur(_ box: Int, start: Int, step: Int, count: Int) {
        for k in 0..<channels {
            var line = (0..<count).map { samples[start + k + $0 * step] }
            for _ in 0..<3 {
                line = (0..<count).map { center in
                    let near = max(0, center - box / 2)...min(count - 1, center + box / 2)
                    let before = max(0, box / 2 - center)
                    let behind = max(0, center + box / 2 - (count - 1))
                    let sum = near.reduce(0.0) { $0 + line[$1] } + Double(before) * line[0] + Double(behind) * line[count - 1]
                    return sum / Double(box)
                }
            }
            for i in 0..<count { samples[start + k + i * step] = line[i] }
        }
    }

    // MARK: Comparing

    /// In decibels, for samples in 0 ... 1. Colors of pixels with little alpha have proportionally less weight.
    func psnr(_ other: ReferenceImage, hasAlpha: Bool) -> Double {
        var sum = 0.0
        for at in samples.indices {
            let alpha = hasAlpha && at % 4 != 3 ? min(1, samples[at - at % 4 + 3] * 8) : 1
            let difference = (samples[at] - other.samples[at]) * alpha
            sum += difference * difference
        }
        return sum == 0 ? .infinity : -10 * log10(sum / Double(samples.count))
    }

    func worst(_ other: ReferenceImage) -> Double {
        zip(samples, other.samples).reduce(0) { max($0, abs($1.0 - $1.1)) }
    }
}

extension PixelBuffer {
    /// A sample in 0 ... 1; float samples unchanged.
    func sample(_ x: Int, _ y: Int, _ channel: Int) -> Double {
        guard let row = unsafe row(y) else { return .nan }
        let index = x * format.channels + channel
        switch format.bytesPerChannel {
        case 1: return unsafe Double(row[index]) / 255
        case 2: return unsafe Double(row.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)) / 65535
        default: return unsafe Double(row.loadUnaligned(fromByteOffset: 4 * index, as: Float.self))
        }
    }

    func setSample(_ x: Int, _ y: Int, _ channel: Int, _ value: Double) {
        guard let row = unsafe mutableRow(y) else { return }
        let index = x * format.channels + channel
        switch format.bytesPerChannel {
        case 1: unsafe row[index] = UInt8(min(255, max(0, (value * 255).rounded())))
        case 2:
            let deep = UInt16(min(65535, max(0, (value * 65535).rounded())))
            unsafe row.storeBytes(of: deep, toByteOffset: 2 * index, as: UInt16.self)
        default: unsafe row.storeBytes(of: Float(value), toByteOffset: 4 * index, as: Float.self)
        }
    }

    /// Waves, noise and hard edges; with alpha also transparent and translucent parts that hide bright colors.
    static func scene(_ width: Int, _ height: Int, _ format: PixelFormat, seed: UInt64 = 1) throws -> PixelBuffer {
        var randoms = Randoms(seed: seed)
        let buffer = try PixelBuffer(size: PixelSize(width: width, height: height), format: format)
        for y in 0..<height {
            for x in 0..<width {
                let noise = Double(randoms.below(1000)) / 1000
                let wave = 0.5 + 0.3 * sin(Double(x) / 3) * cos(Double(y) / 5)
                let edge = (x / 7 + y / 5) % 2 == 0 ? 0.2 : 0.0
                let alpha = !format.hasAlpha ? 1 : (x + y) % 11 < 4 ? 1 : (x / 6) % 3 == 0 ? 0 : noise
                for k in 0..<format.channels {
                    let color = min(1, max(0, wave + edge - 0.15 * Double(k) + 0.2 * (noise - 0.5)))
                    let stored = format.isPremultiplied ? color * alpha : color
                    buffer.setSample(x, y, k, k == 3 ? alpha : stored)
                }
            }
        }
        return buffer
    }

    /// The same value in every channel of every pixel.
    static func plain(_ width: Int, _ height: Int, _ format: PixelFormat, _ value: Double, alpha: Double = 1) throws
        -> PixelBuffer
    {
        let buffer = try PixelBuffer(size: PixelSize(width: width, height: height), format: format)
        for y in 0..<height {
            for x in 0..<width { for k in 0..<format.channels { buffer.setSample(x, y, k, k == 3 ? alpha : value) } }
        }
        return buffer
    }
}
