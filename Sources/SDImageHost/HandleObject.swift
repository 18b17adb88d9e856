import SDImage

/// The rule for an object in a forked child, which has none of the engine's threads and cannot tell whether its locks are held.
@usableFromInline package enum ForkRule {
    /// Used and released as in the parent.
    case usable
    /// Used, but never released: it refers to objects whose release would take locks.
    case unreleasable
    /// Refused with FORKED and never released: it depends on threads and locks of the engine.
    case refused
}

/// A type that states its rule for forked children.
@usableFromInline package protocol ForkRuled {
    static var forkRule: ForkRule { get }
}

/// A class whose objects are passed to C programs. Functions that convert its pointers take the class as a static type
/// parameter: looking up a conformance at run time may take a lock of the Swift runtime, which a child must not do.
@usableFromInline package protocol HandleObject: AnyObject, ForkRuled {}

// Classes of the core, in the order of the rules: usable, unreleasable, refused.
extension Bytes: HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension DownloadEvent: HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension DownloadHooks: HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension FrameSource: HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension GainMap: HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension Image: HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension ImageError: HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension ImageResult: HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension LoadHooks: HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension IncrementalDecoder: HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension LoadEvent: HandleObject {
    @inlinable package static var forkRule: ForkRule { .unreleasable }
}

extension AnimatedView: HandleObject {
    @inlinable package static var forkRule: ForkRule { .refused }
}

extension AnimationPlayer: HandleObject {
    @inlinable package static var forkRule: ForkRule { .refused }
}

extension LoadTask: HandleObject {
    @inlinable package static var forkRule: ForkRule { .refused }
}

extension PrefetchGroup: HandleObject {
    @inlinable package static var forkRule: ForkRule { .refused }
}

extension Resources: HandleObject {
    @inlinable package static var forkRule: ForkRule { .refused }
}
