import SDImage
import SDImagePixels
import Synchronization

/// Decodes the blocks of one scan, or of the part of it that starts after a restart marker.
@safe final class DCScanDecoder: @unchecked Sendable {
    // Unchecked: used by one thread at a time, which only writes the samples of its own MCUs.
    private var scan: sdpx_jpeg_scan
    private let bytes: Bytes
    private let thumbnail: DCThumbnailPlanes
    private let tables: [JPEGHuffmanTable]
    /// Number of MCUs in the scan.
    private let count: UInt32
    /// Start offset of a part; nil before it has started.
    private var start: Int?
    private let isAbandoned = Atomic<Bool>(false)
    /// True when another thread has read all of a part.
    private let isWhole = Atomic<Bool>(false)

    /// nil when a table or sample memory that the scan needs is missing. `offset` is the start of the scan data.
    init?(_ header: JPEGScanHeader, at offset: Int, of bytes: Bytes, tables: JPEGTables, into thumbnail: DCThumbnailPlanes) {
        guard let base = unsafe bytes.pointer, offset >= 0, offset <= bytes.count else { return nil }
        let data = unsafe base.assumingMemoryBound(to: UInt8.self)
        let frame = thumbnail.frame
        unsafe scan = sdpx_jpeg_scan()
        unsafe scan.next = data + offset
        unsafe scan.end = data + bytes.count
        unsafe scan.kind =
            !frame.isProgressive
            ? SDPX_JPEG_SEQUENTIAL : header.highBit == 0 ? SDPX_JPEG_FIRST_MEANS : SDPX_JPEG_NEXT_MEANS
        unsafe scan.low_bit = UInt32(header.lowBit)
        unsafe scan.restart_interval = tables.restartInterval
        unsafe scan.until_restart = tables.restartInterval
        // MCUs of a scan with one component have one block (A.2.2).
        let only = header.components.count == 1 ? header.components.first : nil
        let across = only.map { frame.blocksAcross($0.index) } ?? frame.mcusAcross
        let down = only.map { frame.blocksDown($0.index) } ?? frame.mcusDown
        unsafe scan.mcus_across = UInt32(across)
        count = UInt32(across * down)
        var huffmanTables: [JPEGHuffmanTable] = []
        unsafe scan.component_count = UInt32(header.components.count)
        for (index, component) in header.components.enumerated() {
            guard
                var made = unsafe DCScanDecoder.component(
                    component, of: header, tables: tables, thumbnail: thumbnail, huffmanTables: &huffmanTables)
            else { return nil }
            if only != nil { unsafe (made.across, made.down) = (1, 1) }
            unsafe withUnsafeMutableBytes(of: &scan.components) { memory in
                unsafe memory.bindMemory(to: sdpx_jpeg_component.self)[index] = made
            }
        }
        self.bytes = bytes
        self.thumbnail = thumbnail
        self.tables = huffmanTables
    }

    private static func component(
        _ component: JPEGScanHeader.Component, of header: JPEGScanHeader, tables: JPEGTables, thumbnail: DCThumbnailPlanes,
        huffmanTables: inout [JPEGHuffmanTable]
    ) -> sdpx_jpeg_component? {
        let plane = thumbnail.planes[component.index]
        let own = thumbnail.frame.components[component.index]
        var made = unsafe sdpx_jpeg_component()
        unsafe made.across = UInt32(own.across)
        unsafe made.down = UInt32(own.down)
        unsafe made.detail = UInt32(plane.detail)
        unsafe made.stride = plane.stride
        unsafe made.samples = thumbnail.samples(of: component.index)
        unsafe made.weights = thumbnail.weights(of: component.index)
        guard unsafe made.samples != nil, unsafe plane.detail == 1 || made.weights != nil else { return nil }
        // The bits of later DC scans are not Huffman-coded.
        guard header.highBit == 0 else { return unsafe made }
        guard let dc = tables.dcCodes[component.dc], dc.values.allSatisfy({ $0 <= 15 }),
            let dcTable = JPEGHuffmanTable(dc, hasSteps: false)
        else { return nil }
        huffmanTables.append(dcTable)
        unsafe made.dc = dcTable.pointer
        guard !thumbnail.frame.isProgressive else { return unsafe made }
        guard let ac = tables.acCodes[component.ac], let acTable = JPEGHuffmanTable(ac, hasSteps: true) else { return nil }
        huffmanTables.append(acTable)
        unsafe made.ac = acTable.pointer
        return unsafe made
    }

    /// The part of a scan that starts at an MCU after a restart marker.
    private init(_ whole: DCScanDecoder, from mcu: UInt32) {
        unsafe scan = whole.scan
        unsafe scan.mcu = mcu
        unsafe scan.restart = mcu / max(1, whole.scan.restart_interval) % 8
        bytes = whole.bytes
        thumbnail = whole.thumbnail
        tables = whole.tables
        count = whole.count
    }

    /// Offset of the next data; a few bytes of the last MCUs may have been read ahead.
    var offset: Int {
        guard let base = unsafe bytes.pointer, let next = unsafe scan.next else { return 0 }
        return unsafe UnsafeRawPointer(next) - base
    }

    /// Reads all MCUs, with the help of an idle worker if the scan can be split. False when the data are damaged.
    func run(stop: CancellationToken, pool: () -> WorkPool?) throws(ImageError) -> Bool {
        guard let middle, let pool = pool() else { return try run(to: count, stop: stop) }
        let lower = DCScanDecoder(self, from: middle)
        guard let assistance = pool.assist({ lower.runApart(stop) }) else { return try run(to: count, stop: stop) }
        defer {
            lower.isAbandoned.store(true, ordering: .relaxed)
            assistance.wait()
        }
        guard try run(to: middle, stop: stop) else { return false }
        if assistance.cancel() { return try run(to: count, stop: stop) }
        assistance.wait()
        // Exactly one marker lies between the two parts.
        return lower.isWhole.load(ordering: .acquiring) && lower.start == offset + 2
    }

    /// The first MCU of the lower half; nil when the scan cannot be split or is too small.
    private var middle: UInt32? {
        let interval = unsafe scan.restart_interval
        guard interval > 0, unsafe scan.kind == SDPX_JPEG_SEQUENTIAL,
            thumbnail.frame.size.pixelCount ?? 0 >= JPEGParallelDecoder.smallestPixels
        else { return nil }
        let middle = count / 2 / interval * interval
        return middle > 0 ? middle : nil
    }

    private func run(to end: UInt32, stop: CancellationToken) throws(ImageError) -> Bool {
        while unsafe scan.mcu < end {
            try stop.check()
            if isAbandoned.load(ordering: .relaxed) { return false }
            guard unsafe sdpx_jpeg_walk(&scan, min(2 * scan.mcus_across, end - scan.mcu)) != 0 else { return false }
        }
        return true
    }

    /// Runs on the assisting thread. After an error here, the file is decoded in another way, which reports it.
    private func runApart(_ stop: CancellationToken) {
        let number = unsafe scan.mcu / max(1, scan.restart_interval)
        guard let next = unsafe sdpx_jpeg_after_restart(scan.next, scan.end, number - 1) else { return }
        unsafe scan.next = next
        start = offset
        do throws(ImageError) {
            if try run(to: count, stop: stop) { isWhole.store(true, ordering: .releasing) }
        } catch {}
    }
}
