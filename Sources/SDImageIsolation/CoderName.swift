import SDImage

/// A coder as host and worker name it: a built-in one, or that of a shared object. Host and worker are the same library, so a
/// name stands for the same coder in both.
package struct CoderName: Hashable, Sendable {
    package let name: String
    /// The shared object; empty for a built-in coder.
    package let path: String
    /// True if the libraries for rare images are opened too.
    let isComplete: Bool

    package init(name: String, path: String, isComplete: Bool = false) {
        self.name = name
        self.path = path
        self.isComplete = isComplete
    }

    /// The same coder with all its libraries.
    var complete: CoderName { CoderName(name: name, path: path, isComplete: true) }

    /// nil for a coder that exists in the host's process only.
    init?(_ coder: any ImageCoder) {
        switch coder.origin {
        case .library: self.init(name: coder.name, path: "")
        case .module(let path): self.init(name: coder.name, path: path)
        case .host: return nil
        }
    }
}
