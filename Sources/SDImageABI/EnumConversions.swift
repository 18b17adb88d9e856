import CSDImage
import SDImage

/// Conversions of C enums to values of the core; unknown numbers are an error.
extension ScaleMode {
    init(_ mode: sdimage_scale_mode) throws(ImageError) {
        guard let known = Self(rawValue: Int32(bitPattern: mode.rawValue)) else {
            throw ImageError(.invalidArgument, "options: unknown scale mode \(mode.rawValue)")
        }
        self = known
    }
}

extension ResizeTransformer.Resampling {
    init(_ resampling: sdimage_resampling) throws(ImageError) {
        guard let known = Self(rawValue: Int32(bitPattern: resampling.rawValue)) else {
            throw ImageError(.invalidArgument, "options: unknown resampling \(resampling.rawValue)")
        }
        self = known
    }
}

extension BlendMode {
    init(_ mode: sdimage_blend_mode) throws(ImageError) {
        guard let known = Self(rawValue: Int32(bitPattern: mode.rawValue)) else {
            throw ImageError(.invalidArgument, "options: unknown blend mode \(mode.rawValue)")
        }
        self = known
    }
}

extension Rectangle {
    init(_ rect: sdimage_rect) { self.init(x: rect.x, y: rect.y, width: rect.width, height: rect.height) }
}
