import CSDImage

/// An image with one transformer applied, as the status and the output of a C call.
private func transform(
    _ image: OpaquePointer?, _ result: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?,
    _ make: (UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<OpaquePointer?>?) -> sdimage_status
) -> sdimage_status {
    var transformer: OpaquePointer?
    let status = make(&transformer, error)
    guard status.rawValue >= 0 else { return status }
    defer { sdimage_transformer_unref(transformer) }
    return sdimage_image_transform(image, transformer, result, error)
}

typealias ObjectResult = UnsafeMutablePointer<OpaquePointer?>?

func croppedImage(_ image: OpaquePointer?, _ rect: sdimage_rect, _ result: ObjectResult, _ error: ObjectResult) -> sdimage_status
{
    transform(image, result, error) { sdimage_transformer_new_crop(rect, $0, $1) }
}

func cornersRoundedImage(
    _ image: OpaquePointer?, _ radius: Double, _ corners: UInt64, _ border: Double, _ color: UnsafePointer<sdimage_color>?,
    _ result: ObjectResult, _ error: ObjectResult
) -> sdimage_status {
    transform(image, result, error) { sdimage_transformer_new_round_corner(radius, corners, border, color, $0, $1) }
}

func flippedImage(
    _ image: OpaquePointer?, _ horizontal: Bool, _ vertical: Bool, _ result: ObjectResult, _ error: ObjectResult
) -> sdimage_status {
    transform(image, result, error) { sdimage_transformer_new_flip(horizontal, vertical, $0, $1) }
}

func rotatedImage(
    _ image: OpaquePointer?, _ angle: Double, _ fitSize: Bool, _ result: ObjectResult, _ error: ObjectResult
) -> sdimage_status {
    transform(image, result, error) { sdimage_transformer_new_rotate(angle, fitSize, $0, $1) }
}

func tintedImage(
    _ image: OpaquePointer?, _ color: sdimage_color, _ mode: sdimage_blend_mode, _ result: ObjectResult, _ error: ObjectResult
) -> sdimage_status {
    transform(image, result, error) { sdimage_transformer_new_tint(color, mode, $0, $1) }
}

func blurredImage(_ image: OpaquePointer?, _ radius: Double, _ result: ObjectResult, _ error: ObjectResult) -> sdimage_status {
    transform(image, result, error) { sdimage_transformer_new_blur(radius, $0, $1) }
}

func filteredImage(
    _ image: OpaquePointer?, _ name: String, _ parameters: OpaquePointer?, _ result: ObjectResult, _ error: ObjectResult
) -> sdimage_status {
    transform(image, result, error) { sdimage_transformer_new_filter(name, parameters, $0, $1) }
}

func fractionRoundedImage(
    _ image: OpaquePointer?, _ fraction: Double, _ corners: UInt64, _ border: Double, _ color: UnsafePointer<sdimage_color>?,
    _ result: ObjectResult, _ error: ObjectResult
) -> sdimage_status {
    transform(image, result, error) {
        sdimage_transformer_new_round_corner_fraction(fraction, corners, border, color, $0, $1)
    }
}
