import CSDImage
import Foundation
import TestSupport
import Testing

/// A function of the host that blocks delays only loads that need functions of the same kind. In processes of their own, where no
/// other test uses the same threads.
@Suite struct BlockedLoaderTests {
    /// Calls that block until `open`.
    private final class Gate: Sendable {
        private let (started, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

        func pass() {
            started.signal()
            gate.wait()
            gate.signal()
        }

        /// Waits until two calls block, as many as the library makes at once.
        func waitForTwo() -> Bool {
            (0..<2).allSatisfy { _ in started.wait(timeout: .now() + 120) == .success }
        }

        func open() { gate.signal() }
    }

    private static func width(_ manager: Owned, _ request: Owned) throws -> UInt32? {
        let listener = Listener()
        let task = try listener.load(manager, request)
        return withExtendedLifetime(task) { listener.final()?.width }
    }

    /// The width of an image that is a file.
    private static func widthOfFile() throws -> UInt32? {
        let folder = TemporaryDirectory()
        try Data(makePNG(width: 3, height: 2)).write(to: URL(fileURLWithPath: folder.path + "/a.png"))
        return try width(makeManager(cache: nil), makeRequest("file://\(folder.path)/a.png"))
    }

    private static func request(_ url: String, _ loader: Owned) -> Owned {
        let request = makeRequest(url)
        sdimage_request_set_loader(request.pointer, loader.pointer)
        return request
    }

    @Test func loadersThatBlockDelayNeitherFilesNorHooks() async {
        await #expect(processExitsWith: .success) {
            let gate = Gate()
            let loader = try ScriptedLoader { _, sink in
                gate.pass()
                sdimage_load_sink_finish(sink, nil)
                return .SDIMAGE_STATUS_OK
            }.makeLoader()
            let (manager, blocked) = (try makeManager(cache: nil), Listener())
            let tasks = try (0..<4).map { try blocked.load(manager, BlockedLoaderTests.request("test://\($0)", loader)) }
            #expect(gate.waitForTwo())
            #expect(try BlockedLoaderTests.widthOfFile() == 3)
            let server = LoopbackServer { _, connection in connection.answer(body: makePNG(width: 5, height: 2)) }
            defer { server.stop() }
            let hooks = HostHooks()
            hooks.request = { HostHooks.complete($1) }
            #expect(try BlockedLoaderTests.width(hooks.makeManager(), makeRequest(server.url("/a"))) == 5)
            gate.open()
            #expect(blocked.waitForDestroy(count: tasks.count))
        }
    }

    @Test func hooksThatBlockDelayNeitherFilesNorLoaders() async {
        await #expect(processExitsWith: .success) {
            let (gate, hooks, blocked) = (Gate(), HostHooks(), Listener())
            hooks.request = { _, reply in
                gate.pass()
                HostHooks.refuse(reply)
            }
            let manager = try hooks.makeManager()
            let tasks = try (0..<4).map { try blocked.load(manager, makeRequest("http://127.0.0.1:1/\($0)")) }
            #expect(gate.waitForTwo())
            #expect(try BlockedLoaderTests.widthOfFile() == 3)
            let loader = try ScriptedLoader.answering(makePNG(width: 5, height: 2)).makeLoader()
            let request = BlockedLoaderTests.request("test://answered", loader)
            #expect(try BlockedLoaderTests.width(makeManager(cache: nil), request) == 5)
            gate.open()
            #expect(blocked.waitForDestroy(count: tasks.count))
        }
    }
}
