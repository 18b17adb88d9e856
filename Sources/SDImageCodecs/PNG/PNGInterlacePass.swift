import SDImage

/// The pixels of one pass: all pixels of an image, or a grid of those of an interlaced image (PNG, third edition, section 8).
struct PNGInterlacePass: Sendable {
    /// Position of the first pixel, and the distance to the next, in pixels of the image.
    let left: Int
    let top: Int
    let columnStep: Int
    let rowStep: Int
    /// Size of the area that a pixel covers until later passes are decoded.
    let blockWidth: Int
    let blockHeight: Int
    /// Size in pixels of the pass.
    let size: PixelSize

    /// Returns the passes; those without pixels have no data and are left out.
    static func all(_ size: PixelSize, isInterlaced: Bool) -> [PNGInterlacePass] {
        guard isInterlaced else { return [PNGInterlacePass(size, 0, 0, 1, 1, 1, 1)] }
        // Left, top, column step, row step, block width, block height of the seven passes of Adam7.
        return [
            PNGInterlacePass(size, 0, 0, 8, 8, 8, 8), PNGInterlacePass(size, 4, 0, 8, 8, 4, 8),
            PNGInterlacePass(size, 0, 4, 4, 8, 4, 4),
            PNGInterlacePass(size, 2, 0, 4, 4, 2, 4), PNGInterlacePass(size, 0, 2, 2, 4, 2, 2),
            PNGInterlacePass(size, 1, 0, 2, 2, 1, 2),
            PNGInterlacePass(size, 0, 1, 1, 2, 1, 1),
        ].filter { !$0.size.isEmpty }
    }

    private init(
        _ image: PixelSize, _ left: Int, _ top: Int, _ columnStep: Int, _ rowStep: Int, _ blockWidth: Int, _ blockHeight: Int
    ) {
        self.left = left
        self.top = top
        self.columnStep = columnStep
        self.rowStep = rowStep
        self.blockWidth = blockWidth
        self.blockHeight = blockHeight
        size = PixelSize(
            width: (max(0, image.width - left) + columnStep - 1) / columnStep,
            height: (max(0, image.height - top) + rowStep - 1) / rowStep)
    }
}
