import CSDImage
import Testing

/// The priority of the loads under way in a slot.
@Suite struct TargetPriorityTests {
    private func priority(_ task: Owned?) -> sdimage_priority { sdimage_task_priority(task?.pointer) }

    @Test func thePriorityOfALoadUnderWayIsThatOfItsSlot() throws {
        let fixture = try TargetFixture()
        let first = try fixture.widget.load(fixture.target, makeRequest("test://a"))
        let hover = try fixture.widget.load(
            fixture.target, makeRequest("test://b"), targetOptions { sdimage_target_options_set_key($0, "hover") })
        let kept = try fixture.widget.load(
            fixture.target, makeRequest("test://c"),
            targetOptions { sdimage_target_options_set_previous_load($0, .SDIMAGE_PREVIOUS_LOAD_KEEP) })
        sdimage_target_set_priority(fixture.target.pointer, nil, .SDIMAGE_PRIORITY_LOW)
        #expect(priority(first) == .SDIMAGE_PRIORITY_LOW && priority(kept) == .SDIMAGE_PRIORITY_LOW)
        #expect(priority(hover) == .SDIMAGE_PRIORITY_NORMAL)
        sdimage_target_set_priority(fixture.target.pointer, "hover", .SDIMAGE_PRIORITY_HIGH)
        #expect(priority(hover) == .SDIMAGE_PRIORITY_HIGH && priority(first) == .SDIMAGE_PRIORITY_LOW)
        // Neither other values nor slots without a load have an effect.
        sdimage_target_set_priority(
            fixture.target.pointer, "hover", unsafeBitCast(Int32(7), to: sdimage_priority.self))
        sdimage_target_set_priority(fixture.target.pointer, "none", .SDIMAGE_PRIORITY_LOW)
        sdimage_target_set_priority(nil, nil, .SDIMAGE_PRIORITY_LOW)
        #expect(priority(hover) == .SDIMAGE_PRIORITY_HIGH)
        // Later loads have the priorities of their requests.
        #expect(priority(try fixture.widget.load(fixture.target, makeRequest("test://d"))) == .SDIMAGE_PRIORITY_NORMAL)
    }

    @Test func aLoadOfTheProgramInASlotHasItsPriorityChangedToo() throws {
        let fixture = try TargetFixture()
        let task = try Listener().load(fixture.manager, makeRequest("test://a"))
        sdimage_target_set_task(fixture.target.pointer, "own", task.pointer)
        sdimage_target_set_priority(fixture.target.pointer, "own", .SDIMAGE_PRIORITY_HIGH)
        #expect(priority(task) == .SDIMAGE_PRIORITY_HIGH)
    }
}
