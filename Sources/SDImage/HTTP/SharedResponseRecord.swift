/// Record by reference, for images in memory.
/// A class, so that all copies of an image's metadata share one record.
package final class SharedResponseRecord: Sendable {
    package let record: ResponseRecord

    package init(_ record: ResponseRecord) { self.record = record }
}
