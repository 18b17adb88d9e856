import SDImage

/// Draws the frames of one format.
package protocol FramePainter {
    /// Draws the frame as its layout says onto what was there before; nothing else of the canvas is changed. False when
    /// pixels of the rectangle were left as they were although the layout promises to overwrite them. After an error the
    /// canvas is thrown away.
    func paint(_ index: Int, onto canvas: FrameCanvas, stop: StopSignal) throws(ImageError) -> Bool
}
