import SDImage
import Synchronization
import Testing

@Suite struct GrowingBodyTests {
    private final class Witness: BodyObserver {
        let calls = Mutex(0)
        func bodyGrew() { calls.withLock { $0 += 1 } }
    }

    private func append(_ bytes: [UInt8], to body: GrowingBody) throws {
        let span = bytes.span
        unsafe try span.withUnsafeBytes { bytes throws(ImageError) in unsafe try body.append(bytes) }
    }

    /// Reads as from a file: with room for one byte more than the limit.
    private func read(_ count: Int, into body: GrowingBody) throws -> Int {
        unsafe try body.append(upTo: 1) { _ throws(ImageError) in count }
    }

    private func array(_ bytes: Bytes) -> [UInt8] { unsafe bytes.withUnsafeBytes { unsafe Array($0) } }

    @Test func aLookStaysWhatItWas() throws {
        let body = GrowingBody(limit: 1 << 20)
        var all: [UInt8] = [], looks: [(Bytes, Int)] = []
        for number in 0..<200 {
            let piece = [UInt8](repeating: UInt8(number), count: number * 7)
            try append(piece, to: body)
            all += piece
            looks.append((body.look.bytes, all.count))
        }
        for (bytes, count) in looks { #expect(array(bytes) == Array(all.prefix(count))) }
        let whole = body.finish()
        #expect(array(whole) == all && body.look.bytes === whole && body.became(whole))
        #expect(!body.became(try .copying(all)))
    }

    @Test func aNewBeginningIsAnotherAttempt() throws {
        let body = GrowingBody(limit: 100)
        let witness = Witness()
        body.observe(witness)
        try append([1, 2, 3], to: body)
        let before = body.look
        body.reset()
        #expect(body.look.attempt == before.attempt + 1 && body.look.bytes.isEmpty)
        try append([4], to: body)
        #expect(array(before.bytes) == [1, 2, 3] && array(body.look.bytes) == [4])
        #expect(witness.calls.withLock { $0 } == 3)
    }

    @Test func theLimitIsKeptWhicheverWayBytesCome() throws {
        let body = GrowingBody(limit: 10)
        try append([UInt8](repeating: 0, count: 10), to: body)
        #expect(throws: ImageError.self) { try append([0], to: body) }
        #expect(throws: ImageError.self) { _ = try read(1, into: body) }
        #expect(try read(0, into: body) == 0)
        #expect(body.count == 10)
    }

    @Test func anObserverThatWasReleasedIsNotNotified() throws {
        let body = GrowingBody(limit: 10)
        var witness: Witness? = Witness()
        weak let gone = witness
        if let witness { body.observe(witness) }
        witness = nil
        try append([1], to: body)
        #expect(gone == nil)
    }
}
