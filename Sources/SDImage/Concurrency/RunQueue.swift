import Glibc

/// How busy the system is, other processes included.
package enum RunQueue {
    private static let processors = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    /// False when as many threads run or could run as there are processors, so that one more would only take time from the
    /// others. True where the system does not say. Takes some ten microseconds.
    package static var hasIdleProcessor: Bool {
        guard let line = SmallFile.read("/proc/loadavg", limit: 128) else { return true }
        return hasIdleProcessor(load: line, processors: processors)
    }

    /// The fourth word of the line has the threads that can run, a slash, and all threads (proc(5)).
    static func hasIdleProcessor(load line: String, processors: Int) -> Bool {
        let words = line.split(separator: " ")
        guard words.count > 3, let running = words[3].split(separator: "/").first.flatMap({ Int($0) }) else { return true }
        return running < processors
    }
}
