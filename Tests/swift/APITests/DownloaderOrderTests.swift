import CSDImage
import Foundation
import TestSupport
import Testing

/// The order in which a downloader with one connection starts its transfers.
@Suite struct DownloaderOrderTests {
    enum Limit: CaseIterable, Sendable { case perHost, total }

    private func makeDownloader(_ limit: Limit, _ order: sdimage_execution_order) throws -> Owned {
        let config = makePatientConfig()
        switch limit {
        case .perHost: sdimage_downloader_config_set_max_per_host(config.pointer, 1)
        case .total: sdimage_downloader_config_set_max_total(config.pointer, 1)
        }
        sdimage_downloader_config_set_execution_order(config.pointer, order)
        return try make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
    }

    /// The targets in the order of their requests: the first one is held until the others are waiting.
    private func order(_ downloader: Owned, disk: Bool, host: String, _ names: [String]) throws -> [String] {
        let gate = DispatchSemaphore(value: 0)
        let server = LoopbackServer { request, connection in
            if request.target == "/first" { gate.wait() }
            connection.answer(body: makePNG(width: 2, height: 2))
        }
        defer { server.stop() }
        let folder = TemporaryDirectory()
        let manager = try makePatientManager(cache: disk ? try makeCache(in: folder.path) : nil, loader: downloader)
        let listeners = (["first"] + names).map { _ in Listener() }
        for (name, listener) in zip(["first"] + names, listeners) {
            _ = try listener.load(manager, makeRequest(server.url("/\(name)", host: host)))
            if name == "first" { #expect(server.wait { $0.requests.count == 1 }) }
        }
        #expect(becomesTrue { sdimage_downloader_transfer_count(downloader.pointer) == listeners.count })
        gate.signal()
        for listener in listeners { #expect(listener.final()?.status == .SDIMAGE_STATUS_OK) }
        #expect(server.connections == 1)
        return server.requests.map { String($0.target.dropFirst()) }
    }

    @Test(arguments: Limit.allCases, [(false, "127.0.0.1"), (true, "127.0.0.1"), (false, "localhost")])
    func theNewestWaitingTransferStartsFirst(_ limit: Limit, _ with: (disk: Bool, host: String)) throws {
        let names = (1...6).map { "\($0)" }
        let downloader = try makeDownloader(limit, .SDIMAGE_EXECUTION_ORDER_LIFO)
        #expect(try order(downloader, disk: with.disk, host: with.host, names) == ["first"] + names.reversed())
    }

    // The look-ups of the loads end in any order.
    @Test(arguments: Limit.allCases) func loadsWithADiskCacheStartInTheirOrder(_ limit: Limit) throws {
        let names = (1...60).map { "\($0)" }
        let downloader = try makeDownloader(limit, .SDIMAGE_EXECUTION_ORDER_FIFO)
        #expect(try order(downloader, disk: true, host: "127.0.0.1", names) == ["first"] + names)
    }

    @Test func anOrderChangedWhileTransfersWaitIsTheirs() throws {
        let names = (1...4).map { "\($0)" }
        let downloader = try makeDownloader(.perHost, .SDIMAGE_EXECUTION_ORDER_FIFO)
        #expect(try order(downloader, disk: false, host: "127.0.0.1", names) == ["first"] + names)
        sdimage_downloader_set_execution_order(downloader.pointer, .SDIMAGE_EXECUTION_ORDER_LIFO)
        #expect(try order(downloader, disk: false, host: "127.0.0.1", names) == ["first"] + names.reversed())
    }
}
