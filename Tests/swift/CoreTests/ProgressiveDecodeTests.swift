import Synchronization
import Testing

@testable import SDImage

/// One decoder handles one growing body.
@Suite struct ProgressionTests {
    /// Decodes to one pixel with the value of the last byte received.
    private final class LastByteCoder: ImageCoder {
        let name = "last byte", libraryVersion = ""
        let decodableFormats: [ImageFormat] = []
        /// Number of decoders opened.
        let opened = Mutex(0)

        func canDecode(_ bytes: Bytes) -> Bool { true }
        func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo { ImageInfo() }
        func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
            try LastByteCoder.picture(bytes)
        }
        func open(options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? {
            opened.withLock { $0 += 1 }
            return StreamDecoder(Stream())
        }

        fileprivate static func picture(_ bytes: Bytes) throws(ImageError) -> Image {
            let pixels = try PixelBuffer(size: PixelSize(width: 1, height: 1), format: .gray8, limit: 64)
            let last = unsafe bytes.withUnsafeBytes { unsafe $0.last ?? 0 }
            if let row = unsafe pixels.mutableRow(0) { unsafe row[0] = last }
            return Image(pixels: pixels, metadata: ImageMetadata())
        }

        struct Stream: ImageStream {
            var properties = StreamProperties()
            var bytes = Bytes.empty

            mutating func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
                self.bytes = bytes
            }
            mutating func image(stop: CancellationToken) throws(ImageError) -> Image? { try LastByteCoder.picture(bytes) }
        }
    }

    private final class Watcher: ProgressiveDecode.Subscriber {
        let values = Monitor<[UInt8]>([])
        let priority = LoadPriority.normal

        func didDecode(_ picture: Image, of source: ImageSource) {
            guard let row = unsafe picture.pixels.row(0) else { return }
            let value = unsafe row[0]
            values.withLock { $0.append(value) }
            values.broadcast()
        }

        func didDecodeEnough(_ picture: Image, of source: ImageSource) {}

        func waits(for value: UInt8) -> Bool {
            values.wait(deadline: MonotonicClock.now + 120_000_000_000) { seen, _ in seen.last == value ? true : nil } ?? false
        }
    }

    private func append(_ value: UInt8, to body: GrowingBody) throws {
        let bytes = [UInt8](repeating: value, count: 100)
        let span = bytes.span
        unsafe try span.withUnsafeBytes { bytes throws(ImageError) in unsafe try body.append(bytes) }
    }

    private func makeDecode(_ body: GrowingBody, _ coder: LastByteCoder, _ lease: EngineLease) -> ProgressiveDecode {
        let options = ProgressiveDecode.Options(decodeOptions: DecodeOptions(), coder: nil, interval: 1) {
            picture, _ throws(ImageError) in picture
        }
        return ProgressiveDecode(body, options, CoderRegistry([coder]), lease.engine)
    }

    @Test func aNewBeginningOfTheBodyIsANewDecoder() throws {
        let lease = try Engine.acquire()
        let body = GrowingBody(limit: 10_000), coder = LastByteCoder(), watcher = Watcher()
        let decode = makeDecode(body, coder, lease)
        _ = decode.join(watcher)
        for value in [1, 2] as [UInt8] {
            try append(value, to: body)
            #expect(watcher.waits(for: value))
        }
        #expect(coder.opened.withLock { $0 } == 1)
        body.reset()
        try append(3, to: body)
        #expect(watcher.waits(for: 3))
        #expect(coder.opened.withLock { $0 } == 2)
        withExtendedLifetime(decode) {}
    }

    @Test func theWholePictureGetsTheDecoderOnlyOfItsOwnBytes() async throws {
        let lease = try Engine.acquire()
        let body = GrowingBody(limit: 10_000), watcher = Watcher()
        let decode = makeDecode(body, LastByteCoder(), lease)
        _ = decode.join(watcher)
        try append(7, to: body)
        #expect(watcher.waits(for: 7))
        let whole = body.finish()
        #expect(await decode.decoder(for: try .copying([7])) == nil)
        #expect(await decode.decoder(for: whole) != nil)
        body.reset()
        #expect(await decode.decoder(for: whole) == nil)
    }

    @Test func aLoadThatLeftSeesNothingMore() throws {
        let lease = try Engine.acquire()
        let body = GrowingBody(limit: 10_000), first = Watcher(), second = Watcher()
        let decode = makeDecode(body, LastByteCoder(), lease)
        _ = decode.join(first)
        _ = decode.join(second)
        try append(1, to: body)
        #expect(first.waits(for: 1) && second.waits(for: 1))
        #expect(!decode.leave(first))
        try append(2, to: body)
        #expect(second.waits(for: 2))
        #expect(first.values.withLock { $0.last } == 1)
        #expect(decode.leave(second))
    }
}
