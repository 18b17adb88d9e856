/// Receives the progress of a loader, on any thread.
/// Implemented by `SharedTransfer`, `LoaderFetch` and adapters of the host.
package protocol ProgressReceiver: AnyObject, Sendable {
    /// Bytes received so far and the expected total; -1 = unknown.
    func didReceive(_ received: Int64, _ expected: Int64)
    /// The body that the bytes will arrive in, for decoders of partial images.
    /// Called again if the loader continues in another body.
    func bodyArrives(_ body: GrowingBody)
    /// A response head; the last one counts.
    /// Called again after a retry.
    func didRespond(_ head: ReceivedHead)
    /// A placeholder for the final image.
    /// A loader may send several; each replaces the one before.
    func didPreview(_ image: Image)
}

extension ProgressReceiver {
    package func bodyArrives(_ body: GrowingBody) {}
    package func didPreview(_ image: Image) {}
}

/// Progress that a loader reports before it completes.
/// A value that a loader may keep and use on any thread until it completes.
package struct LoadProgress: Sendable {
    /// nil discards everything, at no cost.
    private let receiver: (any ProgressReceiver)?

    /// Discards all progress.
    package static let none = LoadProgress(nil)

    package init(_ receiver: (any ProgressReceiver)?) { self.receiver = receiver }

    /// Reports the bytes received so far and the expected total; -1 = unknown.
    package func callAsFunction(_ received: Int64, _ expected: Int64) { receiver?.didReceive(received, expected) }

    /// Reports the body that the bytes will arrive in, for decoders of partial images. A loader that has all bytes immediately
    /// may omit the call; a loader that switches to another body repeats it.
    package func arrives(in body: GrowingBody) { receiver?.bodyArrives(body) }

    /// Reports a response head; the last one counts.
    package func responded(_ head: ReceivedHead) { receiver?.didRespond(head) }

    /// Reports a placeholder for the final image.
    package func shows(_ image: Image) { receiver?.didPreview(image) }
}
