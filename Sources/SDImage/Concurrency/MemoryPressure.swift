/// Detects that the system, or the control group of this process, is short of memory.
///
/// Linux reports pressure in several places, none of which exists everywhere: all are read, and a missing or unreadable one is
/// ignored. Only files are read: a trigger on stalls needs permissions that containers do not have.
/// Used by `PressureMonitor`.
package struct MemoryPressure: Sendable {
    /// Prefix of /proc and /sys; another folder in tests.
    private let root: String

    /// Percentage of the last ten seconds in which some thread waited for memory.
    private static let stalled = 10.0
    /// Fraction of the group's limit that its own pages may use.
    private static let used = 0.95
    /// Fraction of all memory that must be available.
    private static let available = 0.05

    package init(root: String = "") { self.root = root }

    /// True if any of the sources reports it. Reads several files.
    package var isHigh: Bool {
        // Stalls first: they show actual waiting, while use may be high without any.
        [groupStalls, systemStalls, groupUse, systemUse].contains { $0() == true }
    }

    /// cgroup v2: `memory.pressure` of the group.
    private func groupStalls() -> Bool? {
        guard let path = group({ $0 == "0" }) else { return nil }
        return stalls("/sys/fs/cgroup" + path + "/memory.pressure")
    }

    /// The same for the whole system.
    private func systemStalls() -> Bool? { stalls("/proc/pressure/memory") }

    /// Parses "some avg10=0.00 avg60=0.00 avg300=0.00 total=0" (kernel documentation, accounting/psi).
    private func stalls(_ path: String) -> Bool? {
        guard let line = read(path)?.split(separator: "\n").first(where: { $0.hasPrefix("some ") }),
            let field = line.split(separator: " ").first(where: { $0.hasPrefix("avg10=") }),
            let share = Double(field.dropFirst(6))
        else { return nil }
        return share >= MemoryPressure.stalled
    }

    /// Compares the memory of the group, without file pages, with its limit: cgroup v2, then v1.
    /// File pages are left out, because the kernel can reclaim them.
    private func groupUse() -> Bool? {
        if let path = group({ $0 == "0" }), let limit = number("/sys/fs/cgroup" + path + "/memory.max") {
            guard let use = field("anon", of: "/sys/fs/cgroup" + path + "/memory.stat") else { return nil }
            return use >= limit * MemoryPressure.used
        }
        guard let limit = number("/sys/fs/cgroup/memory/memory.limit_in_bytes"), limit > 0,
            let use = field("total_rss", of: "/sys/fs/cgroup/memory/memory.stat")
        else { return nil }
        return use >= limit * MemoryPressure.used
    }

    /// Compares the available memory of the system with all of its memory.
    private func systemUse() -> Bool? {
        guard let total = field("MemTotal:", of: "/proc/meminfo"), total > 0,
            let available = field("MemAvailable:", of: "/proc/meminfo")
        else { return nil }
        return available < total * MemoryPressure.available
    }

    /// Path of the process's group in the hierarchy selected by number; lines are "0::/path".
    /// nil if the process has no group there; "" for the root.
    private func group(_ isWanted: (Substring) -> Bool) -> String? {
        for line in read("/proc/self/cgroup")?.split(separator: "\n") ?? [] {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            if parts.count == 3, isWanted(parts[0]) { return parts[2] == "/" ? "" : String(parts[2]) }
        }
        return nil
    }

    /// The number after a name, in a file of lines of a name and a number.
    /// In the unit of the file: bytes in memory.stat, KiB in meminfo.
    private func field(_ name: String, of path: String) -> Double? {
        for line in read(path)?.split(separator: "\n") ?? [] {
            let words = line.split(separator: " ")
            if words.count >= 2, words[0] == name { return Double(words[1]) }
        }
        return nil
    }

    /// The number in a file; nil also for "max".
    private func number(_ path: String) -> Double? { read(path).flatMap { Double($0.trimmedASCII) } }

    /// Reads below `root`.
    private func read(_ path: String) -> String? { SmallFile.read(root + path) }
}
