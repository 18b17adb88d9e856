import CSDImage
import Testing

/// Placeholders of cancelled loads.
@Suite struct TargetCancelTests {
    private func placeholderOnFailure(_ image: Owned) -> Owned {
        targetOptions {
            sdimage_target_options_set_placeholder($0, image.pointer)
            sdimage_target_options_set_placeholder_time($0, .SDIMAGE_PLACEHOLDER_TIME_ON_FAILURE)
        }
    }

    enum Means: CaseIterable, Sendable { case task, slot, latest, manager }

    @Test(arguments: Means.allCases) func aCancelledLoadShowsItsPlaceholderOnFailure(_ means: Means) throws {
        let fixture = try TargetFixture(Widget(animates: false))
        let task = try fixture.widget.load(
            fixture.target, makeRequest("test://a"), placeholderOnFailure(try makeImage(width: 4)))
        switch means {
        case .task: sdimage_task_cancel(task?.pointer)
        case .slot: sdimage_target_cancel(fixture.target.pointer, nil)
        case .latest: sdimage_target_cancel_latest(fixture.target.pointer)
        case .manager: sdimage_manager_cancel_all(fixture.manager.pointer)
        }
        #expect(fixture.widget.waitForTold(1))
        #expect(fixture.widget.log == ["start", "stop", "placeholder 4", "told CANCELLED 0"])
    }

    // The slot belongs to the next load, and a closed target makes no calls.
    @Test func aReplacedOrClosedLoadDoesNotShowIt() throws {
        let fixture = try TargetFixture(Widget(animates: false))
        let options = placeholderOnFailure(try makeImage(width: 4))
        try fixture.widget.load(fixture.target, makeRequest("test://a"), options)
        try fixture.widget.load(fixture.target, makeRequest("test://b"), options)
        sdimage_target_close(fixture.target.pointer)
        #expect(fixture.widget.waitForTold(2))
        #expect(fixture.widget.shown.isEmpty)
    }

    @Test func aPlaceholderShownAtOnceIsNotShownAgainAfterCancellation() throws {
        let fixture = try TargetFixture()
        let image = try makeImage(width: 4)
        try fixture.widget.load(
            fixture.target, makeRequest("test://a"), targetOptions { sdimage_target_options_set_placeholder($0, image.pointer) })
        sdimage_target_cancel(fixture.target.pointer, nil)
        #expect(fixture.widget.log == ["placeholder 4", "start", "stop", "told CANCELLED 0"])
    }
}
