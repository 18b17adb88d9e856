import CSDImage
import Foundation
import TestSupport
import Testing

/// A load that its target ends: its task and its handler report the same outcome.
@Suite struct TargetOutcomeTests {
    private func status(_ task: Owned) -> sdimage_status? {
        var result: OpaquePointer?
        sdimage_task_get_result(task.pointer, &result)
        defer { sdimage_result_unref(result) }
        return result.map { sdimage_error_code(sdimage_result_error($0)) }
    }

    // No thread can take the callbacks of a dispatcher that the program has released.
    @Test(arguments: [false, true]) func aTargetEndsWithItsDispatcher(isThatOfTheManager: Bool) throws {
        let widget = Widget()
        do {
            let dispatcher = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) }
            let manager = try makeManager(
                cache: nil, loader: try ScriptedLoader.answering(makePNG(width: 8, height: 8)).makeLoader(),
                dispatcher: isThatOfTheManager ? dispatcher : nil)
            let target = try widget.makeTarget(manager, dispatcher: dispatcher)
            let options = targetOptions { sdimage_target_options_set_manager($0, manager.pointer) }
            let request = makeRequest("test://a")
            sdimage_request_set_dispatcher(request.pointer, dispatcher.pointer)
            let task = try #require(try widget.load(target, request, options))
            #expect(sdimage_task_wait(task.pointer, 60_000, nil) == .SDIMAGE_STATUS_OK)
            #expect(waitUntilReadable(dispatcher))
            withExtendedLifetime(target) {}
        }
        // One for the table, and one for the load.
        #expect(widget.waitForDestroy(count: 2))
        #expect(widget.log.isEmpty)
    }

    enum End: CaseIterable, Sendable { case cancelled, replaced, closed }

    /// The image has arrived, but was not delivered when the load is cancelled.
    @Test(arguments: End.allCases) func theTaskOfACancelledLoadReportsWhatItsHandlerIsTold(_ end: End) throws {
        let dispatcher = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) }
        let fixture = try TargetFixture(Widget(animates: false), dispatcher: dispatcher)
        let task = try #require(try fixture.widget.load(fixture.target, makeRequest("test://a")))
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(sdimage_task_wait(task.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(status(task) == .SDIMAGE_STATUS_OK)
        switch end {
        case .cancelled: sdimage_target_cancel(fixture.target.pointer, nil)
        case .replaced: try fixture.widget.load(fixture.target, makeRequest("test://b"))
        case .closed: sdimage_target_close(fixture.target.pointer)
        }
        #expect(status(task) == .SDIMAGE_STATUS_CANCELLED)
        // The result is posted to the dispatcher after it is known.
        let isTold = becomesTrue {
            sdimage_dispatcher_drain(dispatcher.pointer)
            return !fixture.widget.told.isEmpty
        }
        #expect(isTold)
        #expect(fixture.widget.told.first == "told CANCELLED 0")
        #expect(!fixture.widget.shown.contains { $0.hasPrefix("image") })
        #expect(status(task) == .SDIMAGE_STATUS_CANCELLED)
    }

    @Test func aLoadCancelledInsideItsLastCallbackKeepsItsOutcome() throws {
        let fixture = try TargetFixture()
        fixture.widget.onCall = { line in
            if line.hasPrefix("image 8") { sdimage_target_cancel(fixture.target.pointer, nil) }
        }
        let task = try #require(try fixture.widget.load(fixture.target, makeRequest("test://a")))
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.waitForTold(1))
        fixture.widget.onCall = nil
        #expect(fixture.widget.told == ["told OK 8"])
        #expect(status(task) == .SDIMAGE_STATUS_OK)
    }

    /// Cancellation races with delivery on another thread: handler and task agree whatever the order.
    @Test func handlerAndTaskAgreeWhicheverIsFirst() throws {
        let cache = try makeCache(in: nil)
        let manager = try makeManager(
            cache: cache, loader: try ScriptedLoader.answering(makePNG(width: 8, height: 8)).makeLoader())
        for round in 0..<300 {
            let widget = Widget(animates: false)
            let target = try widget.makeTarget(manager)
            let task = try #require(try widget.load(target, makeRequest("test://\(round)")))
            if round % 3 == 0 { sdimage_task_wait(task.pointer, 120_000, nil) }
            if round % 2 == 0 { usleep(UInt32(round % 30) * 10) }
            sdimage_target_cancel(target.pointer, nil)
            #expect(widget.waitForTold(1))
            let told = try #require(status(task)) == .SDIMAGE_STATUS_OK ? "told OK 8" : "told CANCELLED 0"
            #expect(widget.told == [told])
        }
    }
}
