// The functions of include/sdimage/placeholder.h: BlurHash and ThumbHash, computed on the calling thread.

import CSDImage
import SDImage
import SDImageHost

@_cdecl("sdimage_blurhash_encode") @implementation
public func sdimage_blurhash_encode(
    _ image: Object, _ xComponents: UInt32, _ yComponents: UInt32, _ text: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(text)
        // No time limit here and in the other encoder: two passes over a bitmap of limited size.
        let image = try (unsafe try Handle.borrow(image, as: Image.self)).upright(stop: CancellationToken())
        let hash = try BlurHash(image, across: Int(xComponents), down: Int(yComponents))
        unsafe try give(try Bytes.copying(hash.text), text)
    }
}

@_cdecl("sdimage_blurhash_decode") @implementation
public func sdimage_blurhash_decode(
    _ text: Text, _ length: Int, _ width: UInt32, _ height: UInt32, _ punch: Double, _ image: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(image)
        let hash = try BlurHash(unsafe try Input.bytes(text, length))
        unsafe try give(try hash.image(size: PixelSize(width: Int(width), height: Int(height)), punch: punch), image)
    }
}

@_cdecl("sdimage_thumbhash_encode") @implementation
public func sdimage_thumbhash_encode(_ image: Object, _ hash: ObjectOut, _ error: ObjectOut) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(hash)
        let image = try (unsafe try Handle.borrow(image, as: Image.self)).upright(stop: CancellationToken())
        unsafe try give(try Bytes.copying(try ThumbHash(image).bytes), hash)
    }
}

@_cdecl("sdimage_thumbhash_decode") @implementation
public func sdimage_thumbhash_decode(
    _ hash: UnsafeRawPointer?, _ length: Int, _ image: ObjectOut, _ error: ObjectOut
) -> sdimage_status {
    unsafe attempt(error) { () throws(ImageError) in
        unsafe try requireResult(image)
        unsafe try give(try ThumbHash(unsafe try Input.bytes(hash, length)).image(), image)
    }
}
