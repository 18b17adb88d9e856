import SDImage
import Testing

@testable import SDImageIsolation

@Suite struct ResultArenaTests {
    private func pixels(_ width: Int, _ height: Int) throws -> PixelBuffer {
        try PixelBuffer(size: PixelSize(width: width, height: height), format: .rgba8, limit: 1 << 30)
    }

    @Test func releasedMemoryIsMergedAndUsedAgain() throws {
        let arena = try ResultArena()
        var regions = (0..<4).compactMap { _ in arena.region(1 << 20) }
        #expect(regions.map(\.offset) == [0, 1 << 20, 2 << 20, 3 << 20])
        #expect(regions.allSatisfy { !$0.isZeroed })
        // In the middle, then its neighbors on both sides.
        regions.remove(at: 1)
        #expect(arena.region(2 << 20)?.offset == 4 << 20)
        regions.remove(at: 1)
        #expect(arena.region(2 << 20)?.offset == 1 << 20)
        regions = []
        #expect(arena.region(ResultArena.largest)?.offset == 0)
    }

    @Test func aFullArenaHasNoMemory() throws {
        let arena = try ResultArena()
        let regions = (0..<2).compactMap { _ in arena.region(ResultArena.largest) }
        #expect(regions.count == 2)
        #expect(arena.region(1) == nil)
        withExtendedLifetime(regions) {}
        #expect(try ResultArena().region(ResultArena.largest + 1) == nil)
        #expect(try ResultArena().region(0) == nil)
    }

    @Test func theHostCopiesWhatTheWorkerWrote() throws {
        let arena = try ResultArena()
        let first = try #require(arena.region(1))
        let second = try #require(arena.region(64 * 4))
        unsafe second.address.initializeMemory(as: UInt8.self, repeating: 7, count: 64 * 4)
        let remote = try RemoteArena(arena.memory)
        let copy = try pixels(16, 4)
        try remote.copy(second.offset, to: copy)
        #expect(unsafe copy.mutablePixels.load(fromByteOffset: 255, as: UInt8.self) == 7)
        withExtendedLifetime((first, second)) {}
    }

    @Test func trimmingKeepsTheMemoryInUse() throws {
        let arena = try ResultArena()
        let (first, second) = (try #require(arena.region(1)), try #require(arena.region(256)))
        var third = arena.region(1)
        for region in [first, second] {
            unsafe region.address.initializeMemory(as: UInt8.self, repeating: 9, count: 1)
        }
        withExtendedLifetime(third) {}
        third = nil
        arena.trim()
        #expect(unsafe first.address.load(as: UInt8.self) == 9)
        #expect(unsafe second.address.load(as: UInt8.self) == 9)
    }

    @Test func offsetsOutsideTheArenaAreInvalid() throws {
        let remote = try RemoteArena(try ResultArena().memory)
        let target = try pixels(16, 4)
        try remote.copy(ResultArena.size - target.byteCount, to: target)
        for offset in [-1, ResultArena.size - target.byteCount + 1, ResultArena.size, ResultArena.size + 1, Int.max] {
            #expect(throws: ImageError.self) { try remote.copy(offset, to: target) }
        }
    }

    @Test func memoryShorterThanAnArenaIsInvalid() throws {
        let target = try pixels(16, 4)
        let remote = try RemoteArena(try SharedMemory.make(target.byteCount - 1))
        #expect(throws: ImageError.self) { try remote.copy(0, to: target) }
    }
}
