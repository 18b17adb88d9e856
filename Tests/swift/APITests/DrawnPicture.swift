import CSDImage
import Foundation

/// Images drawn by tests, and helpers to inspect images.
enum DrawnPicture {
    /// 300 by 300, straight RGBA, transparent but for a black block at the top, around (150, 20), and a red bar, around (80,
    /// 150).
    static func blockAndBar(_ format: sdimage_pixel_format = .SDIMAGE_PIXEL_FORMAT_RGBA8) throws -> Owned {
        let straight = try draw(300, 300, .SDIMAGE_PIXEL_FORMAT_RGBA8) { x, y in
            if (130..<170).contains(x), (5..<35).contains(y) { return [0, 0, 0, 255] }
            if (53..<108).contains(x), (60..<240).contains(y) { return [151, 36, 31, 255] }
            return [0, 0, 0, 0]
        }
        return try make(sdimage_image_unref) { sdimage_image_convert(straight.pointer, format, $0, $1) }
    }

    /// Draws an image from a function that returns the bytes of each pixel.
    static func draw(
        _ width: Int, _ height: Int, _ format: sdimage_pixel_format, _ pixel: (Int, Int) -> [UInt8]
    ) throws -> Owned {
        let bytes = (0..<height).flatMap { y in (0..<width).flatMap { x in pixel(x, y) } }
        return try make(sdimage_image_unref) {
            sdimage_image_new(
                UInt32(width), UInt32(height), width * sdimage_pixel_format_bytes(format), format, bytes, $0, $1)
        }
    }

    /// The same pixels with another scale or orientation in the metadata.
    static func told(
        _ image: Owned, scale: Double = 1, orientation: sdimage_orientation = .SDIMAGE_ORIENTATION_UP
    ) throws -> Owned {
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(image.pointer, $0, $1) }
        sdimage_metadata_set_scale(metadata.pointer, scale)
        sdimage_metadata_set_orientation(metadata.pointer, orientation)
        return try make(sdimage_image_unref) { sdimage_image_with_metadata(image.pointer, metadata.pointer, $0, $1) }
    }

    /// Red, green, blue and alpha in 0 ... 1.
    static func color(_ image: Owned, _ x: UInt32, _ y: UInt32) -> [Double] {
        var color = sdimage_color()
        guard sdimage_image_color_at(image.pointer, x, y, &color, nil) == .SDIMAGE_STATUS_OK else { return [] }
        return [color.red, color.green, color.blue, color.alpha].map { Double($0) }
    }

    static func size(_ image: Owned) -> [UInt32] { [sdimage_image_width(image.pointer), sdimage_image_height(image.pointer)] }

    static let clear: [Double] = [0, 0, 0, 0]
    static let black: [Double] = [0, 0, 0, 1]
}
