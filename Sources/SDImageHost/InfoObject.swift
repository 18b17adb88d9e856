import SDImage

/// Header information as seen from C, with its texts as C strings.
package final class InfoObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    package let info: ImageInfo
    package let texts: [(name: CString, value: CString)]

    package init(_ info: ImageInfo) {
        self.info = info
        texts = info.text.map { (CString($0.key), CString($0.value)) }
    }
}
