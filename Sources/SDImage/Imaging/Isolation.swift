import Synchronization

/// The coders that decode in worker processes; the raw values are those of `sdimage_isolation`.
/// Set for the process, and overridden by options.
package enum Isolation: Int32, Sendable {
    /// Every coder decodes in this process.
    case none = 1
    /// Coders in modules and plug-ins, and those that declare themselves risky.
    case risky = 2
    /// Every coder that a worker can make.
    case all = 3

    // MARK: Settings of the process

    private static let ofProcess = Atomic<Int32>(Isolation.none.rawValue)
    private static let fallsBack = Atomic<Bool>(false)

    /// The mode for options without one.
    package static var standard: Isolation {
        get { Isolation(rawValue: ofProcess.load(ordering: .relaxed)) ?? .none }
        set { ofProcess.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// True if a coder whose worker cannot be started decodes in this process; otherwise the decode fails with `unsupported`.
    package static var decodesInProcess: Bool {
        get { fallsBack.load(ordering: .relaxed) }
        set { fallsBack.store(newValue, ordering: .relaxed) }
    }
}

/// The place of a coder's code, from which a worker process can make the same coder.
/// Returned by `ImageCoder.origin`.
package enum CoderOrigin: Sendable {
    /// A built-in coder of this library, found by its name.
    case library
    /// A shared object whose function `sdimage_<name>_coder_new` makes the coder.
    case module(path: String)
    /// Functions of the host, which exist in its process only.
    case host
}
