import Foundation
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

/// Delivers what is posted first on a thread of its own, and then drops everything, as the queue of a program that has released it.
private final class ClosingDispatcher: Dispatcher {
    let isCurrent = false
    let delivered = DispatchSemaphore(value: 0)
    private let isClosed = Mutex(false)

    func post(_ delivery: any Delivery) {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        if wasClosed { return delivery.dropPending() }
        Thread.detachNewThread { [delivered] in
            delivery.deliverPending()
            delivered.signal()
        }
    }
}

/// Notes the kinds of results, and returns when the test permits it.
private final class SlowHandler: LoadHandler {
    let wantsProgress = false
    let entered = DispatchSemaphore(value: 0)
    let mayReturn = DispatchSemaphore(value: 0)
    let kinds = Mutex<[DeliveryKind]>([])

    func result(_ task: LoadTask, _ result: ImageResult) {
        kinds.withLock { $0.append(result.kind) }
        entered.signal()
        _ = mayReturn.wait(timeout: .now() + 120)
    }

    func progress(_ task: LoadTask, received: Int64, expected: Int64) {}
}

@Test func aDroppedResultEndsTheTaskAfterTheCallbackThatRuns() throws {
    let dispatcher = ClosingDispatcher(), handler = SlowHandler()
    let task = LoadTask(
        url: .empty, token: 0, dispatcher: dispatcher, priority: .normal, handler: handler, owner: nil,
        observers: LoadObservers(LoadStatistics()), lease: try Engine.acquire())
    task.deliver(ImageResult(kind: .cached, image: try picture()))
    #expect(handler.entered.wait(timeout: .now() + 120) == .success)
    task.cancel()
    #expect(task.isFinished && !task.isDelivered)
    handler.mayReturn.signal()
    #expect(dispatcher.delivered.wait(timeout: .now() + 120) == .success)
    #expect(task.isDelivered)
    #expect(handler.kinds.withLock { $0 } == [.cached])
}
