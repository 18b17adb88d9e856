import CSDImage
import Foundation
import TestSupport
import Testing

/// A flag shared by two threads.
private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var isSet = false
    var value: Bool {
        get { lock.withLock { isSet } }
        set { lock.withLock { isSet = newValue } }
    }
}

/// Files of a cache and of the user that another process changes during reads. The result is an error or a miss, never a crash, a
/// hang or a large allocation.
@Suite struct ChangingFileTests {
    private let folder = TemporaryDirectory()
    private static let length = 300_000

    enum Change: CaseIterable { case empty, short, grown, sparse, missing, folder, fifo, link, socket, device }

    private func storeFile(_ cache: Owned) throws -> [UInt8] {
        let bytes = (0..<ChangingFileTests.length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) }
        let data = try make(sdimage_data_unref) { sdimage_data_new(bytes, bytes.count, $0, $1) }
        #expect(sdimage_cache_store_data(cache.pointer, "k", -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        return bytes
    }

    private func read(_ cache: Owned) throws -> Owned {
        try make(sdimage_data_unref) { sdimage_cache_get_data(cache.pointer, "k", -1, $0, $1) }
    }

    private func contents(_ data: Owned) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
    }

    /// Reads by this thread, of the kernel's count.
    private func readCount() throws -> Int {
        let counts = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
        return try #require(counts.split(separator: "\n").first { $0.hasPrefix("syscr: ") }.flatMap { Int($0.dropFirst(7)) })
    }

    @Test func aFileWithoutASizeIsReadInPieces() throws {
        let path = "/proc/self/maps"
        let size = try String(contentsOfFile: path, encoding: .utf8).utf8.count
        let before = try readCount()
        var image: OpaquePointer?
        #expect(sdimage_decode_file(path, nil, &image, nil) == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        #expect(try readCount() - before < size / 100)
    }

    /// Path of the file of the only large entry.
    private func entryFile() throws -> String {
        let all = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        let name = try #require(all.first { ($0 as NSString).lastPathComponent.count > 32 })
        return folder.path + "/" + name
    }

    private func apply(_ change: Change, to path: String) throws {
        switch change {
        case .empty: #expect(truncate(path, 0) == 0)
        case .short: #expect(truncate(path, ChangingFileTests.length / 2) == 0)
        case .grown: #expect(truncate(path, ChangingFileTests.length + 5000) == 0)
        case .sparse: #expect(truncate(path, 10 << 30) == 0)
        case .missing: #expect(unlink(path) == 0)
        case .folder: #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        case .fifo: #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        case .link: #expect(rename(path, path + ".other") == 0 && symlink(path + ".other", path) == 0)
        case .socket: #expect(unlink(path) == 0 && mknod(path, S_IFSOCK | 0o600, 0) == 0)
        case .device:
            // Without permission to create a device node, a symbolic link to one.
            #expect(unlink(path) == 0)
            if mknod(path, S_IFCHR | 0o600, 0x105) != 0 { #expect(symlink("/dev/zero", path) == 0) }
        }
    }

    @Test(arguments: Change.allCases) func aChangedCacheFileIsAMiss(change: Change) throws {
        let cache = try makeCache(in: folder.path)
        _ = try storeFile(cache)
        try apply(change, to: try entryFile())
        let failure = #expect(throws: CallFailure.self) { try read(cache) }
        #expect(failure?.status == .SDIMAGE_STATUS_NOT_FOUND)
        let bytes = try storeFile(cache)
        #expect(contents(try read(cache)) == bytes)
    }

    @Test func bytesOfAnEntryOutliveItsFile() throws {
        let cache = try makeCache(in: folder.path)
        let bytes = try storeFile(cache)
        let data = try read(cache)
        #expect(truncate(try entryFile(), 0) == 0)
        #expect(contents(data) == bytes)
    }

    /// Bytes overwritten in place, with the length unchanged, after this process has read the entry once.
    @Test func overwrittenBytesAreAMissThoughTheyWereReadBefore() throws {
        let cache = try makeCache(in: folder.path)
        _ = try storeFile(cache)
        _ = try read(cache)
        let file = try #require(FileHandle(forUpdatingAtPath: try entryFile()))
        try file.seek(toOffset: 1000)
        try file.write(contentsOf: Data("other".utf8))
        try file.close()
        #expect(throws: CallFailure.self) { try read(cache) }
    }

    @Test func aFileTruncatedWhileItIsReadIsWholeOrAMiss() throws {
        let cache = try makeCache(in: folder.path)
        let bytes = try storeFile(cache)
        let isOver = Flag()
        let folder = folder.path
        let thread = Thread {
            while !isOver.value {
                let all = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
                for name in all where (name as NSString).lastPathComponent.count > 32 {
                    let path = folder + "/" + name
                    guard let whole = FileManager.default.contents(atPath: path) else { continue }
                    for length in [0, 4096, 150_000] {
                        _ = truncate(path, length)
                        guard let file = FileHandle(forUpdatingAtPath: path) else { continue }
                        try? file.write(contentsOf: whole)
                        try? file.close()
                    }
                }
            }
        }
        thread.start()
        var (hits, misses) = (0, 0)
        // Few enough iterations for a debug build: each miss stores the file again.
        for _ in 0..<100 {
            do {
                let data = try read(cache)
                #expect(contents(data) == bytes)
                hits += 1
            } catch {
                misses += 1
                _ = try storeFile(cache)
            }
        }
        isOver.value = true
        #expect(hits > 0)
    }

    @Test(arguments: Change.allCases) func aChangedFileOfTheUserIsAnError(change: Change) throws {
        let path = folder.path + "/picture.png"
        #expect(FileManager.default.createFile(atPath: path, contents: Data(count: ChangingFileTests.length)))
        try apply(change, to: path)
        let manager = try makeManager(cache: nil)
        let request = makeRequest("file://" + path)
        let failure = #expect(throws: CallFailure.self) {
            try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
        }
        let expected: [sdimage_status] =
            switch change {
            case .empty: [.SDIMAGE_STATUS_EMPTY_DATA]
            case .sparse: [.SDIMAGE_STATUS_TOO_LARGE]
            case .missing: [.SDIMAGE_STATUS_NOT_FOUND]
            case .folder, .fifo, .socket, .device: [.SDIMAGE_STATUS_NOT_A_FILE]
            // Zeros are not an image; links of the user are followed.
            case .short, .grown, .link: [.SDIMAGE_STATUS_NOT_AN_IMAGE]
            }
        #expect(failure.map { expected.contains($0.status) } == true, "\(change): \(String(describing: failure))")
    }
}
