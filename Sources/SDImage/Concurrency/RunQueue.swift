import Glibc

/// Load of the system, other processes included.
/// Read before helpers are requested: other processes may need the processors.
package enum RunQueue {
    /// Processors that are online, whether this process may use them or not.
    private static let processors = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    /// False if the number of runnable threads reaches the number of processors: another thread would only slow the others down.
    /// True if the system does not report it. Takes some ten microseconds.
    package static var hasIdleProcessor: Bool {
        guard let line = SmallFile.read("/proc/loadavg", limit: 128) else { return true }
        return hasIdleProcessor(load: line, processors: processors)
    }

    /// Parses the fourth word of the line: the number of runnable threads, a slash, and the number of all threads (proc(5)).
    static func hasIdleProcessor(load line: String, processors: Int) -> Bool {
        let words = line.split(separator: " ")
        guard words.count > 3, let running = words[3].split(separator: "/").first.flatMap({ Int($0) }) else { return true }
        return running < processors
    }
}
