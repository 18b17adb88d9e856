import CSDImage
import SDImage

/// A vector image of a coder of the host: its bytes, which `render` of the table draws at any size. Immutable, so any thread may
/// draw.
package final class ForeignVector: VectorImage {
    private let functions: CoderFunctions
    private let bytes: Bytes
    private let options: DecodeOptions

    package init(_ functions: CoderFunctions, bytes: Bytes, options: DecodeOptions) {
        self.functions = functions
        self.bytes = bytes
        self.options = options
    }

    package func render(_ size: PixelSize) throws(ImageError) -> Image { try render(size, stop: CancellationToken()) }

    /// Draws at this size; throws `tooLarge` beyond the limits of the options it was decoded with.
    package func render(_ size: PixelSize, stop: CancellationToken) throws(ImageError) -> Image {
        guard !size.isEmpty, let width = UInt32(exactly: size.width), let height = UInt32(exactly: size.height) else {
            throw ImageError(.invalidArgument, "image: invalid size \(size.width)x\(size.height)")
        }
        let limits = options.limits
        // Checked before the call: the host allocates four bytes per pixel.
        guard let area = size.pixelCount, area <= limits.heldPixels, area <= limits.outputBytes / 4 else {
            throw .tooLarge("image: area of \(width)x\(height) pixels", limit: min(limits.heldPixels, limits.outputBytes / 4))
        }
        let budget = WorkBudget(stop, limits)
        let image = try functions.call(budget) { [functions, bytes, options] () throws(ImageError) in
            let lent = DecodeOptionsObject.lending(options, budget: budget)
            var image: Object = nil
            var error: Object = nil
            let status = unsafe functions.table.render?(
                functions.userData, bytes.pointer, bytes.count, Handle.lend(lent), sdimage_size(width: width, height: height),
                &image, &error)
            withExtendedLifetime(lent) {}
            return unsafe try ForeignCoder.take(status, image, error)
        }
        // The result can be drawn again at another size.
        return image.with(vector: self)
    }

    /// The drawn size for these options: scaled into the box, also up, or within the byte limit.
    package static func size(_ own: PixelSize, _ options: DecodeOptions) -> PixelSize {
        if options.limitBytes > 0 {
            let perPixel = options.pixelFormat?.bytesPerPixel ?? 4
            let most = own.limited(toBytes: options.limitBytes, bytesPerPixel: perPixel, frames: 1)
            return own.scaled(to: most, scaleUp: false)
        }
        guard let box = options.thumbnailSize, !own.isEmpty else { return own }
        return own.scaled(to: box, mode: options.thumbnailMode, scaleUp: true)
    }
}
