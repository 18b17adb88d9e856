import CSDImage
import SDImage

/// Static names of enum values, and conversions of the core's enums to C values. Names are lent for the life of the process.
package enum Names {
    /// Static strings end with a NUL.
    package static func pointer(_ name: StaticString) -> Text {
        unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// A number of a later version is "UNKNOWN".
    package static func status(_ status: sdimage_status) -> Text {
        unsafe pointer(Status(rawValue: status.rawValue)?.name ?? "UNKNOWN")
    }

    /// AUTOMATIC and unknown numbers are "automatic".
    package static func pixelFormat(_ format: sdimage_pixel_format) -> Text {
        let name = PixelFormat(rawValue: Int32(bitPattern: format.rawValue))?.name
        return unsafe pointer(name ?? (format == .SDIMAGE_PIXEL_FORMAT_NATIVE ? "native" : "automatic"))
    }

    /// The texts of a filter as C strings.
    package struct FilterTexts: Sendable {
        package let filter: Filter
        package let name, summary: CString
        package let aliases, parameters: [CString]
    }

    /// The filters of the catalog, in its order.
    package static let filters = FilterCatalog.filters.map { filter in
        FilterTexts(
            filter: filter, name: CString(filter.name), summary: CString(filter.summary),
            aliases: filter.aliases.map { CString($0) }, parameters: filter.parameters.map { CString($0.name) })
    }

    /// nil beyond the last filter.
    package static func filter(_ index: Int) -> FilterTexts? { filters.indices ~= index ? filters[index] : nil }
}

extension PixelFormat {
    package var code: sdimage_pixel_format { sdimage_pixel_format(rawValue: UInt32(rawValue)) ?? .SDIMAGE_PIXEL_FORMAT_AUTOMATIC }

    package var name: StaticString {
        switch self {
        case .gray8: "gray8"
        case .rgb8: "rgb8"
        case .rgba8: "rgba8"
        case .rgba8Premultiplied: "rgba8_premultiplied"
        case .bgra8Premultiplied: "bgra8_premultiplied"
        case .gray16: "gray16"
        case .rgb16: "rgb16"
        case .rgba16: "rgba16"
        case .rgbaFloat: "rgba_float"
        }
    }
}

extension ImageFormat {
    package var code: sdimage_format { sdimage_format(rawValue: rawValue) ?? .SDIMAGE_FORMAT_UNKNOWN }
}

extension Orientation {
    package var code: sdimage_orientation { sdimage_orientation(rawValue: UInt32(rawValue)) ?? .SDIMAGE_ORIENTATION_UP }
}

extension DeliveryKind {
    package var code: sdimage_delivery_kind { sdimage_delivery_kind(rawValue: UInt32(rawValue)) ?? .SDIMAGE_DELIVERY_KIND_FINAL }
}

extension ImageSource {
    package var code: sdimage_image_source { sdimage_image_source(rawValue: UInt32(rawValue)) ?? .SDIMAGE_IMAGE_SOURCE_NONE }
}

extension Isolation {
    package var name: StaticString {
        switch self {
        case .none: "none"
        case .risky: "risky"
        case .all: "all"
        }
    }
}

extension FreshnessRule {
    package var code: sdimage_freshness_rule {
        sdimage_freshness_rule(rawValue: UInt32(rawValue)) ?? .SDIMAGE_FRESHNESS_RULE_NONE
    }
}

extension FreshnessPolicy {
    /// An unknown number counts as IGNORE.
    package init(_ freshness: sdimage_freshness) {
        self = FreshnessPolicy(rawValue: Int32(bitPattern: freshness.rawValue)) ?? .ignore
    }

    package var code: sdimage_freshness {
        sdimage_freshness(rawValue: UInt32(bitPattern: rawValue)) ?? .SDIMAGE_FRESHNESS_IGNORE
    }
}

extension CacheLayers {
    /// The disk is bit 0 and memory bit 1, in C and in the core; further bits are ignored.
    package init(_ layers: sdimage_cache_layers) { self = CacheLayers(rawValue: Int32(layers.rawValue & 3)) }

    package var code: sdimage_cache_layers { sdimage_cache_layers(rawValue: UInt32(rawValue & 3)) ?? .SDIMAGE_CACHE_LAYERS_NONE }
}

extension StageTimings {
    /// The time of a stage; 0 for an unknown one.
    package func nanoseconds(_ stage: sdimage_stage) -> UInt64 {
        switch stage {
        case .SDIMAGE_STAGE_TOTAL: total
        case .SDIMAGE_STAGE_QUEUED: queued
        case .SDIMAGE_STAGE_DISK: diskQuery
        case .SDIMAGE_STAGE_LOAD: load
        case .SDIMAGE_STAGE_DECODE: decode
        case .SDIMAGE_STAGE_STORE: store
        @unknown default: 0
        }
    }
}

extension ExpiryRule {
    /// An unknown number counts as ACCESS.
    package init(_ rule: sdimage_expire_rule) { self = ExpiryRule(rawValue: rule.rawValue) ?? .access }

    package var code: sdimage_expire_rule { sdimage_expire_rule(rawValue: rawValue) ?? .SDIMAGE_EXPIRE_RULE_ACCESS }
}

extension LoadTransaction {
    /// The time of a phase; 0 for an unknown one.
    package func nanoseconds(_ phase: sdimage_transaction_phase) -> UInt64 {
        switch phase {
        case .SDIMAGE_TRANSACTION_PHASE_NAME_LOOKUP: nameLookup
        case .SDIMAGE_TRANSACTION_PHASE_CONNECT: connect
        case .SDIMAGE_TRANSACTION_PHASE_TLS: tls
        case .SDIMAGE_TRANSACTION_PHASE_FIRST_BYTE: firstByte
        case .SDIMAGE_TRANSACTION_PHASE_TOTAL: total
        @unknown default: 0
        }
    }
}
