extension ResizeTransformer {
    /// The part of an image to draw and its location on the canvas.
    struct Placement {
        /// Source part, in pixels of the image.
        let part: Rectangle
        /// Location on the canvas.
        let left: Int
        let top: Int
        let size: PixelSize

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
                let factor = max(across, down)
                part.width = min(width, Double(canvas.width) / factor)
                part.height = min(height, Double(canvas.height) / factor)
                part.x = (width - part.width) / 2
                part.y = (height - part.height) / 2
            }
            self.part = part
            self.size = size
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
