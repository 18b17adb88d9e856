import SDImage
import Testing

/// The results of a decoder for bytes that arrive piece by piece.
struct ProgressiveResult {
    /// The final pixels of all frames, or of the still image; nil after an error.
    private(set) var frames: [[UInt8]]?
    private(set) var failure: Status?
    /// Images before the end.
    private(set) var previews: [Image] = []
    /// Number of frames after each piece.
    private(set) var counts: [Int] = []

    /// `pieces`: lengths, used cyclically.
    init(_ coder: some ImageCoder, _ data: [UInt8], pieces: [Int], _ change: (inout DecodeOptions) -> Void = { _ in }) throws {
        var options = DecodeOptions()
        change(&options)
        let decoder = try #require(try coder.open(options: options, stop: CancellationToken()))
        do throws(ImageError) {
            frames = try feed(decoder, data, pieces)
        } catch { failure = error.status }
    }

    private mutating func feed(_ decoder: any ImageDecoder, _ data: [UInt8], _ pieces: [Int]) throws(ImageError) -> [[UInt8]] {
        var arrived = GrowingBytes(limit: .max)
        var rest = data[...]
        var turn = 0
        while !rest.isEmpty {
            let piece = try Bytes.copying(Array(rest.prefix(pieces[turn % pieces.count])))
            turn += 1
            rest = rest.dropFirst(piece.count)
            unsafe try piece.withUnsafeBytes { piece throws(ImageError) in unsafe try arrived.append(piece) }
            try decoder.update(arrived.bytes, isFinished: rest.isEmpty, stop: CancellationToken())
            counts.append(decoder.frameCount)
            if !rest.isEmpty, let preview = try decoder.image(stop: CancellationToken()) { previews.append(preview) }
        }
        guard let image = try decoder.image(stop: CancellationToken()) else { throw ImageError(.truncated, "no picture") }
        return try ProgressiveResult.contents(image, decoder)
    }

    /// The same results for a decode of all bytes at once.
    static func whole(_ coder: some ImageCoder, _ data: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) -> (
        frames: [[UInt8]]?, failure: Status?
    ) {
        var options = DecodeOptions()
        change(&options)
        do throws(ImageError) {
            let image = try coder.decode(try .copying(data), options: options, stop: CancellationToken())
            return (try contents(image, image.frames), nil)
        } catch { return (nil, error.status) }
    }

    /// Pixels of the image and of its frames; empty for a frame that cannot be decoded.
    private static func contents(_ image: Image, _ frames: (any FrameProvider)?) throws(ImageError) -> [[UInt8]] {
        guard let frames, frames.frameCount > 1 else { return [image.content] }
        return [image.content]
            + (0..<frames.frameCount).map { index in
                do throws(ImageError) { return try frames.frame(at: index, stop: CancellationToken()).content } catch {
                    return []
                }
            }
    }

    /// 1, 7, 64, 4096 and irregular lengths.
    static let pieces = [[1], [7], [64], [4096], [3, 1, 500, 17, 90, 2, 1000]]
}
