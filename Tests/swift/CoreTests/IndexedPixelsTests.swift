import SDImage
import TestSupport
import Testing

@Suite struct IndexedPixelsTests {
    private func picture(_ width: Int, _ height: Int, _ color: (Int, Int) -> UInt32) throws -> PixelBuffer {
        let pixels = try PixelBuffer(size: PixelSize(width: width, height: height), format: .rgba8)
        for y in 0..<height {
            guard let row = unsafe pixels.mutableRow(y)?.bindMemory(to: UInt32.self) else { continue }
            for x in 0..<width { unsafe row[x] = color(x, y) }
        }
        return pixels
    }

    private func content(_ pixels: PixelBuffer) -> [UInt8] {
        (0..<pixels.size.height).flatMap { y in unsafe pixels.row(y).map { unsafe Array($0) } ?? [] }
    }

    @Test(arguments: [1, 2, 255, 256]) func upToSoManyColorsComeBack(_ colors: Int) throws {
        for (width, height) in [(1, 1), (7, 5), (64, 33), (257, 3)] {
            var randoms = Randoms(seed: UInt64(colors))
            let pixels = try picture(width, height) { _, _ in UInt32(randoms.below(colors)) &* 0x9E37_79B1 }
            let indexed = try #require(IndexedPixels.of(pixels))
            #expect(content(try indexed.pixels()) == content(pixels))
            #expect(indexed.heldBytes == width * height + 1024)
            #expect(indexed.imageBytes == pixels.heldBytes)
        }
    }

    @Test func oneColorMoreIsTooMany() throws {
        #expect(IndexedPixels.of(try picture(257, 1) { x, _ in UInt32(x) }) == nil)
        #expect(IndexedPixels.of(try PixelBuffer(size: PixelSize(width: 4, height: 4), format: .rgb8, zeroed: true)) == nil)
    }

    @Test func onlyWhatChangedIsLookedAt() throws {
        let before = try picture(40, 30) { x, y in UInt32(x / 10 + y / 10) }
        let area = PixelArea(columns: 5..<25, rows: 3..<13)
        let after = try picture(40, 30) { x, y in
            area.columns.contains(x) && area.rows.contains(y) ? UInt32(100 + x) : UInt32(x / 10 + y / 10)
        }
        let first = try #require(IndexedPixels.of(before))
        #expect(content(try #require(IndexedPixels.of(after, before: first, changed: area)).pixels()) == content(after))
        // Pixels outside the changed area are copied from the previous image.
        let nothing = PixelArea(columns: 0..<0, rows: 0..<0)
        #expect(content(try #require(IndexedPixels.of(after, before: first, changed: nothing)).pixels()) == content(before))
        // An image of another size shares nothing.
        let small = try picture(4, 3) { _, _ in 7 }
        #expect(content(try #require(IndexedPixels.of(small, before: first, changed: nothing)).pixels()) == content(small))
    }

    /// A palette that fills up over time is rebuilt.
    @Test func colorsThatAreGoneTakeNoPlace() throws {
        var last: IndexedPixels?
        for frame in 0..<10 {
            let pixels = try picture(20, 10) { x, y in UInt32(frame * 1000 + x + 20 * (y % 10)) }
            last = IndexedPixels.of(pixels, before: last, changed: PixelArea(pixels.size))
            #expect(content(try #require(last).pixels()) == content(pixels))
        }
        // Half of the image changes: never more than 200 colors in total.
        for frame in 0..<10 {
            let upper = PixelArea(columns: 0..<20, rows: 0..<5)
            let pixels = try picture(20, 10) { x, y in UInt32(x + 20 * y + (y < 5 ? frame * 5000 : 900_000)) }
            last = IndexedPixels.of(pixels, before: frame == 0 ? nil : last, changed: upper)
            #expect(content(try #require(last).pixels()) == content(pixels))
        }
    }
}
