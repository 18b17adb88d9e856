import SDImage
import Testing

@testable import SDImageCodecs

struct PNGParallelInflateTests {
    /// A zlib stream of half a megabyte, which is four pieces, followed by empty blocks of the fixed code: four of them, of ten bits each,
    /// are five bytes.
    private static let stream: [UInt8] = {
        var stream: [UInt8] = [0x78, 0x01]
        let zeros = [UInt8](repeating: 0, count: 65535)
        for _ in 0..<8 {
            stream += [0, 0xFF, 0xFF, 0, 0]
            stream += zeros
        }
        for _ in 0..<(200 << 10) { stream += [0x02, 0x08, 0x20, 0x80, 0x00] }
        return stream
    }()

    // Either thread may be the one that inflates when the time has passed.
    @Test func aTimeLimitEndsBothThreads() throws {
        let parts = [try Bytes.copying(PNGParallelInflateTests.stream)]
        for _ in 0..<5 {
            let pool = WorkPool(name: "test", threads: 2)
            defer { pool.stop() }
            let stop = CancellationToken()
            stop.allow(nanoseconds: 30_000_000)
            let inflater = try PNGInflater(parts, limits: DecodeLimits.standard)
            let parallel = try #require(try PNGParallelInflate(inflater, total: 8 << 20, stop: stop, pool: { pool }))
            let failure = imageError { while unsafe try parallel.next(stop) != nil {} }
            parallel.end()
            #expect(failure?.status == .timeout)
        }
    }
}
