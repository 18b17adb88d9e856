import SDImage

/// The coders that every registry starts with (decisions D2); the last is asked first.
package enum BuiltinCoders {
    package static func make() -> [any ImageCoder] { [ICOCoder(), BMPCoder(), GIFCoder(), WebPCoder(), PNGCoder(), JPEGCoder()] }
}
