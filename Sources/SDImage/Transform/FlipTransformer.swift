/// Mirrors the image horizontally, vertically or both.
/// Built on `turned`, which also applies orientations.
package struct FlipTransformer: ImageTransformer {
    let horizontal: Bool
    let vertical: Bool

    package init(horizontal: Bool, vertical: Bool) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    package var key: String { "SDImageFlippingTransformer(\(horizontal ? 1 : 0),\(vertical ? 1 : 0))" }

    package func transform(_ image: Image, cacheKey: CacheKey, stop: CancellationToken) throws(ImageError) -> Image {
        // Without a direction nothing changes, and an animation keeps its frames.
        guard horizontal || vertical else { return image }
        let source = try image.upright(stop: stop)
        // Both directions are a half turn.
        let turn: Orientation = horizontal && vertical ? .down : horizontal ? .upMirrored : .downMirrored
        return source.redrawn(try source.pixels.turned(turn, stop: stop), hasAlpha: image.metadata.hasAlpha)
    }
}
