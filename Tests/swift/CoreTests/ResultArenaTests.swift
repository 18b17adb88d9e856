import SDImage
import Testing

@testable import SDImageIsolation

@Suite struct ResultArenaTests {
    private func pixels(_ width: Int, _ height: Int) throws -> PixelBuffer {
        try PixelBuffer(size: PixelSize(width: width, height: height), format: .rgba8, limit: 1 << 30)
    }

    @Test func releasedMemoryIsMergedAndUsedAgain() throws {
        let arena = try ResultArena()
        let mebibyte = 1 << 20
        var regions = (0..<4).compactMap { _ in arena.region(mebibyte) }
        #expect(regions.map(\.offset) == [0, mebibyte, 2 * mebibyte, 3 * mebibyte])
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

    @Test func trimmingKeepsAnArenaWithPixels() throws {
        let memory = WorkerMemory()
        let first = try #require(try memory.region(256) as? ArenaRegion)
        let arena = first.arena
        #expect(memory.unsent(arena) === arena.memory)
        memory.noteSent([arena.memory])
        #expect(memory.unsent(arena) == nil)
        // The host releases it, and gets it again.
        memory.trim()
        #expect(memory.unsent(arena) === arena.memory)
        var second = try memory.region(256) as? ArenaRegion
        #expect(second?.arena === arena)
        second = nil
        let next = try withExtendedLifetime(first) { try memory.region(256) as? ArenaRegion }
        #expect(next?.arena === arena)
    }

    @Test func aMessageHasAnArenaOnce() throws {
        let memory = WorkerMemory()
        let region = try #require(try memory.region(256) as? ArenaRegion)
        var writer = MessageWriter(memory)
        let first = writer.unsent(region.arena)
        try writer.put(try #require(first))
        let second = writer.unsent(region.arena)
        #expect(second == nil)
    }

    @Test func trimmingFreesAnArenaWithoutPixels() throws {
        let memory = WorkerMemory()
        var region = try memory.region(256) as? ArenaRegion
        let old = try #require(region?.arena)
        withExtendedLifetime(region) {}
        region = nil
        #expect(old.isUnused)
        memory.trim()
        let next = try #require(try memory.region(256) as? ArenaRegion)
        #expect(next.arena !== old)
    }

    @Test func offsetsOutsideTheArenaAreInvalid() throws {
        let arena = try ResultArena()
        let all = (0..<2).compactMap { _ in arena.region(ResultArena.largest) }
        let remote = try RemoteArena(arena.memory)
        let target = try pixels(16, 4)
        // The last pages are allocated by their first writes, or when the pixels are sent.
        #expect(throws: ImageError.self) { try remote.copy(ResultArena.size - target.byteCount, to: target) }
        for region in all { try region.allocate() }
        try remote.copy(ResultArena.size - target.byteCount, to: target)
        for offset in [-1, ResultArena.size - target.byteCount + 1, ResultArena.size, ResultArena.size + 1, Int.max] {
            #expect(throws: ImageError.self) { try remote.copy(offset, to: target) }
        }
        withExtendedLifetime(all) {}
    }

    @Test func pixelsInPagesThatAreNotAllocatedAreInvalid() throws {
        let arena = try ResultArena()
        let region = try #require(arena.region(64 * 4))
        let remote = try RemoteArena(arena.memory)
        let target = try pixels(16, 4)
        try remote.copy(region.offset, to: target)
        // A page has up to 2 MiB (/sys/kernel/mm/transparent_hugepage/shmem_enabled).
        #expect(throws: ImageError.self) { try remote.copy(4 << 20, to: target) }
        let second = try #require(arena.region(6 << 20))
        try remote.copy(4 << 20, to: target)
        withExtendedLifetime((region, second)) {}
    }

    @Test func pixelsBehindPagesThatAreNotAllocatedAreCopied() throws {
        let arena = try ResultArena()
        let first = try #require(arena.region(ResultArena.largest))
        let second = try #require(arena.region(64 * 4))
        let remote = try RemoteArena(arena.memory)
        let target = try pixels(16, 4)
        try remote.copy(second.offset, to: target)
        #expect(throws: ImageError.self) { try remote.copy(second.offset - target.byteCount, to: target) }
        unsafe first.address.storeBytes(of: 7, toByteOffset: ResultArena.largest - target.byteCount, as: UInt8.self)
        try first.allocate()
        try remote.copy(second.offset - target.byteCount, to: target)
        #expect(unsafe target.mutablePixels.load(as: UInt8.self) == 7)
        withExtendedLifetime((first, second)) {}
    }

    @Test func memoryThatIsNoArenaIsInvalid() throws {
        #expect(throws: ImageError.self) { try RemoteArena(try SharedMemory.make(ResultArena.size)) }
    }
}
