import Testing

@testable import SDImage

/// The amount of a work budget, and the working memory account.
@Suite struct DecodeBudgetTests {
    @Test func parsersMayReadAMultipleOfTheirInput() throws {
        let stop = CancellationToken()
        stop.start(nanoseconds: .max, encodedBytes: 1 << 20)
        for _ in 0..<(16 + 32) { try stop.spend(1 << 20) }
        #expect(imageError { try stop.spend(1) }?.status == .tooLarge)
    }

    @Test func allUpdatesShareOneAmount() throws {
        let stop = CancellationToken()
        stop.start(nanoseconds: .max, encodedBytes: 0)
        try stop.spend(32 << 20)
        stop.resume(nanoseconds: .max, encodedBytes: 1 << 20)
        try stop.spend(16 << 20)
        #expect(imageError { try stop.spend(1) }?.status == .tooLarge)
        stop.start(nanoseconds: .max, encodedBytes: 0)
        try stop.spend(1)
    }

    @Test func parsersSeeTheDeadlineAndCancellation() {
        let late = CancellationToken()
        late.allow(nanoseconds: 0)
        #expect(imageError { try late.spend(1 << 16) }?.status == .timeout)
        let cancelled = CancellationToken()
        cancelled.cancel()
        #expect(imageError { try cancelled.spend(1 << 16) }?.status == .cancelled)
    }

    @Test func buffersShareOneAccount() throws {
        let account = WorkingMemory(limit: 1000)
        var first: ScratchMemory? = try ScratchMemory(600, of: UInt8.self, account: account)
        #expect(imageError { _ = try ScratchMemory(401, of: UInt8.self, account: account) }?.status == .tooLarge)
        let second = try ScratchMemory(400, of: UInt8.self, account: account)
        #expect(first?.count == 600)
        first = nil
        _ = try ScratchMemory(600, of: UInt8.self, account: account)
        #expect(second.count == 400)
    }
}
