/// Which frames a provider gives: two of the same identity share one pool.
package struct FrameIdentity: Hashable, Sendable {
    private let base: ObjectIdentifier
    /// Of the transformers on top, innermost first.
    private let keys: [String]

    /// Of a provider, which must live as long as this is used.
    package init(_ frames: any FrameProvider) {
        base = ObjectIdentifier(frames.origin)
        keys = []
    }

    private init(base: ObjectIdentifier, keys: [String]) {
        self.base = base
        self.keys = keys
    }

    /// Of the same frames, each changed by a transformer of that key.
    package func transformed(by key: String) -> FrameIdentity { FrameIdentity(base: base, keys: keys + [key]) }
}
