/// Identity of the frames of a provider. Sources of equal identity share one pool.
/// A key of the registry of pools.
package struct FrameIdentity: Hashable, Sendable {
    /// Object of the frames' content; `FrameProvider` defines it.
    private let base: ObjectIdentifier
    /// Keys of the transformers on top, innermost first.
    private let keys: [String]

    /// Identity of a provider's frames. The provider must live as long as the identity is used.
    package init(_ frames: any FrameProvider) {
        base = ObjectIdentifier(frames.origin)
        keys = []
    }

    private init(base: ObjectIdentifier, keys: [String]) {
        self.base = base
        self.keys = keys
    }

    /// Identity of the same frames, each changed by the transformer with that key.
    package func transformed(by key: String) -> FrameIdentity { FrameIdentity(base: base, keys: keys + [key]) }
}
