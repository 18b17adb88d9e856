import CWebP
import SDImage

/// Configuration of libwebp: its defaults for a quality, overridden by the options of the caller. `WebPEncoder` makes one for
/// each attempt at a quality, which is 0 to 1.
struct WebPEncoderConfiguration {
    /// Default method of libwebp, and default level of lossless compression.
    private static let effort = 4
    private static let losslessEffort = 6

    /// Passes of an encode with a target PSNR.
    private static let searchPasses: Int32 = 6

    /// The validated configuration.
    let value: WebPConfig

    init(_ options: EncodeOptions, quality: Double) throws(ImageError) {
        var config = WebPConfig()
        guard unsafe WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, Float(quality * 100)) != 0 else {
            throw ImageError(.unsupported, "webp: libwebp differs from the version at build time")
        }
        if options.isLossless {
            let level = Int32(clamping: options.effort ?? WebPEncoderConfiguration.losslessEffort)
            guard unsafe WebPConfigLosslessPreset(&config, level) != 0 else {
                throw ImageError(.internalError, "webp: compression level \(level) refused by libwebp")
            }
            // Keeps colors under transparent pixels.
            config.exact = 1
        } else {
            config.method = Int32(clamping: min(6, options.effort ?? WebPEncoderConfiguration.effort))
        }
        // libwebp may use a thread of its own.
        config.thread_level = 1
        for (parameter, number) in options.webP { try WebPEncoderConfiguration.set(parameter, number, &config) }
        // One pass only measures the PSNR; further passes approach the target.
        if config.target_PSNR > 0, options.webP[.pass] == nil { config.pass = WebPEncoderConfiguration.searchPasses }
        // libwebp checks the upper bound of alpha_compression only when it encodes, and that of alpha_filtering never.
        guard unsafe WebPValidateConfig(&config) != 0, config.alpha_compression <= 1, config.alpha_filtering <= 2 else {
            throw ImageError(.invalidArgument, "webp: encoder parameter out of range")
        }
        value = config
    }

    /// The fields of parameters that are integers.
    private static let fields: [EncodeOptions.WebPParameter: any WritableKeyPath<WebPConfig, Int32> & Sendable] = [
        .method: \.method, .pass: \.pass, .preprocessing: \.preprocessing, .threadLevel: \.thread_level,
        .lowMemory: \.low_memory, .segments: \.segments, .snsStrength: \.sns_strength,
        .filterStrength: \.filter_strength, .filterSharpness: \.filter_sharpness, .filterType: \.filter_type,
        .autofilter: \.autofilter, .alphaCompression: \.alpha_compression, .alphaFiltering: \.alpha_filtering,
        .alphaQuality: \.alpha_quality, .showCompressed: \.show_compressed, .partitions: \.partitions,
        .partitionLimit: \.partition_limit, .useSharpYUV: \.use_sharp_yuv,
    ]

    /// Sets a parameter. libwebp checks the ranges of integers, but accepts a PSNR that is not a number.
    private static func set(
        _ parameter: EncodeOptions.WebPParameter, _ number: Double, _ config: inout WebPConfig
    ) throws(ImageError) {
        if parameter == .targetPSNR, Float(number).isFinite {
            config.target_PSNR = Float(number)
        } else if let field = fields[parameter], let whole = Int32(exactly: number) {
            config[keyPath: field] = whole
        } else {
            throw ImageError(.invalidArgument, "webp: \(number) is not a valid value of parameter \(parameter.rawValue)")
        }
    }
}
