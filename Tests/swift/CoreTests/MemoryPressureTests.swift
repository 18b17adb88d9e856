import Foundation
import SDImage
import TestSupport
import Testing

/// A /proc and a /sys of the test's own.
private struct FakeSystem {
    let directory = TemporaryDirectory()

    func write(_ path: String, _ text: String) throws {
        let file = directory.path + path
        try FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: file, atomically: true, encoding: .utf8)
    }

    var isHigh: Bool { MemoryPressure(root: directory.path).isHigh }
}

@Suite struct MemoryPressureTests {
    private static let calm = "some avg10=0.00 avg60=0.10 avg300=0.00 total=5\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
    private static let stalled = calm.replacingOccurrences(of: "some avg10=0.00", with: "some avg10=12.50")

    @Test func aSystemThatTellsNothingIsNotUnderPressure() throws {
        #expect(!FakeSystem().isHigh)
        let system = FakeSystem()
        for path in ["/proc/pressure/memory", "/proc/self/cgroup", "/proc/meminfo"] { try system.write(path, "nonsense\n::\n") }
        #expect(!system.isHigh)
    }

    @Test func stallsOfTheSystemArePressure() throws {
        let system = FakeSystem()
        try system.write("/proc/pressure/memory", MemoryPressureTests.calm)
        #expect(!system.isHigh)
        try system.write("/proc/pressure/memory", MemoryPressureTests.stalled)
        #expect(system.isHigh)
    }

    @Test func stallsOfTheOwnGroupArePressure() throws {
        let system = FakeSystem()
        try system.write("/proc/self/cgroup", "0::/user/app\n")
        try system.write("/sys/fs/cgroup/user/app/memory.pressure", MemoryPressureTests.stalled)
        #expect(system.isHigh)
    }

    @Test func pagesOfTheOwnNearTheGroupsLimitArePressure() throws {
        let system = FakeSystem()
        try system.write("/proc/self/cgroup", "0::/\n")
        try system.write("/sys/fs/cgroup/memory.max", "1000000\n")
        try system.write("/sys/fs/cgroup/memory.stat", "anon 900000\nfile 90000\n")
        #expect(!system.isHigh)
        try system.write("/sys/fs/cgroup/memory.stat", "anon 960000\nfile 10000\n")
        #expect(system.isHigh)
        try system.write("/sys/fs/cgroup/memory.max", "max\n")
        #expect(!system.isHigh)
    }

    @Test func theFirstVersionOfGroupsIsAskedToo() throws {
        let system = FakeSystem()
        try system.write("/proc/self/cgroup", "4:memory:/job\n")
        try system.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1000000\n")
        try system.write("/sys/fs/cgroup/memory/memory.stat", "rss 1\ntotal_rss 990000\n")
        #expect(system.isHigh)
    }

    @Test func littleAvailableMemoryIsPressure() throws {
        let system = FakeSystem()
        try system.write("/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 10 kB\nMemAvailable: 60 kB\n")
        #expect(!system.isHigh)
        try system.write("/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 10 kB\nMemAvailable: 40 kB\n")
        #expect(system.isHigh)
    }

    @Test func theMonitorAnswersWhenPressureBegins() throws {
        let system = FakeSystem()
        let executor = WorkerThread(name: "test")
        let cache = MemoryCache()
        cache.set(try picture(), for: CacheKey("a"))
        let answered = DispatchSemaphore(value: 0)
        let monitor = PressureMonitor(
            executor: executor, pressure: MemoryPressure(root: system.directory.path), interval: 1_000_000
        ) {
            cache.memoryPressure()
            answered.signal()
        }
        monitor.setOn(true)
        #expect(cache.contains(CacheKey("a")))
        try system.write("/proc/pressure/memory", MemoryPressureTests.stalled)
        #expect(answered.wait(timeout: .now() + 120) == .success)
        #expect(!cache.contains(CacheKey("a")))
        // Repeated while the pressure lasts; not after the monitor was stopped.
        #expect(answered.wait(timeout: .now() + 120) == .success)
        monitor.stop()
        executor.stop()
    }
}
