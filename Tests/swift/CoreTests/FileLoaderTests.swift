import Foundation
import SDImage
import Synchronization
import TestSupport
import Testing

private func load(_ url: String, limit: Int = 64 << 20) async -> Result<LoadedData, ImageError> {
    do throws(ImageError) {
        let lease = try Engine.acquire()
        return .success(
            try await FileLoader(pool: lease.engine.files, maxBodyBytes: limit)
                .load(ImageRequest(url: Array(url.utf8)), progress: .none))
    } catch { return .failure(error) }
}

private func status(_ url: String, limit: Int = 64 << 20) async -> Status {
    switch await load(url, limit: limit) {
    case .success: .ok
    case .failure(let error): error.status
    }
}

@Test(arguments: [1, 4096, 262_144, 262_145, 3_000_000])
func fileGivesItsBytes(size: Int) async throws {
    let folder = TemporaryDirectory()
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/a b#ü.bin"))
    let path = folder.path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)! + "/a%20b%23%C3%BC.bin"
    for url in ["file://\(path)", "file:\(path)", "FILE://localhost\(path)?query#fragment"] {
        let data = try await load(url).get()
        #expect(data.array == bytes)
        #expect(data.source == .loader)
    }
}

@Test func whatIsNoReadableFileSaysWhy() async throws {
    let folder = TemporaryDirectory()
    _ = FileManager.default.createFile(atPath: folder.path + "/empty", contents: nil)
    unsafe mkfifo(folder.path + "/fifo", 0o600)
    #expect(await status("file://\(folder.path)") == .notAFile)
    #expect(await status("file://\(folder.path)/fifo") == .notAFile)
    #expect(await status("file:///dev/null") == .notAFile)
    #expect(await status("file://\(folder.path)/absent") == .notFound)
    #expect(await status("file://\(folder.path)/empty/x") == .notFound)
    #expect(await status("file://\(folder.path)/empty") == .emptyData)
    #expect(await status("file://other.host\(folder.path)/empty") == .invalidURL)
    #expect(await status("file:relative") == .invalidURL)
    #expect(await status("file:///a%00b") == .invalidURL)
}

@Test func fileAboveTheLimitIsTooLarge() async throws {
    let folder = TemporaryDirectory()
    try Data(count: 5000).write(to: URL(fileURLWithPath: folder.path + "/a"))
    #expect(await status("file://\(folder.path)/a", limit: 5000) == .ok)
    #expect(await status("file://\(folder.path)/a", limit: 4999) == .tooLarge)
}

/// Cancels a read when its first bytes have arrived.
private final class FirstPiece: ProgressReceiver, BodyObserver {
    let stop = CancellationToken()
    private let body = Mutex<GrowingBody?>(nil)

    /// Bytes that have arrived.
    var count: Int { body.withLock { $0 }?.count ?? 0 }

    func didReceive(_ received: Int64, _ expected: Int64) {}
    func didRespond(_ head: ReceivedHead) {}
    func bodyGrew() { stop.cancel() }

    func bodyArrives(_ body: GrowingBody) {
        self.body.withLock { $0 = body }
        body.observe(self)
    }
}

/// File systems on disk refuse such a file.
@Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm"), "no tmpfs")) func fileOfTheLargestSizeIsRead() throws {
    let path = "/dev/shm/sdimage-test-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let status = unsafe truncate(path, off_t.max)
    try #require(status == 0)
    let first = FirstPiece()
    let error = #expect(throws: ImageError.self) {
        _ = try FileLoader.read(Array(path.utf8), limit: .max, stop: first.stop, progress: LoadProgress(first))
    }
    #expect(error?.status == .cancelled && first.count > 0)
}

@Test(.enabled(if: geteuid() != 0, "root may read every file")) func forbiddenFileIsPermissionDenied() async throws {
    let folder = TemporaryDirectory()
    _ = FileManager.default.createFile(atPath: folder.path + "/a", contents: Data([1]), attributes: [.posixPermissions: 0])
    #expect(await status("file://\(folder.path)/a") == .permissionDenied)
}

@Test func lastRegisteredLoaderIsAskedFirst() throws {
    let lease = try Engine.acquire()
    let first = FileLoader(pool: lease.engine.files), second = FileLoader(pool: lease.engine.files)
    let chain = LoaderChain([first])
    let request = ImageRequest(url: Array("file:///a".utf8))
    chain.add(second)
    #expect(try chain.chosen(for: request) === second)
    #expect(chain.remove(second))
    #expect(try chain.chosen(for: request) === first)
    for (url, expected) in [("ftp://h/a", Status.schemeForbidden), ("gopher://h/a", .schemeForbidden), ("a.png", .invalidURL)] {
        do throws(ImageError) {
            _ = try chain.chosen(for: ImageRequest(url: Array(url.utf8)))
            Issue.record("found a loader")
        } catch { #expect(error.status == expected) }
    }
}
