import SDImage
import Testing

@testable import SDImageCurl

@Suite struct DownloadQueueTests {
    private let settings = LoaderSettings(DownloaderConfiguration())
    private let service: CurlService

    init() throws { service = try CurlService() }

    private func transfer(_ path: String, _ priority: LoadPriority = .normal) -> Transfer {
        let url = Array("http://h/\(path)".utf8)
        var request = ImageRequest(url: url)
        request.priority = priority
        return Transfer(
            Download(request, sharingKey: SharingKey(url: url), settings: settings, service: service, progress: .none))
    }

    @Test(arguments: [ExecutionOrder.fifo, .lifo]) func aTakenTransferIsReleasedWhileOthersWait(order: ExecutionOrder) throws {
        let queue = DownloadQueue(settings)
        queue.limits.executionOrder = order
        for number in 0..<3 { queue.add(transfer("\(number)")) }
        var taken = queue.next { _ in true }
        weak let seen = taken
        #expect(seen != nil)
        taken = nil
        // The transfer's body, which may be large, is released with it.
        #expect(seen == nil)
        #expect(queue.next { _ in true } != nil)
    }

    @Test func aThirdOfTheSlotsIsReservedForVisibleTransfers() throws {
        let queue = DownloadQueue(settings)
        for number in 0..<9 { queue.add(transfer("low\(number)", .low)) }
        var running: [Transfer] = []
        while let next = queue.next({ _ in true }) { running.append(next) }
        #expect(running.count == 4 && running.allSatisfy(\.isInBackground))
        // Visible transfers get slots without taking those of background transfers.
        for number in 0..<2 { queue.add(transfer("visible\(number)")) }
        #expect(queue.next { _ in true }?.isInBackground == false)
        #expect(queue.next { _ in true }?.isInBackground == false)
        #expect(queue.next { _ in true } == nil)
        // A transfer that becomes visible frees its background slot for the next one.
        queue.leaveBackground(running[0])
        queue.ended(running[0])
        #expect(queue.next { _ in true }?.isInBackground == true)
        #expect(queue.next { _ in true } == nil)
    }

    @Test func aTransferThatLibcurlLeavesUnconnectedEndsSoonAfterTheConnectTimeout() {
        let transfer = transfer("a"), second: UInt64 = 1_000_000_000
        transfer.prepareHop(at: second)
        // Until a socket is opened, the transfer may wait for the connection of another.
        #expect(transfer.deadline == 61 * second)
        transfer.hop.socketOpenedAt = 2 * second
        #expect(transfer.deadline > 12 * second && transfer.deadline < 13 * second)
        transfer.hop.isConnected = true
        #expect(transfer.deadline == 16 * second)
    }

    @Test func oneSinglePlaceIsForAll() throws {
        let queue = DownloadQueue(settings)
        queue.limits.maxPerHost = 1
        queue.add(transfer("low", .low))
        #expect(queue.next { _ in true } != nil)
    }
}
