import CWebP
import SDImage

/// What libwebp is told: its defaults for a quality, and over them what the caller chose.
struct WebPConfiguration {
    /// libwebp's method, or its level of lossless compression, where none was chosen.
    private static let effort = 4
    private static let losslessEffort = 6

    private static let searchPasses: Int32 = 6

    let value: WebPConfig

    init(_ options: EncodeOptions, quality: Double) throws(ImageError) {
        var config = WebPConfig()
        guard unsafe WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, Float(quality * 100)) != 0 else {
            throw ImageError(.unsupported, "a libwebp of another version than the one built with")
        }
        if options.isLossless {
            let level = Int32(clamping: options.effort ?? WebPConfiguration.losslessEffort)
            guard unsafe WebPConfigLosslessPreset(&config, level) != 0 else {
                throw ImageError(.internalError, "libwebp refuses a level of compression")
            }
            // Colours under transparent pixels are pixels, too.
            config.exact = 1
        } else {
            config.method = Int32(clamping: min(6, options.effort ?? WebPConfiguration.effort))
        }
        config.thread_level = 1
        for (parameter, number) in options.webP { try WebPConfiguration.set(parameter, number, &config) }
        // One pass measures the PSNR, and only others after it come nearer.
        if config.target_PSNR > 0, options.webP[.pass] == nil { config.pass = WebPConfiguration.searchPasses }
        guard unsafe WebPValidateConfig(&config) != 0 else {
            throw ImageError(.invalidArgument, "a WebP parameter outside its range")
        }
        value = config
    }

    private static let places: [EncodeOptions.WebPParameter: any WritableKeyPath<WebPConfig, Int32> & Sendable] = [
        .method: \.method, .pass: \.pass, .preprocessing: \.preprocessing, .threadLevel: \.thread_level,
        .lowMemory: \.low_memory, .segments: \.segments, .snsStrength: \.sns_strength,
        .filterStrength: \.filter_strength, .filterSharpness: \.filter_sharpness, .filterType: \.filter_type,
        .autofilter: \.autofilter, .alphaCompression: \.alpha_compression, .alphaFiltering: \.alpha_filtering,
        .alphaQuality: \.alpha_quality, .showCompressed: \.show_compressed, .partitions: \.partitions,
        .partitionLimit: \.partition_limit, .useSharpYUV: \.use_sharp_yuv,
    ]

    /// libwebp checks the range of whole numbers, and takes what is none for a PSNR.
    private static func set(
        _ parameter: EncodeOptions.WebPParameter, _ number: Double, _ config: inout WebPConfig
    ) throws(ImageError) {
        if parameter == .targetPSNR, number.isFinite {
            config.target_PSNR = Float(number)
        } else if let place = places[parameter], let whole = Int32(exactly: number) {
            config[keyPath: place] = whole
        } else {
            throw ImageError(.invalidArgument, "a WebP parameter that is no number of its kind")
        }
    }
}
