import SDImage

/// Draws the frames of one format.
package protocol FramePainter {
    /// Draws the frame as described by its layout onto the current content; the rest of the canvas is unchanged. Returns false
    /// when pixels of the rectangle were left unchanged although the layout promises to overwrite them. After an error the canvas
    /// is discarded.
    func paint(_ index: Int, onto canvas: FrameCanvas, stop: CancellationToken) throws(ImageError) -> Bool
}
