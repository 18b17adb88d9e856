import SDImage
import TestSupport
import Testing

@testable import SDImageCodecs

/// Packing canvases is lossless.
@Suite struct CanvasPackerTests {
    private let size = PixelSize(width: 150, height: 70)

    private func canvas(_ size: PixelSize, _ color: (Int, Int) -> UInt32) throws -> PixelBuffer {
        let canvas = try PixelBuffer(size: size, format: .rgba8)
        for y in 0..<size.height {
            guard let row = unsafe canvas.mutableRow(y)?.bindMemory(to: UInt32.self) else { continue }
            for x in 0..<size.width { unsafe row[x] = color(x, y) }
        }
        return canvas
    }

    private func content(_ canvas: PixelBuffer) -> [UInt8] { Image(pixels: canvas, metadata: ImageMetadata()).content }

    private func unpacked(_ packed: PackedCanvas, _ size: PixelSize) throws -> PixelBuffer {
        let canvas = try canvas(size) { _, _ in 0x5555_5555 }
        try CanvasUnpacker().unpack(packed, into: canvas)
        return canvas
    }

    @Test(arguments: [1, 2, 3, 4, 5, 16, 17, 255, 256, 257, 4096])
    func anyNumberOfColorsComesBack(_ colors: Int) throws {
        for (width, height) in [(150, 70), (64, 64), (1, 1), (65, 129), (3, 64)] {
            var randoms = Randoms(seed: UInt64(colors))
            let size = PixelSize(width: width, height: height)
            // All values of alpha, and hidden colors in transparent pixels.
            let canvas = try canvas(size) { _, _ in UInt32(truncatingIfNeeded: randoms.below(colors) &* 0x9E37_79B9) }
            let packed = try CanvasPacker().pack(canvas, like: nil)
            #expect(try content(unpacked(packed, size)) == content(canvas))
        }
    }

    @Test func flatAreasTakeNextToNothing() throws {
        let packed = try CanvasPacker().pack(try canvas(size) { x, y in x > 70 && y > 30 ? 0xFF00_00FF : 0xFFFF_FFFF }, like: nil)
        #expect(CanvasCacheTable().growth(.packed(packed)) < size.width * size.height * 4 / 20)
    }

    /// Noise takes no less memory packed, and only slightly more.
    @Test func whatCannotBePackedTakesWhatItIs() throws {
        var randoms = Randoms(seed: 3)
        let canvas = try canvas(size) { _, _ in UInt32(truncatingIfNeeded: randoms.below(1 << 32)) }
        let taken = try CanvasCacheTable().growth(.packed(CanvasPacker().pack(canvas, like: nil)))
        #expect(taken >= canvas.size.width * canvas.size.height * 4 && taken < canvas.byteCount + 6 * 200)
    }

    @Test func squaresThatAreTheSameAreShared() throws {
        let packer = try CanvasPacker()
        let before = try packer.pack(canvas(size) { x, y in UInt32(x * y) }, like: nil)
        let after = try canvas(size) { x, y in x == 70 && y == 3 ? 7 : UInt32(x * y) }
        let packed = packer.pack(after, like: before)
        // Three squares in a row; the changed pixel is in the second one.
        #expect(zip(packed.squares, before.squares).map { $0 === $1 } == [true, false, true, true, true, true])
        #expect(try content(unpacked(packed, size)) == content(after))
        #expect(try content(unpacked(before, size)) != content(after))
    }

    /// The cache table counts squares shared by several canvases once, in any order of removal.
    @Test func aSharedSquareCountsOnce() throws {
        let packer = try CanvasPacker()
        let one = try packer.pack(canvas(size) { x, y in UInt32(x * y) }, like: nil)
        let other = try packer.pack(canvas(size) { x, y in y == 69 ? 1 : UInt32(x * y) }, like: one)
        for order in [[0, 1], [1, 0]] {
            var table = CanvasCacheTable()
            _ = table.put(.packed(one), at: 0)
            let alone = table.bytes
            #expect(alone == table.bytes && table.growth(.packed(other)) < alone)
            _ = table.put(.packed(other), at: 1)
            #expect(table.bytes < 2 * alone)
            _ = table.take(order[0])
            let left = order[0] == 0 ? other : one
            #expect(table.bytes == CanvasCacheTable().growth(.packed(left)))
            _ = table.take(order[1])
            #expect(table.bytes == 0)
        }
    }
}
