extension ResizeTransformer {
    /// The part of an image to draw and its location on the canvas.
    /// Made before any pixel is drawn; `Resampler` and `PixelPicker` follow it.
    struct Placement {
        /// Source part, in pixels of the image.
        let part: Rectangle
        /// Location on the canvas.
        let left: Int
        let top: Int
        /// Size of the drawn part; smaller than the canvas if there are bars.
        let size: PixelSize

        /// Sizes are in pixels.
        init(_ source: PixelSize, canvas: PixelSize, mode: ScaleMode) {
            let width = Double(source.width)
            let height = Double(source.height)
            let across = Double(canvas.width) / width
            let down = Double(canvas.height) / height
            var part = Rectangle(x: 0, y: 0, width: width, height: height)
            var size = canvas
            switch mode {
            case .fill: break
            case .aspectFit:
                // Whole pixels avoid partly transparent edges.
                let factor = min(across, down)
                size.width = min(canvas.width, max(1, Int(saturating: (width * factor).rounded())))
                size.height = min(canvas.height, max(1, Int(saturating: (height * factor).rounded())))
            case .aspectFill:
                // The part that fits the aspect ratio of the canvas, centered.
                let factor = max(across, down)
                part.width = min(width, Double(canvas.width) / factor)
                part.height = min(height, Double(canvas.height) / factor)
                part.x = (width - part.width) / 2
                part.y = (height - part.height) / 2
            }
            self.part = part
            self.size = size
            // Bars are equal on both sides, up to a pixel.
            left = (canvas.width - size.width) / 2
            top = (canvas.height - size.height) / 2
        }
    }
}

extension ResizeTransformer.Resampling {
    /// The kernel. `nearest` has none (`PixelPicker` draws it), so its value here is unused.
    var shape: FilterShape {
        switch self {
        case .lanczos: .lanczos
        case .area, .nearest: .area
        case .cubic: .cubic
        case .linear: .linear
        }
    }
}
