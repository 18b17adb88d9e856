import Glibc
import SDImage

/// Keeps the name look-ups of each downloader few: libcurl runs each in a thread of its own.
///
/// At most eight names at once for one downloader, and each name by one of its transfers only: the others find the address in
/// libcurl's table. A look-up that takes longer than `patience` no longer counts, so that names whose servers are silent do not
/// delay others. The number of threads stays bounded by the downloader's running transfers.
struct ResolutionGate {
    static let limit = 8
    /// Nanoseconds; most answers of name servers take a tenth of it.
    static let patience: UInt64 = 2_000_000_000
    /// A little less than libcurl keeps an answer (60 s).
    private static let freshness: UInt64 = 50_000_000_000
    private static let mostKnown = 1024

    /// By downloader, the names that are being looked up, and since when.
    private var pending: [UInt64: [[UInt8]: UInt64]] = [:]
    private var known: [[UInt8]: UInt64] = [:]

    func admits(_ host: [UInt8], of loader: UInt64, at now: UInt64) -> Bool { opening(host, of: loader, at: now) <= now }

    /// When a transfer may start, as far as time alone decides.
    func opening(_ host: [UInt8], of loader: UInt64, at now: UInt64) -> UInt64 {
        guard let names = pending[loader], !isKnown(host, at: now) else { return 0 }
        if names[host] != nil { return .max }
        var counted = 0, earliest = UInt64.max
        for since in names.values where now &- since < ResolutionGate.patience {
            counted += 1
            earliest = min(earliest, since &+ ResolutionGate.patience)
        }
        return counted < ResolutionGate.limit ? 0 : earliest
    }

    mutating func began(_ host: [UInt8], of loader: UInt64, at now: UInt64) {
        if !isKnown(host, at: now) { pending[loader, default: [:]][host] = now }
    }

    /// A socket is made for it: its address is known.
    mutating func resolved(_ host: [UInt8], of loader: UInt64, at now: UInt64) {
        guard remove(host, of: loader) else { return }
        if known.count >= ResolutionGate.mostKnown { known.removeAll() }
        known[host] = now
    }

    /// The transfer went on without a look-up, or is over.
    mutating func settled(_ host: [UInt8], of loader: UInt64) { _ = remove(host, of: loader) }

    private mutating func remove(_ host: [UInt8], of loader: UInt64) -> Bool {
        guard !pending.isEmpty, pending[loader]?.removeValue(forKey: host) != nil else { return false }
        if pending[loader]?.isEmpty == true { pending[loader] = nil }
        return true
    }

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
