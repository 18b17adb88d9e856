import SDImage

/// A transformer as seen from C (`sdimage_transformer`), with a key that can be lent.
package final class TransformerObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    package let transformer: any ImageTransformer
    package let key: CString

    package init(_ transformer: any ImageTransformer) {
        self.transformer = transformer
        key = CString(transformer.key)
    }
}
