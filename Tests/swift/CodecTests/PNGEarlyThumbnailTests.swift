import SDImage
import Testing

@testable import SDImageCodecs

/// Thumbnails of interlaced images from their first pass.
@Suite struct PNGEarlyThumbnailTests {
    private let coder = PNGCoder()
    private static let size = PixelSize(width: 160, height: 120)
    private static let small = PixelSize(width: 20, height: 15)
    private static let kind = PNGReferenceTests.Kind(type: 2, depth: 8, isKeyed: false)

    private func file(interlaced: Bool = true, parts: Int = 1) -> [UInt8] {
        PNGReferenceTests.file(
            PNGEarlyThumbnailTests.kind, PNGEarlyThumbnailTests.size.width, PNGEarlyThumbnailTests.size.height,
            interlaced: interlaced, seed: 4,
            parts: parts)
    }

    private func decode(_ data: [UInt8], _ box: PixelSize = small, early: Bool = true) throws -> Image? {
        try coder.survive(data) { ($0.thumbnailSize, $0.earlyThumbnail) = (box, early) }
    }

    @Test(arguments: [1, 50]) func anEighthHasEveryEighthPixel(parts: Int) throws {
        let data = file(parts: parts)
        let full = try #require(try coder.survive(data))
        let early = try #require(try decode(data))
        #expect(early.size == PNGEarlyThumbnailTests.small)
        #expect(early.metadata.sourceSize == PNGEarlyThumbnailTests.size && !early.metadata.isIncremental)
        #expect(early.distance { full.pixel($0 * 8, $1 * 8) } == 0)
    }

    @Test(arguments: [1, 50]) func whatFollowsTheFirstPassNeedNotBeThere(parts: Int) throws {
        let data = file(parts: parts)
        let whole = try #require(try decode(data))
        let needed = try #require(whole.metadata.consumedBytes)
        #expect(needed < data.count / 20)
        let early = try #require(try decode(Array(data.prefix(needed))))
        #expect(early.content == whole.content)
        #expect(early.metadata.consumedBytes == needed)
        #expect(try decode(Array(data.prefix(needed)), early: false) == nil)
        #expect(try decode(Array(data.prefix(needed - 1))) == nil)
    }

    @Test func aGrowingPictureIsSatisfiedByItsFirstPass() throws {
        let data = file(parts: 50)
        let whole = try #require(try decode(data))
        let needed = try #require(whole.metadata.consumedBytes)
        var options = DecodeOptions()
        (options.thumbnailSize, options.earlyThumbnail) = (PNGEarlyThumbnailTests.small, true)
        let decoder = try #require(try coder.open(options: options, stop: CancellationToken()))
        var fed = 0
        while !decoder.isSatisfied, fed < data.count {
            fed += 1
            try decoder.update(try .copying(Array(data.prefix(fed))), isFinished: false, stop: CancellationToken())
        }
        #expect(fed == needed)
        let image = try #require(try decoder.image(stop: CancellationToken()))
        #expect(image.content == whole.content && image.metadata.consumedBytes == needed)
        try decoder.update(try .copying(data), isFinished: true, stop: CancellationToken())
        #expect(try decoder.image(stop: CancellationToken())?.content == whole.content)
    }

    @Test func smallerOnesAreShrunkFromTheFirstPass() throws {
        let data = file()
        let early = try #require(try decode(data, PixelSize(width: 8, height: 6)))
        #expect(early.size == PixelSize(width: 8, height: 6) && early.metadata.consumedBytes != nil)
    }

    @Test func largerAndOtherPicturesAreNeverEarly() throws {
        let larger = try #require(try decode(file(), PixelSize(width: 24, height: 18)))
        #expect(larger.metadata.consumedBytes == nil)
        let plain = try #require(try decode(file(interlaced: false)))
        #expect(plain.metadata.consumedBytes == nil)
        #expect(try decode(Array(file().dropLast(40)), PixelSize(width: 24, height: 18)) == nil)
    }

    @Test func whatComesBehindTheDataChangesNothing() throws {
        let data = file()
        var turned = Array(data.dropLast(12))
        var tail = PNGBuilder()
        let start = tail.bytes.count
        tail.chunk("eXIf", [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0])
        tail.chunk("IEND", [])
        turned += tail.bytes.dropFirst(start)
        let box = PixelSize(width: 15, height: 20)
        let late = try #require(try decode(turned, box, early: false))
        #expect(late.size == box)
        #expect(try decode(turned, box)?.content == decode(data, box)?.content)
    }

    @Test func damageInTheFirstPassIsDamage() throws {
        var data = file()
        data[45] ^= 0x40
        #expect(try decode(data) == nil)
    }
}
