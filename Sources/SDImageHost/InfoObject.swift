import SDImage

/// Header information as seen from C (`sdimage_info`), with its texts as C strings. Immutable.
package final class InfoObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    package let info: ImageInfo
    package let texts: [(name: CString, value: CString)]

    /// Copies blocks that are parts of the caller's bytes.
    package init(_ info: ImageInfo) throws(ImageError) {
        var info = info
        info.exif = try info.exif?.copiedIfLent()
        info.xmp = try info.xmp?.copiedIfLent()
        info.colorProfile = try info.colorProfile?.copiedIfLent()
        self.info = info
        texts = info.text.map { (CString($0.key), CString($0.value)) }
    }
}
