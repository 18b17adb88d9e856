import SDImage
import Testing

@testable import SDImageCurl

@Suite struct DownloadQueueTests {
    private let settings = LoaderSettings(DownloaderConfiguration())

    private func transfer(_ path: String) -> Transfer {
        let url = Array("http://h/\(path)".utf8)
        return Transfer(
            Ticket(ImageRequest(url: url), url: URLText(url), sharingKey: url, settings: settings, progress: .none))
    }

    @Test(arguments: [ExecutionOrder.fifo, .lifo]) func whatWasTakenIsLetGoOfWhileOthersWait(order: ExecutionOrder) throws {
        let queue = DownloadQueue(settings)
        queue.limits.executionOrder = order
        for number in 0..<3 { queue.add(transfer("\(number)")) }
        var taken = queue.next { _ in true }
        weak let seen = taken
        #expect(seen != nil)
        taken = nil
        // Its body, which may be large, goes with it.
        #expect(seen == nil)
        #expect(queue.next { _ in true } != nil)
    }
}
