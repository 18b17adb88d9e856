import SDImage
import SDImagePixels

/// Reads a JPEG segment by segment into a `DCThumbnailPlanes`. In a progressive file, it decodes only the DC scans and skips the
/// others (docs/decisions.md, "Thumbnails of JPEG are made of DC coefficients").
///
/// `JPEGDecoder` uses it on the thread of the decode, and falls back to libjpeg when it returns nil. It refuses every file with
/// an uncommon structure, because libjpeg knows the exceptions.
struct DCThumbnailDecoder {
    private let bytes: Bytes
    /// Gives the size that the frame header must repeat, and the limit on scans; it decodes no rows here.
    private let decoder: JPEGRowDecoder
    private let detail: Int
    private let wanted: PixelSize
    private let isEarly: Bool
    private let limits: DecodeLimits
    private var reader: ByteReader
    /// The tables in effect at the position of `reader`.
    private var tables = JPEGTables()
    /// nil before the frame header.
    private var thumbnail: DCThumbnailPlanes?
    private var isProgressive = false
    /// Lowest DC bit read so far for each component; nil before its first scan.
    private var lowBits: [UInt8?] = []
    /// Number of scans so far, including those that are skipped.
    private var scans = 0

    /// `detail` is the number of samples of a block in each direction, `wanted` the minimum number of samples of any component.
    /// `isEarly` means that the first DC scans are enough.
    init(_ decoder: JPEGRowDecoder, detail: Int, wanted: PixelSize, isEarly: Bool, limits: DecodeLimits) {
        bytes = decoder.bytes
        self.decoder = decoder
        self.detail = detail
        self.wanted = wanted
        self.isEarly = isEarly
        self.limits = limits
        reader = decoder.bytes.reader
    }

    /// Number of bytes used.
    var consumedBytes: Int { reader.offset }

    /// Reads the samples; nil for uncommon or damaged files, which libjpeg decodes or refuses.
    mutating func read(stop: CancellationToken, pool: () -> WorkPool?) throws(ImageError) -> DCThumbnailPlanes? {
        // Skips the SOI marker.
        reader.seek(to: 2)
        while let (marker, range) = try JPEGSegmentReader.next(&reader, stop) {
            guard let body = bytes.slice(range) else { return nil }
            switch marker {
            // EOI: a file without later DC scans ends here.
            case 0xD9: return hasAllDC ? thumbnail : nil
            // SOS: entropy-coded data follow the segment.
            case 0xDA:
                guard try readScan(body, stop: stop, pool: pool) else { return nil }
                // A progressive file may refine the DC coefficients in later scans, up to its end.
                if hasAllDC, isEarly || !isProgressive { return thumbnail }
            // DHT, JPG and DAC have numbers among those of the frame headers.
            case 0xC4, 0xC8, 0xCC: guard tables.take(marker, body) else { return nil }
            // SOF: the second frame of a hierarchical file fails here.
            case 0xC0...0xCF: guard begin(marker, body) else { return nil }
            default: guard tables.take(marker, body) else { return nil }
            }
        }
        return nil
    }

    /// True when each component had its first DC scan.
    private var hasAllDC: Bool { thumbnail != nil && lowBits.allSatisfy { $0 != nil } }

    /// Reads the frame header.
    /// False for a second or uncommon header, for too few samples in a component, and when memory is refused.
    private mutating func begin(_ marker: UInt8, _ body: Bytes) -> Bool {
        // More than one sample per block needs AC coefficients, which a progressive file has in other scans.
        guard thumbnail == nil, let frame = JPEGFrameHeader(marker: marker, body), frame.size == decoder.size,
            !frame.isProgressive || detail == 1
        else { return false }
        isProgressive = frame.isProgressive
        lowBits = frame.components.map { _ in nil }
        guard let thumbnail = DCThumbnailPlanes(frame, detail: detail, account: limits.account),
            thumbnail.planes.allSatisfy({ $0.columns >= wanted.width && $0.rows >= wanted.height })
        else { return false }
        self.thumbnail = thumbnail
        return true
    }

    /// Decodes a DC scan or skips another one. `body` is the scan header; the reader is at the data after it.
    private mutating func readScan(_ body: Bytes, stop: CancellationToken, pool: () -> WorkPool?) throws(ImageError) -> Bool {
        scans += 1
        guard let thumbnail, scans <= decoder.maximumScans, let header = JPEGScanHeader(body, frame: thumbnail.frame) else {
            return false
        }
        // Sequential files with one scan for each component are left to libjpeg.
        guard isProgressive ? header.isDCScan : header.isWhole(of: thumbnail.frame) else {
            return isProgressive && header.first > 0 && passScan(from: reader.offset)
        }
        guard prepare(header, thumbnail),
            let scan = DCScanDecoder(header, at: reader.offset, of: bytes, tables: tables, into: thumbnail),
            try scan.run(stop: stop, pool: pool)
        else { return false }
        return passScan(from: scan.offset)
    }

    /// Checks that a scan continues the previous ones, and sets the quantization tables of its components.
    private mutating func prepare(_ header: JPEGScanHeader, _ thumbnail: DCThumbnailPlanes) -> Bool {
        for component in header.components {
            let index = component.index
            // A component has one first scan, and each later one continues at the bit where the last one ended.
            guard header.highBit == 0 ? lowBits[index] == nil : lowBits[index] == header.highBit else { return false }
            guard header.highBit == 0 || header.highBit == header.lowBit + 1 else { return false }
            lowBits[index] = header.lowBit
            // The table in effect at a component's first scan applies to the component.
            guard header.highBit == 0 else { continue }
            guard let steps = tables.quantizers[thumbnail.frame.components[index].quantizer],
                thumbnail.setQuantizer(steps, of: index)
            else { return false }
        }
        return true
    }

    /// Skips to the marker that ends a scan; false when there is none, because the file is truncated, and `isEarly` is not set.
    private mutating func passScan(from offset: Int) -> Bool {
        guard let base = unsafe bytes.pointer, offset <= bytes.count else { return false }
        let data = unsafe base.assumingMemoryBound(to: UInt8.self)
        let marker = unsafe sdpx_jpeg_next_marker(data + offset, data + bytes.count) - data
        reader.seek(to: marker)
        return marker < bytes.count || isEarly
    }
}
