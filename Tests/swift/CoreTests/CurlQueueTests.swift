import Foundation
import SDImage
@testable import SDImageCurl
import Synchronization
import TestSupport
import Testing

extension CurlTests {
    @Test func surplusAnswerOnAKeptConnectionIsNeverTaken() async throws {
        let ended = Mutex(0), sent = Mutex(0)
        let server = LoopbackServer { request, connection in
            connection.answer(200, body: Array(request.target.utf8))
            // After the end of the load, and before the next request.
            _ = becomesTrue { ended.withLock { $0 } > sent.withLock { $0 } }
            connection.answer(200, body: Array("poison".utf8))
            sent.withLock { $0 += 1 }
        }
        defer { server.stop() }
        let downloader = try Downloader()
        for round in 1...50 {
            #expect(await downloader.bytes(server.url("/\(round)")) == Array("/\(round)".utf8))
            ended.withLock { $0 = round }
            #expect(await server.becomes { _ in sent.withLock { $0 } >= round })
        }
        #expect(server.connections == 50)
    }

    @Test func silentConnectionsAreUsedAgain() async throws {
        let server = LoopbackServer { request, connection in connection.answer(200, body: Array(request.target.utf8)) }
        defer { server.stop() }
        let downloader = try Downloader()
        for round in 1...50 { #expect(await downloader.bytes(server.url("/\(round)")) == Array("/\(round)".utf8)) }
        #expect(server.connections == 1)
    }

    @Test func connectionThatTheServerClosedIsReplaced() async throws {
        let server = LoopbackServer { request, connection in
            connection.answer(200, body: Array(request.target.utf8))
            connection.close()
        }
        defer { server.stop() }
        let downloader = try Downloader()
        for round in 1...50 { #expect(await downloader.bytes(server.url("/\(round)")) == Array("/\(round)".utf8)) }
    }

    @Test func refusedAnswersKeepTheirConnection() async throws {
        let body = pattern(20_000)
        let server = LoopbackServer { _, connection in connection.answer(404, body: body) }
        defer { server.stop() }
        let downloader = try Downloader()
        for _ in 1...10 { #expect(await downloader.status(server.url("/")) == .httpStatus) }
        #expect(server.connections == 1)
    }

    @Test func parallelLoadsStayWithinTheLimitOfAHost() async throws {
        let gate = Gate()
        let server = LoopbackServer { request, connection in
            gate.wait()
            // Requests beyond the limit would arrive meanwhile.
            usleep(1000)
            connection.answer(200, body: Array(request.target.utf8))
        }
        defer { server.stop() }
        let downloader = try Downloader()
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                group.addTask { await downloader.bytes(server.url("/\(index)")) == Array("/\(index)".utf8) }
            }
            #expect(await server.becomes { $0.requests.count >= 6 })
            gate.open()
            for await isRight in group { #expect(isRight) }
        }
        #expect(server.mostConcurrent == 6)
        #expect(server.connections <= 6)
    }

    @Test func totalLimitHoldsOverAllHosts() async throws {
        let gate = Gate()
        let server = LoopbackServer { _, connection in
            gate.wait()
            usleep(1000)
            connection.answer(200, body: [1])
        }
        defer { server.stop() }
        let downloader = try Downloader { $0.maxTotal = 4 }
        await withTaskGroup(of: Status.self) { group in
            for index in 0..<60 { group.addTask { await downloader.status(server.url("/", host: "127.0.0.\(index % 10 + 1)")) } }
            #expect(await server.becomes { $0.requests.count >= 4 })
            gate.open()
            for await status in group { #expect(status == .connectFailed || status == .ok) }
        }
        #expect(server.mostConcurrent == 4)
    }

    /// Loads "/blocker", then the others in the given order while it runs; returns the order of all requests.
    private func orderOfRequests(
        _ downloader: Downloader, _ loads: [(String, LoadPriority)],
        meanwhile: @escaping @Sendable (Downloader, String) -> Void = { _, _ in }
    ) async -> [String] {
        let gate = Gate()
        let server = LoopbackServer { request, connection in
            if request.target == "/blocker" { gate.wait() }
            connection.answer(200, body: [1])
        }
        defer { server.stop() }
        await withTaskGroup(of: Status.self) { group in
            group.addTask { await downloader.status(server.url("/blocker")) }
            #expect(await server.becomes { $0.requests.count == 1 })
            var started = 1
            for (name, priority) in loads {
                // One after another, so that their order is certain.
                group.addTask { await downloader.status(server.url("/\(name)")) { $0.priority = priority } }
                started += 1
                while downloader.loader.transferCount < started { try? await Task.sleep(for: .milliseconds(1)) }
            }
            meanwhile(downloader, server.url(""))
            gate.open()
            for await status in group { #expect(status == .ok) }
        }
        return server.requests.map { String($0.target.dropFirst()) }
    }

    @Test func waitingLoadsStartByPriorityThenAge() async throws {
        let downloader = try Downloader { $0.maxPerHost = 1 }
        let order = await orderOfRequests(
            downloader, [("l1", .low), ("n1", .normal), ("h1", .high), ("l2", .low), ("n2", .normal), ("h2", .high)])
        #expect(order == ["blocker", "h1", "h2", "n1", "n2", "l1", "l2"])
    }

    @Test func newestFirstWhenSoConfigured() async throws {
        let downloader = try Downloader {
            $0.maxPerHost = 1
            $0.executionOrder = .lifo
        }
        let order = await orderOfRequests(
            downloader, [("n1", .normal), ("n2", .normal), ("h1", .high), ("n3", .normal), ("h2", .high)])
        #expect(order == ["blocker", "h2", "h1", "n3", "n2", "n1"])
    }

    @Test func raisedPriorityOvertakes() async throws {
        let downloader = try Downloader { $0.maxPerHost = 1 }
        let order = await orderOfRequests(downloader, [("n1", .normal), ("n2", .normal), ("l1", .low)]) { downloader, base in
            let key = downloader.loader.sharingKey(ImageRequest(url: Array("\(base)/l1".utf8)))
            if let key { downloader.loader.setPriority(key, to: .high) }
        }
        #expect(order == ["blocker", "l1", "n1", "n2"])
    }

    @Test func cancelledTransferClosesItsConnection() async throws {
        let server = LoopbackServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            _ = connection.waitForEnd()
        }
        defer { server.stop() }
        let downloader = try Downloader()
        let task = Task { await downloader.status(server.url("/")) }
        #expect(await server.becomes { $0.requests.count == 1 })
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(await server.becomes { $0.connectionsClosedByPeer == 1 })
    }

    @Test func cancelledWaitingLoadLeavesAtOnceAndIsNeverSent() async throws {
        let gate = Gate()
        let server = LoopbackServer { _, connection in
            gate.wait()
            connection.answer(200, body: [1])
        }
        defer { server.stop() }
        let downloader = try Downloader { $0.maxPerHost = 1 }
        let first = Task { await downloader.status(server.url("/first")) }
        #expect(await server.becomes { $0.requests.count == 1 })
        let second = Task { await downloader.status(server.url("/second")) }
        second.cancel()
        #expect(await second.value == .cancelled)
        gate.open()
        #expect(await first.value == .ok)
        #expect(await downloader.status(server.url("/third")) == .ok)
        #expect(server.requests.map(\.target) == ["/first", "/third"])
    }

    @Test func cancellingAtAnyMomentEndsEveryLoadOnce() async throws {
        let body = pattern(50_000)
        let server = LoopbackServer { _, connection in connection.answer(200, body: body) }
        defer { server.stop() }
        let downloader = try Downloader()
        await withTaskGroup(of: Status.self) { group in
            for index in 0..<300 {
                group.addTask {
                    let task = Task { await downloader.status(server.url("/\(index)")) }
                    for _ in 0..<(index % 7) { await Task.yield() }
                    task.cancel()
                    return await task.value
                }
            }
            for await status in group { #expect(status == .ok || status == .cancelled) }
        }
        #expect(await downloader.status(server.url("/last")) == .ok)
    }

    @Test func shutdownWithLoadsUnderWayEndsThemAndLeavesNothing() async throws {
        let server = LoopbackServer { _, connection in _ = connection.waitForEnd() }
        defer { server.stop() }
        for _ in 1...3 {
            let service = try CurlService()
            let loader = try CurlLoader(.patient, service: service)
            let before = server.requests.count
            let loads = (0..<50).map { index in
                Task { () -> Status in
                    do throws(ImageError) {
                        _ = try await loader.load(ImageRequest(url: Array(server.url("/\(index)").utf8)), progress: .none)
                        return .ok
                    } catch { return error.status }
                }
            }
            #expect(await server.becomes { $0.requests.count == before + 6 })
            #expect(descriptors(connectedTo: server.port) == 6)
            // Does not wait for the responses, which never come.
            service.stop()
            for load in loads { #expect(await load.value == .shutdown) }
            #expect(descriptors(connectedTo: server.port) == 0)
            #expect(await refused(loader, server.url("/late")) == .shutdown)
        }
    }

    // In a process of its own, because the transfer thread of the engine starts and ends with other tests.
    @Test func threadEndsWithTheLastLease() async {
        await #expect(processExitsWith: .success) { try await CurlTests().countTransferThreads() }
    }

    private func countTransferThreads() async throws {
        let server = LoopbackServer { _, connection in connection.answer(200, body: [1]) }
        defer { server.stop() }
        let service = try CurlService()
        let loader = try CurlLoader(.patient, service: service)
        #expect(transferThreads() == 0)
        _ = await refused(loader, server.url("/"))
        #expect(transferThreads() == 1)
        service.stop()
        // The kernel lists a thread for a moment after it was joined.
        #expect(becomesTrue { transferThreads() == 0 })
    }

    private func refused(_ loader: CurlLoader, _ url: String) async -> Status {
        do throws(ImageError) {
            _ = try await loader.load(ImageRequest(url: Array(url.utf8)), progress: .none)
            return .ok
        } catch { return error.status }
    }

    private func transferThreads() -> Int {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return threads.count { SmallFile.read("/proc/self/task/\($0)/comm")?.trimmedASCII == "sdimage-curl" }
    }

    /// Sockets of this process connected to the port; the server's own sockets are bound to it instead.
    private func descriptors(connectedTo port: UInt16) -> Int {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return all.compactMap { Int32($0) }.count { descriptor in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getpeername(descriptor, $0, &length) }
            }
            return code == 0 && address.sin_family == sa_family_t(AF_INET) && address.sin_port == port.bigEndian
        }
    }
}

/// Blocks threads until it is opened.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func wait() {
        semaphore.wait()
        semaphore.signal()
    }

    func open() { semaphore.signal() }
}
