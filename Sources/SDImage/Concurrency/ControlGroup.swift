import Glibc

/// Limits that a container sets for this process (cgroup v2 and v1).
package enum ControlGroup {
    /// CPU quota in processors (quota divided by period), or nil without a quota.
    /// cgroup v2 has one file with both numbers, in microseconds; "max" is no quota.
    package static var processorQuota: Double? {
        if let line = SmallFile.read("/sys/fs/cgroup/cpu.max") {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count == 2, let quota = Double(words[0]), let period = Double(words[1]), period > 0 else { return nil }
            return quota / period
        }
        // cgroup v1; a quota of -1 means none.
        guard let quota = SmallFile.read("/sys/fs/cgroup/cpu/cpu.cfs_quota_us").flatMap({ Double($0.trimmedASCII) }),
            let period = SmallFile.read("/sys/fs/cgroup/cpu/cpu.cfs_period_us").flatMap({ Double($0.trimmedASCII) }),
            quota > 0, period > 0
        else { return nil }
        return quota / period
    }
}

/// Reads files of a few hundred bytes, such as those of /proc and /sys.
/// One read returns such a file as a whole.
package enum SmallFile {
    /// At most `limit` bytes; nil if the file cannot be read. Bytes that are not UTF-8 are replaced.
    package static func read(_ path: String, limit: Int = 16384) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { return nil }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}

extension String {
    /// The string without surrounding white space.
    package var trimmedASCII: String {
        let isSpace: (Character) -> Bool = { $0.isWhitespace }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(self[first...last])
    }
}
