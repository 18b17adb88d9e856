import SDImage

/// Numbers in the text format of Prometheus 0.0.4: `# HELP`, `# TYPE`, then a line for each combination of labels. All names
/// begin with `sdimage_`.
package struct MetricsText {
    private var text = ""

    package typealias Sample = (labels: [(name: String, value: String)], value: Double)

    /// A counter only grows; a gauge is a current value.
    package mutating func counter(_ name: String, _ help: String, _ samples: [Sample]) { metric(name, "counter", help, samples) }
    package mutating func counter(_ name: String, _ help: String, _ value: Int) { counter(name, help, [([], Double(value))]) }
    package mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) { metric(name, "gauge", help, samples) }
    package mutating func gauge(_ name: String, _ help: String, _ value: Int) { gauge(name, help, [([], Double(value))]) }

    /// One histogram for each value of a label; times in seconds.
    package mutating func histograms(
        _ name: String, _ help: String, label: String, _ histograms: [(value: String, times: LoadStatistics.Histogram)]
    ) {
        head(name, "histogram", help)
        let bounds = LoadStatistics.Histogram.bounds.map { MetricsText.number(Double($0) / 1e9) } + ["+Inf"]
        for (value, times) in histograms {
            var count = 0
            // Buckets are cumulative: each counts all times up to its bound.
            for (bound, inClass) in zip(bounds, times.counts) {
                count += inClass
                line(name + "_bucket", [(label, value), ("le", bound)], Double(count))
            }
            line(name + "_sum", [(label, value)], Double(times.sum) / 1e9)
            line(name + "_count", [(label, value)], Double(count))
        }
    }

    package func bytes() throws(ImageError) -> Bytes { try Bytes.copying(Array(text.utf8)) }

    private mutating func metric(_ name: String, _ type: String, _ help: String, _ samples: [Sample]) {
        head(name, type, help)
        for (labels, value) in samples { line(name, labels, value) }
    }

    /// Writes the lines that precede the samples of a metric.
    private mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP sdimage_\(name) \(help)\n# TYPE sdimage_\(name) \(type)\n"
    }

    /// Writes one sample. Label names and values are constants of the library and need no escapes.
    private mutating func line(_ name: String, _ labels: [(name: String, value: String)], _ value: Double) {
        text += "sdimage_" + name
        if !labels.isEmpty { text += "{" + labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",") + "}" }
        text += " \(MetricsText.number(value))\n"
    }

    /// Integers without a fraction, as far as a double holds them exactly.
    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }
}

extension Report {
    /// The metrics of the process: loads, the given caches together, pixels and threads.
    package static func metrics(_ statistics: LoadStatistics, _ caches: [ImageCache]) -> MetricsText {
        var text = MetricsText()
        let loads = statistics.numbers
        let sources: [(ImageSource, String)] = [
            (.memory, "memory"), (.disk, "disk"), (.remote, "remote"), (.network, "network"), (.loader, "loader"),
            (.none, "none"),
        ]
        text.counter(
            "loads_total", "Loads that ended, by where their image came from.",
            sources.map { ([("source", $0.1)], Double(loads.ended[$0.0] ?? 0)) })
        text.counter(
            "load_errors_total", "Loads that ended with an error, by its code.",
            loads.failed.sorted { $0.key.rawValue > $1.key.rawValue }.map { ([("code", "\($0.key.name)")], Double($0.value)) })
        text.counter("stale_results_total", "Loads that ended with an image that could not be revalidated.", loads.stale)
        text.histograms(
            "load_stage_seconds", "Time that stages of loads took; loads found in memory are left out.", label: "stage",
            loads.stages.map { ("\($0.name)", $0.times) })
        text.counter("exchanges_total", "Requests over the network.", loads.exchanges)
        text.counter(
            "exchanges_reused_total", "Requests over a connection that was open.", loads.exchangesOnKeptConnections)
        text.counter("received_bytes_total", "Bytes of responses, without content codings.", Int(clamping: loads.receivedBytes))
        add(caches, to: &text)
        let pool = PixelPool.shared.statistics
        text.gauge(
            "pixel_bytes", "Pixel memory.",
            [([("state", "live")], Double(pool.live)), ([("state", "retained")], Double(pool.retained))])
        text.gauge("threads", "Threads of the library.", LibraryThread.count)
        return text
    }

    /// Adds the sums over all caches.
    private static func add(_ open: [ImageCache], to text: inout MetricsText) {
        let memory = open.map(\.memory.statistics), disk = open.compactMap(\.disk?.statistics)
        func looks(_ hits: Int, _ misses: Int) -> [MetricsText.Sample] {
            [([("found", "yes")], Double(hits)), ([("found", "no")], Double(misses))]
        }
        func sum<Value>(_ values: [Value], _ part: (Value) -> Int) -> Int { values.reduce(0) { $0 &+ part($1) } }
        text.counter(
            "memory_cache_lookups_total", "Look-ups in memory caches.", looks(sum(memory, \.hits), sum(memory, \.misses)))
        text.counter("memory_cache_evictions_total", "Images evicted for others.", sum(memory, \.evictions))
        text.gauge("memory_cache_bytes", "Bytes of images in memory caches.", sum(memory, \.bytes))
        text.gauge("memory_cache_entries", "Images in memory caches.", sum(memory, \.count))
        text.counter("disk_cache_lookups_total", "Look-ups in disk caches.", looks(sum(disk, \.hits), sum(disk, \.misses)))
        text.counter("disk_cache_stores_total", "Entries written to disk caches.", sum(disk, \.stores))
        text.counter("disk_cache_dropped_stores_total", "Entries that could not be written.", sum(disk, \.droppedStores))
        text.counter("disk_cache_damaged_total", "Entries whose bytes were not those stored.", sum(disk, \.damagedEntries))
        text.counter("disk_cache_trimmed_total", "Entries removed because of size or age.", sum(disk, \.trimmedEntries))
        text.gauge("disk_cache_pending_bytes", "Bytes that wait to be written.", sum(disk, \.pendingBytes))
    }
}
