import CSDImage
import SDImage

/// Conversions of C enums to values of the core, for arguments, and back, for getters; unknown numbers are an error where the
/// conversion throws. The fallbacks in `code` are for values that C does not have.
extension ScaleMode {
    /// The numbers of C and of the core differ.
    package init(_ mode: sdimage_scale_mode) throws(ImageError) {
        switch mode {
        case .SDIMAGE_SCALE_MODE_ASPECT_FIT: self = .aspectFit
        case .SDIMAGE_SCALE_MODE_FILL: self = .fill
        case .SDIMAGE_SCALE_MODE_ASPECT_FILL: self = .aspectFill
        @unknown default: throw ImageError(.invalidArgument, "options: unknown scale mode \(mode.rawValue)")
        }
    }

    package var code: sdimage_scale_mode {
        switch self {
        case .fill: .SDIMAGE_SCALE_MODE_FILL
        case .aspectFit: .SDIMAGE_SCALE_MODE_ASPECT_FIT
        case .aspectFill: .SDIMAGE_SCALE_MODE_ASPECT_FILL
        }
    }
}

extension ResizeTransformer.Resampling {
    /// The numbers are the same in C and in the core.
    package init(_ resampling: sdimage_resampling) throws(ImageError) {
        guard let known = Self(rawValue: Int32(bitPattern: resampling.rawValue)) else {
            throw ImageError(.invalidArgument, "options: unknown resampling \(resampling.rawValue)")
        }
        self = known
    }
}

extension BlendMode {
    package init(_ mode: sdimage_blend_mode) throws(ImageError) {
        guard let known = Self(rawValue: Int32(bitPattern: mode.rawValue)) else {
            throw ImageError(.invalidArgument, "options: unknown blend mode \(mode.rawValue)")
        }
        self = known
    }
}

extension ImageFormat {
    /// The format to encode; UNKNOWN lets the library choose one.
    package init(encoding format: sdimage_format) throws(ImageError) {
        guard let known = ImageFormat(rawValue: format.rawValue) else {
            throw ImageError(.unsupported, "encoder: unknown format \(format.rawValue)")
        }
        self = known
    }
}

extension Rectangle {
    package init(_ rect: sdimage_rect) { self.init(x: rect.x, y: rect.y, width: rect.width, height: rect.height) }
}

extension PlaybackMode {
    /// nil for an unknown number.
    package init?(_ mode: sdimage_playback_mode) { self.init(rawValue: Int32(bitPattern: mode.rawValue)) }

    package var code: sdimage_playback_mode {
        sdimage_playback_mode(rawValue: UInt32(bitPattern: rawValue)) ?? .SDIMAGE_PLAYBACK_MODE_NORMAL
    }
}

extension Color {
    package init(_ color: sdimage_color) {
        self.init(red: color.red, green: color.green, blue: color.blue, alpha: color.alpha)
    }

    package var code: sdimage_color { sdimage_color(red: red, green: green, blue: blue, alpha: alpha) }
}

extension PixelSize {
    package init(_ size: sdimage_size) { self.init(width: Int(size.width), height: Int(size.height)) }
}

extension LoadPriority {
    package var code: sdimage_priority { sdimage_priority(rawValue: rawValue) ?? .SDIMAGE_PRIORITY_NORMAL }
}

extension SourcePolicy {
    package var code: sdimage_source_policy {
        sdimage_source_policy(rawValue: UInt32(bitPattern: rawValue)) ?? .SDIMAGE_SOURCE_POLICY_ANY
    }
}

extension BlockingReads {
    package var code: sdimage_blocking_reads {
        sdimage_blocking_reads(rawValue: UInt32(bitPattern: rawValue)) ?? .SDIMAGE_BLOCKING_READS_NONE
    }
}

extension EvictionPolicy {
    package var code: sdimage_eviction { sdimage_eviction(rawValue: rawValue) ?? .SDIMAGE_EVICTION_ADAPTIVE }
}

extension CacheQuery.Order {
    package var code: sdimage_cache_order {
        sdimage_cache_order(rawValue: UInt32(bitPattern: rawValue)) ?? .SDIMAGE_CACHE_ORDER_STORED
    }
}

extension CacheChain.Policy {
    package var code: sdimage_cache_chain_policy {
        sdimage_cache_chain_policy(rawValue: UInt32(bitPattern: rawValue)) ?? .SDIMAGE_CACHE_CHAIN_POLICY_SERIAL
    }
}

extension DynamicRange {
    package var code: sdimage_dynamic_range {
        switch self {
        case .sdr: .SDIMAGE_DYNAMIC_RANGE_SDR
        case .hdr: .SDIMAGE_DYNAMIC_RANGE_HDR
        case .automatic: .SDIMAGE_DYNAMIC_RANGE_AUTOMATIC
        }
    }
}

extension HDRTransfer? {
    /// nil for the default, and for transfers that decodes cannot produce.
    package init(_ transfer: sdimage_transfer_characteristics) {
        self = UInt8(exactly: transfer.rawValue).flatMap(HDRTransfer.init(rawValue:))
    }

    package var code: sdimage_transfer_characteristics {
        switch self {
        case .pq: .SDIMAGE_TRANSFER_CHARACTERISTICS_PQ
        case .hlg: .SDIMAGE_TRANSFER_CHARACTERISTICS_HLG
        case nil: .SDIMAGE_TRANSFER_CHARACTERISTICS_DEFAULT
        }
    }
}

extension Isolation? {
    /// nil for the default; an unknown number isolates everything.
    package init(_ isolation: sdimage_isolation) {
        self = isolation == .SDIMAGE_ISOLATION_DEFAULT ? nil : Isolation(rawValue: Int32(bitPattern: isolation.rawValue)) ?? .all
    }

    package var code: sdimage_isolation {
        switch self {
        case nil: .SDIMAGE_ISOLATION_DEFAULT
        case .none?: .SDIMAGE_ISOLATION_NONE
        case .risky?: .SDIMAGE_ISOLATION_RISKY
        case .all?: .SDIMAGE_ISOLATION_ALL
        }
    }
}
