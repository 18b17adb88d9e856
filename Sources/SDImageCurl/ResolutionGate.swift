import Glibc
import SDImage

/// Keeps name look-ups few: libcurl runs each in a thread of its own (decisions R5).
///
/// At most eight names at once, and each name by one transfer only: the others find the answer in libcurl's table.
struct ResolutionGate {
    static let limit = 8
    /// A little less than libcurl keeps an answer (60 s).
    private static let freshness: UInt64 = 50_000_000_000
    private static let mostKnown = 1024

    private var pending: Set<[UInt8]> = []
    private var known: [[UInt8]: UInt64] = [:]

    func admits(_ host: [UInt8], at now: UInt64) -> Bool {
        isKnown(host, at: now) || pending.count < ResolutionGate.limit && !pending.contains(host)
    }

    mutating func began(_ host: [UInt8], at now: UInt64) {
        if !isKnown(host, at: now) { pending.insert(host) }
    }

    /// A socket is made for it: its address is known.
    mutating func resolved(_ host: [UInt8], at now: UInt64) {
        guard !pending.isEmpty, pending.remove(host) != nil else { return }
        if known.count >= ResolutionGate.mostKnown { known.removeAll() }
        known[host] = now
    }

    /// The transfer went on without a look-up, or is over.
    mutating func settled(_ host: [UInt8]) { if !pending.isEmpty { pending.remove(host) } }

    private func isKnown(_ host: [UInt8], at now: UInt64) -> Bool {
        guard let since = known[host] else { return false }
        return now &- since < ResolutionGate.freshness
    }

    /// True for a host that is an address already, in any spelling that libcurl takes.
    static func isAddress(_ host: [UInt8]) -> Bool {
        if host.first == Byte.leftBracket { return true }
        guard let first = host.first, Byte.isDigit(first) else { return false }
        var address = in_addr()
        return unsafe inet_aton(String(decoding: host, as: UTF8.self), &address) != 0
    }
}
