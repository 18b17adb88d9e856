import SDImage

/// A coder as seen from C (`sdimage_coder`), with a name that can be lent.
package final class CoderObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    package let coder: any ImageCoder
    package let name: CString

    package init(_ coder: any ImageCoder) {
        self.coder = coder
        name = CString(coder.name)
    }
}
