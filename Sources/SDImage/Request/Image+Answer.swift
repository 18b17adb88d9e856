extension KeptAnswer: ImageProvenance {}

extension ImageMetadata {
    /// The record of the response that the image came from; nil unless it came over HTTP.
    package var answer: KeptAnswer? { provenance as? KeptAnswer }
}

extension Image {
    /// The same pixels with the record of the response that they came from.
    package func with(_ record: AnswerRecord) -> Image {
        var metadata = metadata
        metadata.provenance = KeptAnswer(record)
        return with(metadata)
    }
}
