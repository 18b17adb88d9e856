/// The record travels with the image in memory, so that freshness can be computed without a disk look-up.
extension SharedResponseRecord: ImageProvenance {}

extension ImageMetadata {
    /// The record of the response that the image came from; nil unless it came over HTTP.
    package var response: SharedResponseRecord? { provenance as? SharedResponseRecord }
}

extension Image {
    /// The same pixels with the record of the response that they came from.
    package func with(_ record: ResponseRecord) -> Image {
        var metadata = metadata
        metadata.provenance = SharedResponseRecord(record)
        return with(metadata)
    }
}
