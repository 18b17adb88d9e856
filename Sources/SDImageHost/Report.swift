import CSDImage
import SDImage

/// The JSON objects returned by C functions. Names and meanings of members are part of the documentation of each function in
/// include/.
package enum Report {
    /// The properties of an image; blocks of metadata by their sizes.
    package static func info(_ info: ImageInfo) -> JSONText {
        .object([
            ("format", .string("\(info.format.name)")),
            ("width", .integer(info.displayedSize.width)),
            ("height", .integer(info.displayedSize.height)),
            ("stored_width", .integer(info.storedSize.width)),
            ("stored_height", .integer(info.storedSize.height)),
            ("orientation", .integer(Int(info.orientation.rawValue))),
            ("frame_count", .integer(info.frameCount)),
            ("loop_count", .integer(info.loopCount)),
            ("duration_ms", .integer(info.durationMilliseconds)),
            ("has_alpha", .bool(info.hasAlpha)),
            ("bits_per_channel", .integer(info.bitsPerChannel)),
            ("channel_count", .integer(info.channels)),
            ("is_progressive", .bool(info.isProgressive)),
            ("has_color_profile", .bool(info.hasColorProfile)),
            ("is_hdr", .bool(info.isHighDynamicRange)),
            ("transfer_characteristics", .integer(Int(info.transfer))),
            ("has_gain_map", .bool(info.hasGainMap)),
            ("content_headroom", .number(info.contentHeadroom)),
            ("dpi_x", info.dpi.map { .number($0.x) } ?? .null),
            ("dpi_y", info.dpi.map { .number($0.y) } ?? .null),
            ("exif_bytes", .integer(info.exif?.count ?? 0)),
            ("xmp_bytes", .integer(info.xmp?.count ?? 0)),
            ("color_profile_bytes", .integer(info.colorProfile?.count ?? 0)),
            ("text", text(info.text)),
        ])
    }

    /// Joins the texts of a repeated key to one text of several lines: parsers disagree about duplicate keys.
    private static func text(_ entries: [(key: String, value: String)]) -> JSONText {
        var order: [String] = []
        var values: [String: String] = [:]
        for (key, value) in entries {
            if values[key] == nil {
                order.append(key)
                values[key] = value
            } else {
                values[key]?.append("\n" + value)
            }
        }
        return .object(order.map { ($0, .string(values[$0] ?? "")) })
    }

    /// An object with one number for each name.
    package static func counts(_ counts: [(name: String, value: Int)]) -> JSONText {
        .object(counts.map { ($0.name, .integer($0.value)) })
    }

    private static func text(_ value: CString?) -> JSONText {
        guard let value else { return .null }
        return .string(value.string)
    }

    /// The state of the library and its environment.
    package static func diagnosis(_ found: DiagnosisObject) -> JSONText {
        .object([
            ("version", .string("\(Version.text)")),
            ("formats", .object([("decode", names(found.decodable)), ("encode", names(found.encodable))])),
            ("libraries", .object(found.libraries.map { ($0.name.string, .string($0.value.string)) })),
            ("plugins", .object(found.plugins.map { ($0.name.string, .string($0.value.string)) })),
            ("limits", .object(found.limits.map { ($0.name.string, .integer($0.value)) })),
            ("disabled", .array(found.disabled.map { .string($0.string) })),
            ("isolation", .string("\(found.isolation.name)")),
            ("decoder_path", text(found.decoderPath)),
            ("workers", counts(found.workers)),
            ("cache_path", text(found.cachePath)),
            ("cache_path_source", text(found.cachePathSource)),
            ("cache_path_problem", text(found.cachePathProblem)),
            ("processors", .integer(found.processorCount)),
            ("simd_level", .string(found.simdLevel.string)),
            (
                "pixel_pool",
                .object([
                    ("live_bytes", .integer(found.livePixelBytes)), ("retained_bytes", .integer(found.retainedPixelBytes)),
                ])
            ),
            ("library_threads", .integer(found.threadCount)),
            ("engine_running", .bool(found.isRunning)),
            ("forked", .bool(found.isForked)),
        ])
    }

    /// The counters of a cache; throws if it is closed.
    package static func statistics(_ cache: ImageCache) throws(ImageError) -> JSONText {
        try cache.check()
        let memory = cache.memory.statistics
        return .object([
            (
                "memory",
                .object([
                    ("hits", .integer(memory.hits)), ("misses", .integer(memory.misses)),
                    ("evictions", .integer(memory.evictions)), ("ghost_hits", .integer(memory.ghostHits)),
                    ("bytes", .integer(memory.bytes)), ("count", .integer(memory.count)),
                ])
            ),
            ("disk", cache.disk.map(disk) ?? .null),
        ])
    }

    /// The state of the frame budget.
    package static func statistics(_ budget: FrameBudget) -> JSONText {
        let used = budget.statistics
        return .object([
            ("limit", .integer(used.limit)), ("animations", .integer(used.pools)), ("frames", .integer(used.frames)),
            ("bytes", .integer(used.bytes)), ("canvas_bytes", .integer(used.canvasBytes)), ("hits", .integer(used.hits)),
            ("misses", .integer(used.misses)), ("decodes", .integer(used.decodes)),
            ("evictions", .integer(used.evictions)),
        ])
    }

    /// The outcome of a check of a disk cache.
    package static func verification(_ report: CacheReport) -> JSONText {
        .object([
            ("sound", .bool(report.isSound)), ("entries", .integer(report.entries)), ("bytes", .integer(report.bytes)),
            ("damaged", .integer(report.damaged)), ("missing", .integer(report.missing)),
            ("strays", .integer(report.strays)), ("index_damaged", .bool(report.isIndexDamaged)),
            ("totals_wrong", .bool(report.areTotalsWrong)), ("repaired", .bool(report.isRepaired)),
            ("keys", .array(report.keys.map { .string($0.description) })),
        ])
    }

    /// The description of a filter and its parameters.
    package static func filter(_ filter: Filter) -> JSONText {
        .object([
            ("name", .string(filter.name)), ("aliases", .array(filter.aliases.map { .string($0) })),
            ("summary", .string(filter.summary)), ("space", .string(filter.space.rawValue)),
            (
                "parameters",
                .array(
                    filter.parameters.map {
                        .object([
                            ("name", .string($0.name)), ("default", .number($0.standard)), ("minimum", .number($0.minimum)),
                            ("maximum", .number($0.maximum)),
                        ])
                    })
            ),
        ])
    }

    /// The counters of the disk part.
    private static func disk(_ cache: DiskCache) -> JSONText {
        let used = cache.statistics
        // Counters exist without the index; its totals are 0 if it cannot be read.
        let totals = try? cache.totalsNow()
        return .object([
            ("hits", .integer(used.hits)), ("misses", .integer(used.misses)), ("stores", .integer(used.stores)),
            ("dropped_stores", .integer(used.droppedStores)), ("damaged_entries", .integer(used.damagedEntries)),
            ("damaged_indexes", .integer(used.damagedDatabases)), ("missing_files", .integer(used.missingFiles)),
            ("evictions", .integer(used.trimmedEntries)), ("pending_bytes", .integer(used.pendingBytes)),
            ("bytes", .integer(totals?.bytes ?? 0)), ("count", .integer(totals?.count ?? 0)),
            ("allocated_bytes", .integer(totals?.footprint ?? 0)),
            ("last_error", used.lastError.map { .string($0.message.string) } ?? .null),
        ])
    }

    /// The names of formats, sorted.
    private static func names(_ formats: Set<ImageFormat>) -> JSONText {
        .array(formats.map { "\($0.name)" }.sorted().map { .string($0) })
    }
}
