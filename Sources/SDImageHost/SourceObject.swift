import SDImage

/// A source as seen from C: `sdimage_source`. Lent to coders that read bytes as they need them.
package final class SourceObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    package let source: any ByteSource

    package init(_ source: any ByteSource) { self.source = source }
}
