import CSDImage
import Testing

/// Preparing a placeholder stops when its load has ended.
@Suite struct CancelledPlaceholderTests {
    @Test func noFurtherTransformerIsCalledAfterCancellation() throws {
        let gate = Gate(), second = CountingTransformer(width: 5)
        let held = HeldLoader()
        let listener = Listener()
        do {
            var table = sdimage_transformer_vtable()
            table.size = MemoryLayout<sdimage_transformer_vtable>.size
            table.transform = { userData, image, _, _, result, _ in
                Gate.of(userData).pass()
                result?.pointee = sdimage_image_ref(image)
                return .SDIMAGE_STATUS_OK
            }
            let first = try make(sdimage_transformer_unref) {
                sdimage_transformer_new_custom("held", &table, gate.retained(), Gate.release, $0, $1)
            }
            let counting = try second.makeTransformer(key: "second")
            let both = [Optional(first.pointer), Optional(counting.pointer)]
            let pipeline = try make(sdimage_transformer_unref) {
                sdimage_transformer_new_pipeline(both, both.count, $0, $1)
            }
            let manager = try makeManager(cache: nil, loader: try held.makeLoader())
            let request = makeRequest("test://a")
            sdimage_request_set_transformer(request.pointer, pipeline.pointer)
            let task = try listener.load(manager, request)
            let sink = held.next()
            let image = try MovingPicture.image(makePNG(width: 6, height: 4))
            sdimage_load_sink_show(sink, image.pointer)
            #expect(gate.waitForEntry())
            sdimage_task_cancel(task.pointer)
            #expect(listener.final()?.status == .SDIMAGE_STATUS_CANCELLED)
            sdimage_load_sink_finish(sink, nil)
            sdimage_load_sink_unref(sink)
            gate.open()
        }
        // The transformers have no references left: the work on the placeholder has ended.
        #expect(second.isDestroyed())
        #expect(second.keys.isEmpty)
        #expect(listener.results.map(\.status) == [.SDIMAGE_STATUS_CANCELLED])
    }
}
