import Testing

@testable import SDImage

/// The blocks are addresses that are never read or written.
@Suite struct FreeBlocksTests {
    private static let page = 4096

    private func add(_ firstPage: Int, _ pages: Int, to blocks: inout FreeBlocks) throws {
        let base = unsafe try #require(UnsafeMutableRawPointer(bitPattern: (firstPage + 1024) * Self.page))
        unsafe blocks.add(PixelPool.Block(base: base, capacity: pages * Self.page))
    }

    /// The first page and the number of pages.
    private func position(_ block: PixelPool.Block?) -> [Int]? {
        guard let block = unsafe block else { return nil }
        return unsafe [Int(bitPattern: block.base) / Self.page - 1024, block.capacity / Self.page]
    }

    private func take(_ pages: Int, _ blocks: inout FreeBlocks) -> [Int]? {
        unsafe position(blocks.take(pages * Self.page))
    }

    private func empty() -> FreeBlocks { FreeBlocks(wholeFrom: 256 * Self.page, smallest: 4 * Self.page) }

    @Test func aBlockOfAboutTheSizePrecedesASmallerOneOfOtherSize() throws {
        var blocks = empty()
        try add(0, 10, to: &blocks)
        try add(100, 11, to: &blocks)
        try add(200, 40, to: &blocks)
        // Less than four pages would remain.
        #expect(take(10, &blocks) == [100, 11])
        #expect(take(10, &blocks) == [0, 10])
        #expect(take(10, &blocks) == [200, 10] && blocks.bytes == 30 * Self.page)
    }

    @Test func theSmallestLargerBlockIsDivided() throws {
        var blocks = empty()
        try add(0, 200, to: &blocks)
        try add(300, 60, to: &blocks)
        #expect(take(20, &blocks) == [300, 20])
        #expect(take(41, &blocks) == [0, 41])
        #expect(take(40, &blocks) == [320, 40])
        #expect(take(160, &blocks) == nil && take(159, &blocks) == [41, 159] && blocks.bytes == 0)
    }

    @Test func neighborsAreJoinedInAnyOrder() throws {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 0, 1], [2, 1, 0]] {
            var blocks = empty()
            for index in order { try add(index * 20, 20, to: &blocks) }
            #expect(take(60, &blocks) == [0, 60], "order \(order)")
        }
    }

    @Test func largeBlocksStayWhole() throws {
        var blocks = empty()
        try add(0, 512, to: &blocks)
        try add(512, 200, to: &blocks)
        try add(712, 56, to: &blocks)
        #expect(take(100, &blocks) == [512, 100])
        #expect(take(100, &blocks) == [612, 100])
        #expect(take(100, &blocks) == nil)
        #expect(take(450, &blocks) == [0, 512] && take(56, &blocks) == [712, 56])
    }

    @Test func theLeastRecentlyFreedBlocksAreEvicted() throws {
        var blocks = empty()
        for index in 0..<4 { try add(index * 100, 10, to: &blocks) }
        let evicted = unsafe blocks.evict(to: 25 * Self.page)
        #expect(unsafe evicted.map { unsafe position($0) } == [[0, 10], [100, 10]] && blocks.bytes == 20 * Self.page)
        #expect(unsafe blocks.evict(to: 0).count == 2 && blocks.bytes == 0)
    }

    @Test func everyPageHasOneOwner() throws {
        var random = SystemRandomNumberGenerator()
        var blocks = empty()
        var owned: [PixelPool.Block] = unsafe []
        try add(0, 200, to: &blocks)
        try add(200, 200, to: &blocks)
        for _ in 0..<2000 {
            if Bool.random(using: &random), let taken = unsafe blocks.take(Int.random(in: 4...90) * Self.page) {
                unsafe owned.append(taken)
            } else if let index = unsafe owned.indices.randomElement() {
                unsafe blocks.add(owned.remove(at: index))
            }
            let positions = unsafe owned.compactMap { unsafe position($0) }.sorted { $0[0] < $1[0] }
            #expect(zip(positions, positions.dropFirst()).allSatisfy { $0[0] + $0[1] <= $1[0] })
            #expect(positions.reduce(0) { $0 + $1[1] } * Self.page + blocks.bytes == 400 * Self.page)
        }
    }
}
