import SDImage
import Synchronization

/// The manager that the process shares: made when it is first asked for, and kept until it is closed.
enum SharedManager {
    private static let kept = Mutex<ManagerObject?>(nil)

    static func get() throws(ImageError) -> ManagerObject {
        // A child has neither its threads nor a say about who held the lock.
        if Engine.isForked { throw .forked }
        if let object = kept.withLock({ $0 }), !object.manager.isClosed { return object }
        let made = ManagerObject(try Defaults.makeManager(ManagerConfiguration()))
        // Another thread may have been faster. What is replaced is let go of outside the lock: it is a closed manager.
        let (object, old) = kept.withLock { kept -> (ManagerObject, ManagerObject?) in
            if let other = kept, !other.manager.isClosed { return (other, nil) }
            defer { kept = made }
            return (made, kept)
        }
        withExtendedLifetime((old, made)) {}
        return object
    }

    /// No longer kept: whoever asks next gets another.
    static func letGo(of manager: ImageManager) {
        guard !Engine.isForked else { return }
        let old = kept.withLock { kept -> ManagerObject? in
            guard kept?.manager === manager else { return nil }
            defer { kept = nil }
            return kept
        }
        withExtendedLifetime(old) {}
    }
}
