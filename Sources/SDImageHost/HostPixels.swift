import CSDImage
import Glibc
import SDImage

/// The layout of pixels of the host, checked before a pixel is touched. The functions of image.h that make images use it.
package struct HostPixels {
    private let size: PixelSize
    private let format: PixelFormat
    private let stride: Int

    /// Without a stride: that of the library's own buffers.
    package init(_ width: UInt32, _ height: UInt32, stride: Int?, _ format: sdimage_pixel_format) throws(ImageError) {
        guard let format = PixelFormat(rawValue: Int32(bitPattern: format.rawValue)) else {
            throw ImageError(.invalidArgument, "image: unknown pixel format")
        }
        guard let width = Int(exactly: width), let height = Int(exactly: height), width > 0, height > 0 else {
            throw ImageError(.invalidArgument, "image: width or height is 0")
        }
        let own = try PixelBuffer.stride(width: width, format: format)
        let stride = stride ?? own
        let (total, overflow) = stride.multipliedReportingOverflow(by: height)
        // A `size_t` of 2^63 and above is negative here, and shorter than a row.
        guard stride >= width * format.bytesPerPixel, !overflow else {
            let bytes = UInt(bitPattern: stride)
            throw ImageError(.invalidArgument, "image: stride of \(bytes) bytes is shorter than a row or overflows")
        }
        let limit = HostPixels.limit
        guard total <= limit else { throw .tooLarge("image: bitmap of \(total) bytes", limit: limit) }
        size = PixelSize(width: width, height: height)
        self.format = format
        self.stride = stride
    }

    /// Bytes of a bitmap; more in a call of a coder whose options allow more.
    private static var limit: Int { max(DecodeLimits.standard.outputBytes, Int(bitPattern: unsafe pthread_getspecific(raised))) }

    /// A key of pthreads, because the limit belongs to a call, which stays on its thread.
    private static let raised: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    /// Runs a call of a coder, which may make bitmaps of this number of bytes.
    static func raising<R>(limit: Int, _ body: () throws(ImageError) -> R) throws(ImageError) -> R {
        let before = unsafe pthread_getspecific(raised)
        unsafe _ = pthread_setspecific(raised, UnsafeRawPointer(bitPattern: limit))
        defer { unsafe _ = pthread_setspecific(raised, before) }
        return try body()
    }

    /// An image with a copy of the pixels, whose last row needs no padding.
    package func copied(from pixels: UnsafeRawPointer?) throws(ImageError) -> Image {
        guard let pixels = unsafe pixels else { throw ImageError(.invalidArgument, "image: pixels are NULL") }
        let buffer = try PixelBuffer(size: size, format: format, limit: HostPixels.limit)
        for y in 0..<size.height {
            guard let row = unsafe buffer.mutableRow(y)?.baseAddress else { continue }
            unsafe memcpy(row, pixels + y * stride, size.width * format.bytesPerPixel)
        }
        return image(buffer)
    }

    /// An image that uses the pixels in place. `foreign` owns them, and releases them after the last use of the image.
    package func adopted(_ pixels: UserData, _ foreign: Foreign) throws(ImageError) -> Image {
        guard let pixels = unsafe pixels else { throw ImageError(.invalidArgument, "image: pixels are NULL") }
        // Kernels read 16-bit samples and floats directly.
        guard UInt(bitPattern: pixels) % UInt(format.bytesPerChannel) == 0, stride % format.bytesPerChannel == 0 else {
            throw ImageError(.invalidArgument, "image: pixels are not aligned to \(format.bytesPerChannel) bytes")
        }
        return image(
            unsafe PixelBuffer(adopting: pixels, size: size, format: format, stride: stride) { withExtendedLifetime(foreign) {} })
    }

    /// An image whose pixels the host writes before it uses the image.
    package func uninitialized() throws(ImageError) -> Image {
        image(try PixelBuffer(size: size, format: format, limit: HostPixels.limit))
    }

    /// An image with the properties that a format implies.
    private func image(_ buffer: PixelBuffer) -> Image {
        var metadata = ImageMetadata()
        metadata.hasAlpha = format.hasAlpha
        metadata.sourceSize = size
        return Image(pixels: buffer, metadata: metadata)
    }
}
