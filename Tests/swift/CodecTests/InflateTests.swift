import SDImagePixels
import TestSupport
import Testing

@Suite struct InflateTests {
    private static let limit = 1 << 20

    /// Data of several kinds: noise, runs, few symbols, repeated rows.
    private func data(_ randoms: inout Randoms) -> [UInt8] {
        let count = randoms.below(randoms.below(8) == 0 ? 150_000 : 5000)
        let kind = randoms.below(5)
        let distance = 1 + randoms.below(40)
        var data: [UInt8] = []
        data.reserveCapacity(count)
        for index in 0..<count {
            let noise = UInt8(truncatingIfNeeded: randoms.next())
            switch kind {
            case 0: data.append(noise)
            case 1: data.append(0)
            case 2: data.append(noise & 3 &* 17)
            case 3: data.append(index >= distance && noise > 20 ? data[index - distance] : noise)
            default: data.append(noise & UInt8(truncatingIfNeeded: randoms.next()) & 0x3F)
            }
        }
        return data
    }

    private func expectSame(_ stream: [UInt8], _ randoms: inout Randoms) {
        let (result, bytes) = ReferenceLibraries.inflate(stream, limit: InflateTests.limit)
        guard bytes.count < InflateTests.limit else { return }
        for (pieces, room) in [([Int.max], 100_000), ([1], 1 + randoms.below(2000)), ([1 + randoms.below(200), 3], 700)] {
            let (own, ownBytes) = ReferenceLibraries.ownInflate(stream, pieces: pieces, room: room, limit: InflateTests.limit)
            #expect(ownBytes == bytes)
            // zlib waits for the checksum after the last block, and for lengths that an empty code cannot have.
            #expect(own == result || result == .goesOn && own != .goesOn)
        }
    }

    @Test(arguments: 0..<40) func streamsInflateAsWithZlib(seed: Int) {
        var randoms = Randoms(seed: UInt64(seed))
        let data = data(&randoms)
        for level in [0, 1, 6, 9] {
            let stream = ReferenceLibraries.deflate(data, level: level, strategy: randoms.below(5))
            #expect(!stream.isEmpty)
            expectSame(stream, &randoms)
            expectSame(Array(stream.prefix(randoms.below(stream.count))), &randoms)
        }
    }

    @Test(arguments: 100..<160) func damagedStreamsEndWhereZlibEndsThem(seed: Int) {
        var randoms = Randoms(seed: UInt64(seed))
        let stream = ReferenceLibraries.deflate(data(&randoms), level: 1 + randoms.below(9), strategy: randoms.below(5))
        for _ in 0..<6 {
            var damaged = stream
            for _ in 0...randoms.below(3) { damaged[randoms.below(damaged.count)] ^= 1 << UInt8(randoms.below(8)) }
            expectSame(damaged, &randoms)
        }
    }

    @Test(arguments: 200..<240) func noiseIsNoStream(seed: Int) {
        var randoms = Randoms(seed: UInt64(seed))
        for type in [3, 5, 1] as [UInt8] {
            // A random block of fixed, dynamic or stored data.
            let noise = (0..<300).map { _ in UInt8(truncatingIfNeeded: randoms.next()) }
            expectSame([0x78, 0x01, noise[0] & 0xF8 | type] + noise, &randoms)
        }
    }

    @Test func aReferenceToBeforeTheWindowIsDamage() {
        // One fixed block: length 3 at distance 1, with an empty history.
        let (result, bytes) = ReferenceLibraries.ownInflate(
            [0x78, 0x01, 0x03, 0x02, 0, 0, 0, 0], pieces: [8], room: 100, limit: 100)
        #expect(result == .damaged && bytes.isEmpty)
    }

    @Test func checkSumsAreThoseOfZlib() {
        var randoms = Randoms(seed: 1)
        for count in Array(0..<200) + [1000, 4096, 65_537] {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: randoms.next()) }
            #expect(unsafe sdpx_crc32(0, bytes, count) == ReferenceLibraries.checkSum(bytes))
            let half = count / 3
            let first = unsafe sdpx_crc32(0, bytes, half)
            let rest = Array(bytes.dropFirst(half))
            #expect(unsafe sdpx_crc32(first, rest, rest.count) == ReferenceLibraries.checkSum(bytes))
        }
    }
}
