/// Fitting of an image into a box of another aspect ratio; the raw values are part of keys.
package enum ScaleMode: Int32, Sendable {
    /// Stretches the image to the box.
    case fill = 0
    /// Shows the whole image: equal to the box in one dimension, smaller in the other.
    case aspectFit = 1
    /// Covers the box: equal to it in one dimension, larger in the other.
    case aspectFill = 2
}
