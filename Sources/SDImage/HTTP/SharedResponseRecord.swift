/// Record by reference, for images in memory.
package final class SharedResponseRecord: Sendable {
    package let record: ResponseRecord

    package init(_ record: ResponseRecord) { self.record = record }
}
