/// A vector image that can be rendered at any size in pixels.
package protocol VectorImage: AnyObject, Sendable {
    func render(_ size: PixelSize) throws(ImageError) -> Image
}
