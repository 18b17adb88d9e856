/// Progress that a loader reports before it completes.
package struct LoadProgress: Sendable {
    private let report: @Sendable (_ received: Int64, _ expected: Int64) -> Void
    private let arrival: (@Sendable (GrowingBody) -> Void)?
    private let response: (@Sendable (ReceivedHead) -> Void)?
    private let preview: (@Sendable (Image) -> Void)?

    /// Discards all progress.
    package static let none = LoadProgress { _, _ in }

    /// `arrival` receives the body that the bytes arrive in, `response` the response head that precedes them, and `preview` an
    /// image to show until the final one is available.
    package init(
        _ report: @escaping @Sendable (_ received: Int64, _ expected: Int64) -> Void,
        arrival: (@Sendable (GrowingBody) -> Void)? = nil, response: (@Sendable (ReceivedHead) -> Void)? = nil,
        preview: (@Sendable (Image) -> Void)? = nil
    ) {
        self.report = report
        self.arrival = arrival
        self.response = response
        self.preview = preview
    }

    /// Reports the bytes received so far and the expected total; -1 = unknown.
    package func callAsFunction(_ received: Int64, _ expected: Int64) { report(received, expected) }

    /// Reports the body that the bytes will arrive in, for decoders of partial images. A loader that has all bytes immediately
    /// may omit the call; a loader that switches to another body repeats it.
    package func arrives(in body: GrowingBody) { arrival?(body) }

    /// Reports a response head; the last one counts.
    package func responded(_ head: ReceivedHead) { response?(head) }

    /// Reports a placeholder for the final image.
    package func shows(_ image: Image) { preview?(image) }
}
