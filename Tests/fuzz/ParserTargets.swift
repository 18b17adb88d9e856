import SDImage
import SDImageCodecs

/// Parsers that do not decode images.
enum ParserTargets {
    /// The EXIF block with orientation and resolution.
    static func exif(_ input: FuzzTarget.Input) {
        let block = Bytes.exact(UnsafeRawBufferPointer(input))
        _ = ExifOrientation.read(block)
        _ = ExifResolution.read(block)
        _ = ExifDirectory.block(block)
    }

    /// The metadata that a remote cache returns with an entry's bytes: an encoded copy is equal.
    static func entry(_ input: FuzzTarget.Input) {
        do throws(ImageError) {
            let entry = try CachedData(bytes: .empty, metadata: Bytes.exact(UnsafeRawBufferPointer(input)))
            _ = entry.date
            let again = try CachedData(bytes: .empty, metadata: try Bytes.copying(entry.metadata))
            expect(
                again.entityTag == entry.entityTag && again.encodedRecord == entry.encodedRecord,
                "an entry keeps what was told of it")
        } catch {}
    }

    /// A color profile, applied to a row of one pixel format, chosen by the last byte because creating a transform is slow.
    static func icc(_ input: FuzzTarget.Input) {
        let profile = Bytes.exact(UnsafeRawBufferPointer(input))
        let formats = PixelFormat.allCases.filter { !$0.isPremultiplied && $0 != .rgbaFloat }
        let last = Int(input.last ?? 0)
        let choice = last % (formats.count + 2)
        guard choice < formats.count else { return ink(profile, isInverted: choice == formats.count) }
        light(profile, formats[choice], to: last & 0x80 == 0 ? nil : .rgbaFloat)
    }

    private static let pixels = 7

    private static func light(_ profile: Bytes, _ format: PixelFormat, to output: PixelFormat?) {
        guard
            let transform = ColorConverter.transform(
                profile: profile, format: format, isGray: format.channels == 1, output: output)
        else { return }
        let row = [UInt8](repeating: 77, count: pixels * format.bytesPerPixel)
        var result = [UInt8](repeating: 0, count: pixels * transform.output(for: format).bytesPerPixel)
        row.withUnsafeBytes { from in
            result.withUnsafeMutableBytes { transform.apply(from, to: $0, pixels: pixels, format: format) }
        }
    }

    private static func ink(_ profile: Bytes, isInverted: Bool) {
        let ink = [UInt8](repeating: 99, count: pixels * 4)
        var row = [UInt8](repeating: 0, count: pixels * 3)
        let transform = ColorConverter.cmykTransform(profile: profile, isInverted: isInverted)
        ink.withUnsafeBytes { from in row.withUnsafeMutableBytes { transform?.apply(from, to: $0, pixels: pixels) } }
    }

    /// The text of a BlurHash, and the bytes of a ThumbHash: a valid hash can be drawn and encoded again.
    static func placeholder(_ input: FuzzTarget.Input) {
        let bytes = Array(input)
        do throws(ImageError) {
            let hash = try BlurHash(bytes)
            _ = try hash.image(size: PixelSize(width: 5, height: 3), punch: 2)
            expect(hash.text.count == bytes.count, "a BlurHash keeps its length")
        } catch {}
        do throws(ImageError) {
            let hash = try ThumbHash(bytes)
            _ = try hash.image()
            expect(hash.bytes.count <= bytes.count, "a ThumbHash grows no longer")
        } catch {}
    }

    /// Lines: fields of a response and of a request, and a row of a cache.
    static func freshness(_ input: FuzzTarget.Input) {
        let lines = Array(input).split(separator: Byte.newline, maxSplits: 7, omittingEmptySubsequences: false).map(Array.init)
        func line(_ index: Int) -> [UInt8] { index < lines.count ? lines[index] : [] }
        var record = ResponseRecord(entityTag: line(0), lastModified: line(1), encoded: line(7), created: 1 << 60)
        (record.cacheControl, record.date, record.age) = (line(2), line(3), line(4))
        (record.expires, record.vary) = (line(5), line(6))
        let fields = [HeaderField(name: "Cache-Control", value: String(decoding: line(2).reversed(), as: UTF8.self))]
        record.select(by: fields)
        for now in [0, 1 << 60, UInt64.max] {
            let freshness = Freshness(of: record, fields: fields, now: now)
            expect(freshness.age >= 0 && freshness.lifetime >= 0, "no time is negative")
            expect(freshness.selectsSame || freshness.verdict == .mustAsk, "another representation is never fresh")
        }
        let kept = ResponseRecord(
            entityTag: record.storedEntityTag, lastModified: record.storedLastModified, encoded: record.encoded, created: 0)
        expect(kept.isEmpty || kept.encoded == record.encoded, "a record comes back from its row")
        let unsigned = SignatureFilter.unsigned(Array(input))
        expect(unsigned.count <= input.count, "a key grows no longer")
    }

    private static let registry = CoderRegistry(BuiltinCoders().registered)
    /// The number of bytes with which a decoder chooses its coder.
    private static let bytesToChoose = 64

    /// Checks the signature: the coder chosen by the first bytes is the coder chosen by all bytes.
    static func sniff(_ input: FuzzTarget.Input) {
        let bytes = Bytes.exact(UnsafeRawBufferPointer(input))
        _ = FormatSniffer.format(of: bytes)
        var options = DecodeOptions()
        options.limits = .fuzzing
        do throws(ImageError) { _ = try registry.info(bytes, options: options) } catch {}
        guard let first = bytes.slice(0..<min(bytesToChoose, bytes.count)), let early = registry.coder(for: first) else {
            return
        }
        guard let late = registry.coder(for: bytes) else { return expect(false, "more bytes do not unmake a signature") }
        // An animated PNG is recognized later: its coder decodes still PNGs, too.
        let isStill = early.name == "apng" && late.name == "basic"
        expect(early === late || isStill, "the first bytes choose the coder: \(early.name), then \(late.name)")
    }
}
