import CSDImage
import TestSupport
import Testing

/// The limits of an operation as host coders see them, and the handling of coders that ignore them.
@Suite struct WorkBudgetTests {
    private let file = Array("BUSY".utf8)

    /// Decodes with a time limit.
    private func decode(_ coder: Owned, milliseconds: UInt32) throws -> sdimage_status {
        let options = decodeOptions { sdimage_decode_options_set_max_work_ms($0, milliseconds) }
        return try Feeding(options, coder: coder).append(file, finished: true)
    }

    /// Decodes until the coder is called; true if each decode ends with a timeout. On a busy machine the limit may expire before
    /// the call.
    private func timesOut(_ busy: BusyCoder, _ coder: Owned, milliseconds: UInt32) throws -> Bool {
        var areTimeouts = true
        let isCalled = try becomesTrue {
            if try decode(coder, milliseconds: milliseconds) != .SDIMAGE_STATUS_TIMEOUT { areTimeouts = false }
            return busy.started > 0
        }
        return isCalled && areTimeouts
    }

    @Test func aCoderSeesTheTimeLimit() throws {
        let busy = BusyCoder(.budget)
        #expect(try timesOut(busy, try busy.makeCoder(), milliseconds: 100))
        #expect(busy.returned == 1)
        #expect(busy.budget?.status == .SDIMAGE_STATUS_TIMEOUT)
        #expect(busy.budget?.remaining ?? .max <= 100)
    }

    @Test func aResultThatComesTooLateIsATimeout() throws {
        let busy = BusyCoder(.late)
        #expect(try timesOut(busy, try busy.makeCoder(), milliseconds: 50))
        #expect(busy.returned == 1)
    }

    @Test func anInstanceSeesTheBudgetOfTheCallUnderWay() throws {
        let busy = BusyCoder(.budget)
        do {
            let coder = try busy.makeCoder(hasInstances: true)
            #expect(try timesOut(busy, coder, milliseconds: 100))
            #expect(busy.returned == 1)
        }
        // No call runs when the instance is destroyed.
        #expect(becomesTrue { busy.budget?.status == .SDIMAGE_STATUS_OK })
        #expect(busy.budget?.remaining == .max)
    }

    @Test func aDetachedCallIsLeftBehind() throws {
        let busy = BusyCoder(.release, detachedStack: 1 << 20)
        do {
            #expect(try timesOut(busy, try busy.makeCoder(), milliseconds: 500))
            #expect(busy.returned == 0)
        }
        // The coder's data stay valid until the call returns.
        #expect(!busy.wasDestroyed)
        busy.release()
        #expect(becomesTrue { busy.wasDestroyed })
        #expect(busy.returned == busy.started)
    }

    @Test func anInstanceOutlivesItsDetachedCall() throws {
        let busy = BusyCoder(.budget, detachedStack: 1 << 20)
        #expect(try timesOut(busy, try busy.makeCoder(hasInstances: true), milliseconds: 500))
        #expect(becomesTrue { busy.wasDestroyed })
        #expect(busy.returned == busy.started)
    }

    @Test func noMoreThanFourCallsOfACoderAreLeftBehind() throws {
        let busy = BusyCoder(.release, detachedStack: 1 << 20)
        let coder = try busy.makeCoder()
        // A call whose limit expires before its thread runs is not started.
        #expect(try becomesTrue { try decode(coder, milliseconds: 100) == .SDIMAGE_STATUS_TIMEOUT && busy.started == 4 })
        // A decode waits for a running call to return, but at most for its own time limit: the running ones do not return.
        for milliseconds: UInt32 in [20, 100, 5000] {
            #expect(try decode(coder, milliseconds: milliseconds) == .SDIMAGE_STATUS_TIMEOUT)
        }
        #expect(busy.started == 4 && busy.returned == 0)
        busy.release()
        #expect(becomesTrue { busy.returned == 4 })
        #expect(
            try becomesTrue {
                _ = try decode(coder, milliseconds: 500)
                return busy.started > 4
            })
    }

    @Test func optionsOfTheHostHaveNoBudget() throws {
        let decoding = decodeOptions { _ in }
        #expect(sdimage_decode_options_work_budget(decoding.pointer) == nil)
        #expect(sdimage_decode_options_work_budget(nil) == nil)
        #expect(sdimage_encode_options_work_budget(nil) == nil)
        #expect(sdimage_work_budget_check(nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_work_budget_spend(nil, 1 << 40) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_work_budget_remaining_ms(nil) == .max)
    }
}
