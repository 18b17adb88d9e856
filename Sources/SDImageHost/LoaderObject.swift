import SDImage

/// A loader as seen from C (`sdimage_loader`), with a name that can be lent.
package final class LoaderObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .refused }

    package let loader: any ImageLoader
    package let name: CString

    package init(_ loader: any ImageLoader) {
        self.loader = loader
        name = CString(loader.name)
    }
}
