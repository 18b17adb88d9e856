import Foundation
import Synchronization

/// A folder for one test, removed with its contents when the test releases it.
public final class TemporaryDirectory: Sendable {
    public let path: String

    /// Removed when the process ends: a disk cache that a test leaves open may create its folder again.
    private static let parent: String = {
        let path = NSTemporaryDirectory() + "sdimage-test-" + UUID().uuidString
        atexit { try? FileManager.default.removeItem(atPath: TemporaryDirectory.parent) }
        return path
    }()
    private static let count = Atomic(0)

    public init() {
        path = "\(TemporaryDirectory.parent)/\(TemporaryDirectory.count.add(1, ordering: .relaxed).newValue)"
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
