/// A canvas kept for seeking: as pixels by reference, as indices, or packed.
/// Made by the compositors of animations (`SDImageCodecs`); the form depends on the memory that is free.
package enum CachedCanvas: Sendable {
    case whole(PixelBuffer)
    case indexed(IndexedPixels)
    case packed(PackedCanvas)
}
