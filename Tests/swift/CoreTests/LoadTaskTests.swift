import SDImage
import Synchronization
import Testing

/// Records the widths of images.
private final class Widths: LoadHandler {
    let wantsProgress = false
    private let recorded = Mutex<[Int]>([])

    var all: [Int] { recorded.withLock { $0 } }

    func result(_ task: LoadTask, _ result: ImageResult) {
        if let image = result.image { recorded.withLock { $0.append(image.pixels.size.width) } }
    }

    func progress(_ task: LoadTask, received: Int64, expected: Int64) {}
}

private func partial(width: Int) throws -> ImageResult { ImageResult(kind: .partial, image: try picture(width: width)) }

// The load reads its latest image for a task that joins, and may show a newer one before that is delivered.
@Test func aTaskThatJoinsLateReceivesNoOlderPartialImage() throws {
    let widths = Widths()
    func makeTask() throws -> LoadTask {
        LoadTask(
            url: .empty, token: 0, dispatcher: ImmediateDispatcher(), priority: .normal, handler: widths, owner: nil,
            observers: LoadObservers(LoadStatistics()), lease: try Engine.acquire())
    }
    let late = try makeTask()
    late.show(try partial(width: 2))
    late.show(try partial(width: 1), isEarlier: true)
    late.show(try partial(width: 3))
    late.cancel()
    #expect(widths.all == [2, 3])
    let quiet = try makeTask()
    quiet.show(try partial(width: 4), isEarlier: true)
    quiet.cancel()
    #expect(widths.all == [2, 3, 4])
}
