import SDImage
import SDImagePixels

/// The linear light of the samples of an image, and the matrix from its primaries to those of sRGB. Shared by `GainMapRenderer`
/// and `GainMapMeasurement`.
struct RGBLight {
    /// The light of each table entry of the kernels.
    let curve: [Float]
    let toStandard: Matrix3x3

    /// sRGB without a profile and code points; nil if no matrix describes the colors: for profiles with tables, and for HLG, whose
    /// light depends on all channels.
    init?(_ metadata: ImageMetadata) {
        if let codes = metadata.cicp, let encoding = RGBEncoding(codePoints: codes) {
            guard encoding.curve != .hlg, let matrix = encoding.toStandard else { return nil }
            self.init(RGBLight.samples(encoding.curve), matrix)
        } else if let profile = metadata.colorProfile, metadata.cicp == nil {
            guard let shaper = ICCContext()?.shaper(profile, values: Int(SDPX_GAIN_ENTRIES)) else { return nil }
            self.init(shaper.curve, shaper.matrix)
        } else {
            self.init(RGBLight.standardCurve, .identity)
        }
    }

    /// The curve of sRGB.
    static let standardCurve = samples(.sRGB)

    /// A curve at the table entries of the kernels.
    private static func samples(_ curve: RGBEncoding.Curve) -> [Float] {
        let last = Int(SDPX_GAIN_ENTRIES) - 1
        return (0...last).map { Float(curve.toLinear(Double($0) / Double(last))) }
    }

    private init(_ curve: [Float], _ toStandard: Matrix3x3) {
        self.curve = curve
        self.toStandard = toStandard
    }

    /// The format of base pixels for the kernels; nil if they have none.
    static func format(_ pixels: PixelBuffer, isYCC: Bool = false) -> Int? {
        switch pixels.format {
        case .rgb8: Int(isYCC ? SDPX_GAIN_YCC : SDPX_GAIN_RGB)
        case .rgba16: Int(SDPX_GAIN_RGBA_16)
        default: nil
        }
    }

    /// Calls `body` with the parameters of steps 1 to 3 of the kernels.
    func withKernel(
        _ format: Int, _ toGainPrimaries: Matrix3x3, _ body: (inout sdpx_gain_map) throws(ImageError) -> Void
    ) throws(ImageError) {
        try unsafe curve.withUnsafeBufferPointer { curve throws(ImageError) in
            guard let first = curve.baseAddress else { return }
            var kernel = unsafe sdpx_gain_map()
            unsafe kernel.format = Int32(format)
            unsafe kernel.light = first
            unsafe kernel.to_gain_primaries = toGainPrimaries.kernelValues
            unsafe try body(&kernel)
        }
    }
}

extension Matrix3x3 {
    /// The rows for the kernels.
    var kernelRows: sdpx_matrix { sdpx_matrix(rows: kernelValues) }

    /// The rows as a C array.
    var kernelValues: (Float, Float, Float, Float, Float, Float, Float, Float, Float) {
        let values = rows.flatMap { $0.map(Float.init) }
        return (values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8])
    }
}
