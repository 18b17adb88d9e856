/// A record by reference, for pictures in memory.
package final class KeptAnswer: Sendable {
    package let record: AnswerRecord

    package init(_ record: AnswerRecord) { self.record = record }
}
