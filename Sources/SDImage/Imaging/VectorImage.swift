/// A vector image that can be rendered at any size in pixels.
/// Kept beside the pixels of an image, so that it can be rendered in another size.
package protocol VectorImage: AnyObject, Sendable {
    func render(_ size: PixelSize) throws(ImageError) -> Image
}
