import Glibc
import SDImage

/// Samples for a thumbnail of a large JPEG: the DC value of each block, or a few samples from its lowest coefficients.
///
/// `DCThumbnailDecoder` creates it at the frame header, `DCScanDecoder` fills it, and `DCThumbnailRows` reads it. While a scan is
/// split, two threads write to samples of different MCUs; otherwise one thread uses it.
@safe final class DCThumbnailPlanes {
    /// The samples of one component.
    struct Plane {
        /// Samples of a block in each direction. 1 means its DC coefficient; larger values are samples in eighths.
        let detail: Int
        /// Image pixels per sample, horizontally and vertically.
        let columnFactor: Int
        let rowFactor: Int
        /// Number of samples that cover the image.
        let columns: Int
        let rows: Int
        /// Index of the first sample in memory, and samples from row to row.
        let start: Int
        let stride: Int
        /// Factor that converts a sample to eighths; known once the quantization table is.
        var step: Int32 = 1
    }

    let frame: JPEGFrameHeader
    /// Samples of a luma block in each direction: 1 or 2.
    let detail: Int
    private(set) var planes: [Plane] = []
    /// The samples of all components, one plane after another.
    private let memory: ScratchMemory
    /// Weights of the low coefficients for each component; nil until known, and when only DC coefficients are used.
    private var weights: [ScratchMemory?]

    /// nil when memory is refused.
    init?(_ frame: JPEGFrameHeader, detail: Int, account: WorkingMemory) {
        self.frame = frame
        self.detail = detail
        var count = 0
        for index in frame.components.indices {
            guard let plane = DCThumbnailPlanes.plane(index, of: frame, detail: detail, start: count) else { return nil }
            // Memory covers whole MCUs, which may extend beyond the image.
            let (size, overflow) = plane.stride.multipliedReportingOverflow(
                by: frame.mcusDown * frame.components[index].down * plane.detail)
            guard !overflow, size <= account.limit, count <= account.limit else { return nil }
            count += size
            planes.append(plane)
        }
        guard let memory = try? ScratchMemory(count, of: Int16.self, account: account) else { return nil }
        self.memory = memory
        weights = planes.map { _ in nil }
    }

    /// Plans the samples of a component. `start` is the number of samples of the components before it.
    private static func plane(_ index: Int, of frame: JPEGFrameHeader, detail: Int, start: Int) -> Plane? {
        guard var columnFactor = frame.columnFactor(index), var rowFactor = frame.rowFactor(index) else { return nil }
        var own = detail
        // A subsampled component uses more of its coefficients instead, if the file has them in the same scan.
        if !frame.isProgressive, columnFactor == rowFactor, detail * columnFactor <= 4 {
            own = detail * columnFactor
            (columnFactor, rowFactor) = (1, 1)
        }
        return Plane(
            detail: own, columnFactor: columnFactor, rowFactor: rowFactor, columns: frame.blocksAcross(index) * own,
            rows: frame.blocksDown(index) * own, start: start,
            stride: frame.mcusAcross * frame.components[index].across * own)
    }

    /// Sets the quantization table of a component, in zigzag order. False when memory is refused.
    func setQuantizer(_ steps: [UInt16], of index: Int) -> Bool {
        let detail = planes[index].detail
        // A single sample is the DC coefficient, for which one factor is enough.
        guard detail > 1 else {
            planes[index].step = Int32(steps.first ?? 1)
            return true
        }
        // The weights contain the quantization steps, so that the kernel multiplies once per coefficient.
        guard let memory = try? ScratchMemory(DCThumbnailPlanes.lowest.count * MemoryLayout<Float>.stride) else { return false }
        let factors = unsafe memory.bound(to: Float.self)
        for (index, (row, column)) in DCThumbnailPlanes.lowest.enumerated() where index < steps.count {
            let weight = DCThumbnailPlanes.weight(row, detail: detail) * DCThumbnailPlanes.weight(column, detail: detail)
            unsafe factors[index] = Float(Double(steps[index]) * weight)
        }
        weights[index] = memory
        return true
    }

    /// Row and column of the first coefficients in zigzag order (ISO/IEC 10918-1, figure A.6), up to the last that a sample
    /// depends on.
    private static let lowest: [(row: Int, column: Int)] = [
        (0, 0), (0, 1), (1, 0), (2, 0), (1, 1), (0, 2), (0, 3), (1, 2), (2, 1), (3, 0), (4, 0), (3, 1), (2, 2), (1, 3),
        (0, 4), (0, 5), (1, 4), (2, 3), (3, 2), (4, 1), (5, 0), (6, 0), (5, 1), (4, 2), (3, 3),
    ]

    /// Returns the weight of a coefficient for samples that are averages of block pixels. For four samples, the cosines are left
    /// out, because they differ between samples; for two samples there is only one.
    private static func weight(_ frequency: Int, detail: Int) -> Double {
        // The average of any part of a block contains the DC coefficient in full.
        guard frequency > 0 else { return 1 }
        // Frequencies that the samples cannot represent would alias.
        guard frequency < detail else { return 0 }
        let angle = Double(frequency) * Double.pi / 16
        // The average of a cosine over two pixels is its value between them times cos(angle). The root is the ratio of the
        // normalization of AC to DC (ISO/IEC 10918-1, A.3.3).
        let ofPairs = 2.0.squareRoot() * cos(angle)
        // Half a block is four pixels, so pairs are averaged twice. The last factor is the cosine at its center.
        return detail == 2 ? ofPairs * cos(2 * angle) * cos(4 * angle) : ofPairs
    }

    /// The weights of a component; valid as long as this object.
    func weights(of index: Int) -> UnsafePointer<Float>? {
        unsafe weights[index]?.bound(to: Float.self).baseAddress.map { unsafe UnsafePointer($0) }
    }

    /// The first sample of a component; valid as long as this object.
    func samples(of index: Int) -> UnsafeMutablePointer<Int16>? {
        unsafe memory.bound(to: Int16.self).baseAddress.map { unsafe $0 + planes[index].start }
    }
}
