import SDImage

/// A value that C code builds up with setters, behind a reference. Single-owner: not locked. Functions that use it copy the
/// value, so later changes have no effect on them.
@usableFromInline package final class Box<Value: ForkRuled>: @unchecked Sendable, HandleObject {
    // Unchecked: single-owner objects are used by one thread at a time, a rule of the header that the caller observes.
    @usableFromInline package var value: Value
    /// The budget of the operation for which the options were made; nil for options made by the host.
    package let budget: WorkBudget?
    /// The named values of decode or encode options, as lent to the host; nil for none.
    package private(set) var values: Box<OptionsBag>?
    /// The texts and bytes lent to the host.
    package var lent = LentTexts()

    /// An object that the host made.
    package convenience init(_ value: Value) { self.init(value, budget: nil) }

    package init(_ value: Value, budget: WorkBudget?) {
        self.value = value
        self.budget = budget
    }

    @inlinable package static var forkRule: ForkRule { Value.forkRule }

    /// Runs a setter on the value, without a copy of it.
    @inlinable package func change(_ body: (inout Value) -> Void) { PostponedCalls.runAfter { body(&value) } }

    /// Makes the object for the named values, which the host borrows from this one.
    fileprivate func lend(_ bag: FrozenOptions?) { values = bag.map { Box<OptionsBag>($0.bag) } }
}

/// Options with named values for coders.
package protocol CoderOptions: ForkRuled {
    var bag: FrozenOptions? { get set }
}

extension DecodeOptions: CoderOptions {}
extension EncodeOptions: CoderOptions {}

extension Box where Value: CoderOptions {
    /// An object whose named values can be lent: those passed to coders and returned to the host.
    package static func lending(_ value: Value, budget: WorkBudget? = nil) -> Box {
        let box = Box(value, budget: budget)
        box.lend(value.bag)
        return box
    }

    /// Replaces the named values; nil or an empty bag removes them.
    package func setValues(_ bag: OptionsBag?) {
        // Frozen, because decodes compare options and run on other threads.
        change { $0.bag = bag.flatMap { $0.count > 0 ? FrozenOptions($0) : nil } }
        lend(value.bag)
    }
}

// One name for each C type, such as `sdimage_batch_options`. The rules for forked children follow: `usable` values consist of
// memory only.
package typealias BatchOptionsObject = Box<BatchOptions>
package typealias CacheConfigObject = Box<CacheConfiguration>
package typealias CacheQueryObject = Box<CacheQuery>
package typealias DecodeOptionsObject = Box<DecodeOptions>
package typealias EncodeOptionsObject = Box<EncodeOptions>
package typealias ManagerConfigObject = Box<ManagerConfiguration>
package typealias MetadataObject = Box<ImageMetadata>
package typealias OptionsObject = Box<OptionsBag>
package typealias TargetOptionsObject = Box<TargetOptions>

extension BatchOptions: ForkRuled {
    @inlinable package static var forkRule: ForkRule { .unreleasable }
}

extension CacheConfiguration: ForkRuled {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension CacheQuery: ForkRuled {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension DecodeOptions: ForkRuled {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension EncodeOptions: ForkRuled {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension ManagerConfiguration: ForkRuled {
    @inlinable package static var forkRule: ForkRule { .unreleasable }
}

extension ImageMetadata: ForkRuled {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension OptionsBag: ForkRuled {
    @inlinable package static var forkRule: ForkRule { .usable }
}

extension TargetOptions: ForkRuled {
    @inlinable package static var forkRule: ForkRule { .unreleasable }
}
