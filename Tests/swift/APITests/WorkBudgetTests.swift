import CSDImage
import Foundation
import Testing

/// The limits of an operation as host coders see them, and the handling of coders that ignore them.
@Suite struct WorkBudgetTests {
    private let file = Array("BUSY".utf8)

    /// Decodes with a time limit, and returns the status and the elapsed seconds.
    private func decode(_ coder: Owned, milliseconds: UInt32) throws -> (status: sdimage_status, seconds: Double) {
        let options = decodeOptions { sdimage_decode_options_set_max_work_ms($0, milliseconds) }
        let feeding = try Feeding(options, coder: coder)
        let start = Date()
        let status = feeding.append(file, finished: true)
        return (status, Date().timeIntervalSince(start))
    }

    private func waits(_ condition: () -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: 20)
        while !condition(), Date() < end { usleep(1000) }
        return condition()
    }

    @Test func aCoderSeesTheTimeLimit() throws {
        let busy = BusyCoder(heedsBudget: true, seconds: 30)
        let result = try decode(try busy.makeCoder(), milliseconds: 100)
        #expect(result.status == .SDIMAGE_STATUS_TIMEOUT)
        #expect(result.seconds < 10)
        #expect(busy.budget?.status == .SDIMAGE_STATUS_TIMEOUT)
        #expect(busy.budget?.remaining ?? .max <= 100)
    }

    @Test func aResultThatComesTooLateIsATimeout() throws {
        let busy = BusyCoder(heedsBudget: false, seconds: 0.3)
        #expect(try decode(try busy.makeCoder(), milliseconds: 50).status == .SDIMAGE_STATUS_TIMEOUT)
    }

    @Test func anInstanceSeesTheBudgetOfTheCallUnderWay() throws {
        let busy = BusyCoder(heedsBudget: true, seconds: 30)
        do {
            let coder = try busy.makeCoder(hasInstances: true)
            #expect(try decode(coder, milliseconds: 100).status == .SDIMAGE_STATUS_TIMEOUT)
            #expect(busy.returned == 1)
        }
        // No call runs when the instance is destroyed.
        #expect(waits { busy.budget?.status == .SDIMAGE_STATUS_OK })
        #expect(busy.budget?.remaining == .max)
    }

    @Test func aDetachedCallIsLeftBehind() throws {
        let busy = BusyCoder(heedsBudget: false, seconds: 5, detachedStack: 1 << 20)
        do {
            let result = try decode(try busy.makeCoder(), milliseconds: 100)
            #expect(result.status == .SDIMAGE_STATUS_TIMEOUT)
            #expect(result.seconds < 3)
            #expect(busy.returned == 0)
        }
        // The coder's data stay valid until the call returns.
        #expect(!busy.wasDestroyed)
        #expect(waits { busy.returned == 1 })
        #expect(waits { busy.wasDestroyed })
    }

    @Test func anInstanceOutlivesItsDetachedCall() throws {
        let busy = BusyCoder(heedsBudget: true, seconds: 5, detachedStack: 1 << 20)
        let result = try decode(try busy.makeCoder(hasInstances: true), milliseconds: 100)
        #expect(result.status == .SDIMAGE_STATUS_TIMEOUT)
        #expect(waits { busy.returned == 1 })
        #expect(waits { busy.wasDestroyed })
    }

    @Test func noMoreThanFourCallsOfACoderAreLeftBehind() throws {
        let busy = BusyCoder(heedsBudget: false, seconds: 12, detachedStack: 1 << 20)
        let coder = try busy.makeCoder()
        for _ in 0..<4 { #expect(try decode(coder, milliseconds: 50).status == .SDIMAGE_STATUS_TIMEOUT) }
        #expect(busy.started == 4)
        let fifth = try decode(coder, milliseconds: 5000)
        #expect(fifth.status == .SDIMAGE_STATUS_TIMEOUT)
        #expect(fifth.seconds < 4)
        // The decode waits for a running call to return, but at most for its own time limit.
        let quickest = try (0..<5).map { _ in try decode(coder, milliseconds: 20).seconds }.min()
        #expect(quickest ?? .infinity < 0.4)
        #expect(busy.started == 4)
        #expect(waits { busy.returned == 4 })
        _ = try decode(coder, milliseconds: 50)
        #expect(busy.started == 5)
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
