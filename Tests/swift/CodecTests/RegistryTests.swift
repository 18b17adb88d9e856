import SDImage
import SDImageCodecs
import Testing

/// Accepts all bytes that begin with its letter, and decodes a gray image of one pixel.
private final class LetterCoder: ImageCoder {
    let name: String
    let letter: UInt8
    let libraryVersion = "none"
    let decodableFormats: [ImageFormat]
    let encodableFormats: [ImageFormat] = [.bmp]

    init(_ name: String, _ letter: Character, formats: [ImageFormat] = []) {
        self.name = name
        self.letter = letter.asciiValue ?? 0
        decodableFormats = formats
    }

    func canDecode(_ bytes: Bytes) -> Bool { bytes.reader.byte(at: 0) == letter }

    func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo { ImageInfo() }

    func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        try stop.check()
        var metadata = ImageMetadata()
        metadata.extendedData = try Bytes.copying(Array(name.utf8))
        return Image(
            pixels: try PixelBuffer(size: PixelSize(width: 1, height: 1), format: .gray8, zeroed: true), metadata: metadata)
    }

    func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes { try Bytes.copying(Array(name.utf8)) }
}

@Suite struct RegistryTests {
    private func text(_ bytes: Bytes?) -> String {
        bytes.map { bytes in unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } } ?? ""
    }

    private func decoded(_ registry: CoderRegistry, _ text: String, _ change: (inout DecodeOptions) -> Void = { _ in }) throws
        -> String
    {
        var options = DecodeOptions()
        change(&options)
        let image = try registry.decode(try .copying(Array(text.utf8)), options: options, stop: CancellationToken())
        return self.text(image.metadata.extendedData)
    }

    @Test func theLastRegisteredCoderIsAskedFirst() throws {
        let registry = CoderRegistry([LetterCoder("old", "x")])
        registry.register(LetterCoder("new", "x"))
        #expect(try decoded(registry, "x") == "new")
    }

    @Test func registeringAgainMovesACoderToTheFront() throws {
        let first = LetterCoder("first", "x")
        let registry = CoderRegistry([first, LetterCoder("second", "x")])
        registry.register(first)
        #expect(try decoded(registry, "x") == "first")
        #expect(registry.coders.count == 2)
    }

    @Test func unregisteringRemovesThatInstanceOnly() throws {
        let twin = LetterCoder("twin", "x")
        let registry = CoderRegistry([LetterCoder("twin", "x"), twin])
        registry.unregister(twin)
        registry.unregister(LetterCoder("twin", "x"))
        #expect(registry.coders.count == 1)
    }

    @Test func anOverrideIsUsedWithoutBeingAsked() throws {
        let registry = CoderRegistry([LetterCoder("listed", "x")])
        let image = try registry.decode(
            try .copying(Array("x".utf8)), options: DecodeOptions(), stop: CancellationToken(), coder: LetterCoder("given", "y"))
        #expect(text(image.metadata.extendedData) == "given")
    }

    @Test func aHintCountsOnlyForBytesWithoutASignature() throws {
        let registry = CoderRegistry([LetterCoder("raw", "r", formats: [.raw])])
        #expect(try decoded(registry, "?") { $0.formatHint = .raw } == "raw")
        #expect(imageError { _ = try decoded(registry, "GIF89a") { $0.formatHint = .raw } }?.status == .unsupported)
    }

    @Test(arguments: ["webp/animated.webp", "webp/moving.webp"])
    func withoutTheCoderOfItsFormatAnAnimationIsAStillOfItsFirstFrame(name: String) throws {
        let bytes = try CodecFixture.bytes(name)
        let builtin = BuiltinCoders()
        let registry = CoderRegistry(builtin.registered)
        let moving = try registry.decode(bytes, options: DecodeOptions(), stop: CancellationToken())
        #expect(moving.metadata.frameCount > 1)
        for coder in builtin.registered where coder.name != "basic" { registry.unregister(coder) }
        let still = try registry.decode(bytes, options: DecodeOptions(), stop: CancellationToken())
        #expect(still.metadata.frameCount == 1)
        #expect(still.size == moving.size)
        let decoder = IncrementalDecoder(registry, options: DecodeOptions())
        unsafe try bytes.withUnsafeBytes { all throws(ImageError) in unsafe try decoder.append(all, isFinished: true) }
        #expect(decoder.frameCount == 1)
        #expect(try decoder.image()?.size == moving.size)
    }

    @Test func noBytesAreEmptyData() {
        let registry = CoderRegistry(BuiltinCoders().registered)
        #expect(
            imageError { _ = try registry.decode(.empty, options: DecodeOptions(), stop: CancellationToken()) }?.status
                == .emptyData)
    }

    @Test func unknownBytesAreNotAnImage() {
        let error = imageError { _ = try decoded(CoderRegistry(BuiltinCoders().registered), "<html></html>") }
        #expect(error?.status == .notAnImage)
        #expect(error?.message.string == "decoder: no coder recognizes the bytes")
    }

    @Test func aKnownFormatWithoutCoderIsNamed() {
        let error = imageError { _ = try decoded(CoderRegistry(), "GIF89a") }
        #expect(error?.status == .unsupported)
        #expect(error?.message.string.contains("gif") == true)
    }

    private func encoded(_ registry: CoderRegistry, _ image: Image, _ format: ImageFormat) throws(ImageError) -> Bytes {
        try registry.encode(image, format: format, options: EncodeOptions(), stop: CancellationToken())
    }

    @Test func encodingAsksForTheFormat() throws {
        let registry = CoderRegistry([LetterCoder("writer", "x")])
        let image = try registry.decode(try .copying(Array("x".utf8)), options: DecodeOptions(), stop: CancellationToken())
        #expect(text(try encoded(registry, image, .bmp)) == "writer")
        #expect(imageError { _ = try encoded(registry, image, .jxl) }?.status == .unsupported)
    }

    @Test func aStoppedDecodeIsCancelled() throws {
        let stop = CancellationToken()
        stop.cancel()
        let registry = CoderRegistry(BuiltinCoders().registered)
        let bytes = try CodecFixture.bytes("pictures/bar-chart.png")
        #expect(imageError { _ = try registry.decode(bytes, options: DecodeOptions(), stop: stop) }?.status == .cancelled)
    }

    @Test func theWorkLimitEndsADecode() throws {
        let registry = CoderRegistry(BuiltinCoders().registered)
        var options = DecodeOptions()
        options.limits.workNanoseconds = 0
        let bytes = try CodecFixture.bytes("pictures/bar-chart.png")
        #expect(imageError { _ = try registry.decode(bytes, options: options, stop: CancellationToken()) }?.status == .timeout)
    }

    @Test func readersAndWritersOfTheListDoNotDisturbEachOther() async throws {
        let registry = CoderRegistry([LetterCoder("kept", "x")])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<500 {
                        let coder = LetterCoder("passing", "y")
                        registry.register(coder)
                        _ = registry.coder(for: .empty)
                        registry.unregister(coder)
                    }
                }
            }
        }
        #expect(registry.coders.map(\.name) == ["kept"])
    }
}
