import SDImage

/// A source as seen from C.
package final class SourceObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    package let source: any ByteSource

    package init(_ source: any ByteSource) { self.source = source }
}
