/// What a loader says of a load before it is over.
package struct LoadProgress: Sendable {
    private let report: @Sendable (_ received: Int64, _ expected: Int64) -> Void
    private let arrival: (@Sendable (GrowingBody) -> Void)?
    private let response: (@Sendable (ReceivedHead) -> Void)?
    private let picture: (@Sendable (Image) -> Void)?

    /// Nobody listens.
    package static let none = LoadProgress { _, _ in }

    /// `arrival` is told where the bytes come in, `response` what a server says before them, `picture` what may be shown
    /// until the final picture is there.
    package init(
        _ report: @escaping @Sendable (_ received: Int64, _ expected: Int64) -> Void,
        arrival: (@Sendable (GrowingBody) -> Void)? = nil, response: (@Sendable (ReceivedHead) -> Void)? = nil,
        picture: (@Sendable (Image) -> Void)? = nil
    ) {
        self.report = report
        self.arrival = arrival
        self.response = response
        self.picture = picture
    }

    /// Bytes received so far, and how many are expected; -1 = unknown.
    package func callAsFunction(_ received: Int64, _ expected: Int64) { report(received, expected) }

    /// The bytes will come in this body: for those who show a part of the picture. A loader that has all bytes at once need
    /// not say so; one that begins with another body says it again.
    package func arrives(in body: GrowingBody) { arrival?(body) }

    /// A server has answered; the last answer counts.
    package func responded(_ head: ReceivedHead) { response?(head) }

    /// A picture that stands for the final one.
    package func shows(_ image: Image) { picture?(image) }
}
