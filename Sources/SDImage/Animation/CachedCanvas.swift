/// A canvas that is kept for seeking: as it is, by reference, as indices, or packed.
package enum CachedCanvas: Sendable {
    case whole(PixelBuffer)
    case indexed(IndexedPixels)
    case packed(PackedCanvas)
}
