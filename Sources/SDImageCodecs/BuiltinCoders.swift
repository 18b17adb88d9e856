import SDImage

/// The coders that every registry starts with (decisions D2); the last is asked first.
package enum BuiltinCoders {
    package static func make() -> [any ImageCoder] { [GIFCoder(), WebPCoder(), PNGCoder(), JPEGCoder()] }
}
