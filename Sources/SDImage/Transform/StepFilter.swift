import SDImagePixels

/// A filter made of per-pixel steps.
/// A table replaces the steps where every step keeps channels apart and samples have 8 bits.
struct StepFilter {
    private let steps: [FilterStep]
    private let isLight: Bool

    init(_ steps: [FilterStep], in space: Filter.Space) {
        self.steps = steps
        isLight = space == .light
    }

    /// The result has color channels, because matrices may color gray pixels.
    func draw(_ image: Image, stop: CancellationToken) throws(ImageError) -> Image {
        let from = image.pixels.format
        let to = changesAlpha ? from.withAlpha : from.withColor
        let (width, light, codes) = (image.size.width, Int32(isLight ? 1 : 0), steps.map { $0.code(for: image.size) })
        let hasAlpha = image.metadata.hasAlpha || changesAlpha
        if steps.allSatisfy(\.isTable), to == .rgb8 || to == .rgba8 {
            let table = table(codes)
            return unsafe try image.redrawnByRows(to, hasAlpha: hasAlpha, stop: stop) { _, target, source in
                unsafe sdpx_table_row(
                    target.assumingMemoryBound(to: UInt8.self), to.rawValue, source.assumingMemoryBound(to: UInt8.self),
                    from.rawValue, width, table)
            }
        }
        return unsafe try image.redrawnByRows(to, hasAlpha: hasAlpha, stop: stop) { y, target, source in
            unsafe sdpx_step_row(target, to.rawValue, source, from.rawValue, width, y, codes, codes.count, light)
        }
    }

    /// True if a matrix computes alpha, which needs a format with alpha.
    private var changesAlpha: Bool {
        steps.contains {
            guard case .matrix(let matrix) = $0 else { return false }
            return matrix.rows[3] != [0, 0, 0, 1, 0]
        }
    }

    /// The red, green and blue output for each of the 256 input values.
    private func table(_ codes: [sdpx_step]) -> [UInt8] {
        var table = [UInt8](repeating: 0, count: 768)
        let grays = (0...255).map { UInt8($0) }
        // The steps run once over a row of all gray values.
        unsafe sdpx_step_row(
            &table, PixelFormat.rgb8.rawValue, grays, PixelFormat.gray8.rawValue, grays.count, 0, codes, codes.count,
            isLight ? 1 : 0)
        return table
    }
}
