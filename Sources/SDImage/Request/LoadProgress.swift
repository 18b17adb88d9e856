/// Receives the progress of a loader, on any thread.
package protocol ProgressReceiver: AnyObject, Sendable {
    /// Bytes received so far and the expected total; -1 = unknown.
    func didReceive(_ received: Int64, _ expected: Int64)
    /// The body that the bytes will arrive in, for decoders of partial images.
    func bodyArrives(_ body: GrowingBody)
    /// A response head; the last one counts.
    func didRespond(_ head: ReceivedHead)
    /// A placeholder for the final image.
    func didPreview(_ image: Image)
}

extension ProgressReceiver {
    package func bodyArrives(_ body: GrowingBody) {}
    package func didPreview(_ image: Image) {}
}

/// Progress that a loader reports before it completes.
package struct LoadProgress: Sendable {
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
