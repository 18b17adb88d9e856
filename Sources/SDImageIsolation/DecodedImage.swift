import SDImage

/// An image from a worker, and what the worker keeps of it.
struct DecodedImage {
    let image: Image
    /// The session with the other frames or the vector image; nil for others.
    let session: Session?
    /// The frames in the session; empty without one.
    let properties: StreamProperties
    /// True if the frames have encoded bytes.
    let hasBytes: Bool
    let isVector: Bool
}

/// A decoder or image that a worker keeps; closed with the last reference.
final class Session: Sendable {
    /// The worker that keeps it; retained, so that it can be told to close the session.
    let process: DecoderProcess
    /// The worker's number of the session, from 1.
    let number: UInt64

    init(_ process: DecoderProcess, _ number: UInt64) {
        self.process = process
        self.number = number
    }

    deinit { process.close(number) }
}

extension MessageWriter {
    /// Writes an image, and the number of the session that keeps its frames or vector image; 0 for others.
    mutating func put(_ image: Image, session: UInt64) throws(ImageError) {
        try put(image)
        try put(session)
        guard session != 0 else { return }
        var properties = StreamProperties()
        properties.size = image.size
        if let frames = image.frames {
            properties.frameCount = frames.frameCount
            properties.loopCount = frames.loopCount
            properties.encoded = frames.encoded
            properties.durations = (0..<frames.frameCount).map { Int32(clamping: frames.durationMilliseconds(at: $0)) }
        }
        try put(properties)
        try put(image.vector != nil)
    }
}

extension MessageReader {
    /// The best image so far, and the properties of its decoder.
    mutating func partialImage(
        _ limits: DecodeLimits
    ) throws(ImageError) -> (image: Image?, hasFrames: Bool, properties: StreamProperties) {
        let image = try optional { reader throws(ImageError) in try reader.image(limits) }
        return (image, try flag(), try properties().0)
    }

    /// Reads an image with its session, which it owns from the moment its number is known.
    mutating func decodedImage(_ limits: DecodeLimits, _ process: DecoderProcess) throws(ImageError) -> DecodedImage {
        let image = try image(limits)
        let number = try number(UInt64.self)
        guard number != 0 else {
            return DecodedImage(image: image, session: nil, properties: StreamProperties(), hasBytes: false, isVector: false)
        }
        let session = Session(process, number)
        let (properties, hasBytes) = try properties()
        return DecodedImage(
            image: image, session: session, properties: properties, hasBytes: hasBytes, isVector: try flag())
    }
}
