/// A canvas that is kept for seeking: as it is, by reference, or packed.
package enum KeptCanvas: Sendable {
    case whole(PixelBuffer)
    case packed(PackedCanvas)
}
