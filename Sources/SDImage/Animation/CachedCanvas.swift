/// A canvas kept for seeking: as pixels by reference, as indices, or packed.
package enum CachedCanvas: Sendable {
    case whole(PixelBuffer)
    case indexed(IndexedPixels)
    case packed(PackedCanvas)
}
