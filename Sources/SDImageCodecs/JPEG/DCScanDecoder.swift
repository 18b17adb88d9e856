import SDImage
import SDImagePixels
import Synchronization

/// Decodes the blocks of one scan, or of the part of it that starts after a restart marker. The kernel `sdpx_jpeg_walk` does the
/// work. `DCThumbnailDecoder` creates one for each DC scan, on the thread of the decode.
@safe final class DCScanDecoder: @unchecked Sendable {
    // Unchecked: used by one thread at a time, which only writes the samples of its own MCUs.
    /// The state of the kernel: position in the data, next MCU, bit buffer, components.
    private var scan: sdpx_jpeg_scan
    /// The whole file; owns the memory that `scan` points to.
    private let bytes: Bytes
    /// Receives the samples; also owned here because `scan` points to them.
    private let thumbnail: DCThumbnailPlanes
    /// Owns the tables that `scan` points to.
    private let tables: [JPEGHuffmanTable]
    /// Number of MCUs in the scan.
    private let count: UInt32
    /// Start offset of a part; nil before it has started.
    private var start: Int?
    /// Set by the calling thread when the result of the part no longer matters.
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
        // Only the first DC scan is Huffman-coded; the later ones add one bit to each DC coefficient (G.1.2.1).
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

    /// Describes a component for the kernel, and appends its tables to `huffmanTables`. nil when samples, weights or a table are
    /// missing.
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
        // A DC symbol is a number of bits. The kernel reads at most 15 of them.
        guard let dc = tables.dcCodes[component.dc], dc.values.allSatisfy({ $0 <= 15 }),
            let dcTable = JPEGHuffmanTable(dc, hasSteps: false)
        else { return nil }
        huffmanTables.append(dcTable)
        unsafe made.dc = dcTable.pointer
        // AC coefficients of a progressive file are in scans of their own, which are skipped.
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
        // Restart markers count modulo 8 (B.2.1).
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
        // The worker writes to `thumbnail`, so it must have ended before this function returns or throws.
        defer {
            lower.isAbandoned.store(true, ordering: .relaxed)
            assistance.wait()
        }
        guard try run(to: middle, stop: stop) else { return false }
        // The worker has not started: this thread decodes the rest itself.
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
        // Decoding can only start after a restart marker, so at a multiple of the interval.
        let middle = count / 2 / interval * interval
        return middle > 0 ? middle : nil
    }

    /// Decodes MCUs up to `end`, two rows of them between checks. False when the data are damaged or the part is abandoned.
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
        // `number` intervals precede this part, so it starts after restart marker `number - 1`, counted from 0.
        guard let next = unsafe sdpx_jpeg_after_restart(scan.next, scan.end, number - 1) else { return }
        unsafe scan.next = next
        start = offset
        do throws(ImageError) {
            if try run(to: count, stop: stop) { isWhole.store(true, ordering: .releasing) }
        } catch {}
    }
}
