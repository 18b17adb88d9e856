import CSDImage
import SDImage

@_cdecl("sdimage_blurhash_encode") @implementation
public func sdimage_blurhash_encode(
    _ image: Object, _ xComponents: UInt32, _ yComponents: UInt32, _ text: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requirePlace(text)
        throw ImageError(.unsupported, "BlurHash")
    }
}

@_cdecl("sdimage_blurhash_decode") @implementation
public func sdimage_blurhash_decode(
    _ text: Text, _ length: Int, _ width: UInt32, _ height: UInt32, _ punch: Double, _ image: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requirePlace(image)
        throw ImageError(.unsupported, "BlurHash")
    }
}

@_cdecl("sdimage_thumbhash_encode") @implementation
public func sdimage_thumbhash_encode(_ image: Object, _ hash: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requirePlace(hash)
        throw ImageError(.unsupported, "ThumbHash")
    }
}

@_cdecl("sdimage_thumbhash_decode") @implementation
public func sdimage_thumbhash_decode(
    _ hash: UnsafeRawPointer?, _ length: Int, _ image: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requirePlace(image)
        throw ImageError(.unsupported, "ThumbHash")
    }
}
