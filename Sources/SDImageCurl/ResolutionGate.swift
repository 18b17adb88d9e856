import Glibc
import SDImage

/// Limits the concurrent name look-ups of each downloader: libcurl runs each in a thread of its own.
///
/// One downloader looks up at most eight names at the same time, and each name for only one of its transfers. The others find
/// the address in libcurl's cache. A look-up longer than `longestLookUp` no longer counts, so that silent name servers do not delay
/// other names. The downloader's running transfers bound the number of threads.
/// Used by `CurlLoop` before it starts a transfer. Confined to the transfer thread. Times are monotonic nanoseconds.
struct ResolutionGate {
    /// Look-ups at the same time, for one downloader.
    static let limit = 8
    /// Nanoseconds; most responses of name servers take a tenth of it.
    static let longestLookUp: UInt64 = 2_000_000_000
    /// Slightly less than the 60 s for which libcurl caches an address; in nanoseconds.
    private static let freshness: UInt64 = 50_000_000_000
    /// Names that are remembered for one downloader; at the limit all are forgotten.
    private static let mostKnown = 1024

    /// Names being looked up and the start of each look-up, by downloader.
    private var pending: [UInt64: [[UInt8]: UInt64]] = [:]
    /// Resolved names and the time of each resolution, by downloader: each has a cache of its own.
    private var known: [UInt64: [[UInt8]: UInt64]] = [:]

    /// True if a transfer to the host may start now.
    func admits(_ host: [UInt8], of loader: UInt64, at now: UInt64) -> Bool { opening(host, of: loader, at: now) <= now }

    /// Earliest start of a transfer, as far as time alone decides.
    /// `.max` while the name is being looked up for another transfer.
    func opening(_ host: [UInt8], of loader: UInt64, at now: UInt64) -> UInt64 {
        // Without pending look-ups the limit cannot be reached.
        guard let names = pending[loader], !isKnown(host, of: loader, at: now) else { return 0 }
        if names[host] != nil { return .max }
        var counted = 0, earliest = UInt64.max
        for since in names.values where now &- since < ResolutionGate.longestLookUp {
            counted += 1
            earliest = min(earliest, since &+ ResolutionGate.longestLookUp)
        }
        return counted < ResolutionGate.limit ? 0 : earliest
    }

    /// Notes that a transfer to the host starts, which looks the name up unless it is known.
    mutating func began(_ host: [UInt8], of loader: UInt64, at now: UInt64) {
        if !isKnown(host, of: loader, at: now) { pending[loader, default: [:]][host] = now }
    }

    /// Called when libcurl opens a socket for the host, because the address is known then.
    /// Only the first socket counts: libcurl may try several addresses.
    mutating func resolved(_ host: [UInt8], of loader: UInt64, at now: UInt64) {
        guard settled(host, of: loader) else { return }
        if known[loader, default: [:]].count >= ResolutionGate.mostKnown { known[loader] = [:] }
        known[loader, default: [:]][host] = now
    }

    /// Removes all names of a downloader.
    mutating func forget(_ loader: UInt64) { (pending[loader], known[loader]) = (nil, nil) }

    /// Called when a hop ends or has a reused connection: removes a look-up that opened no socket. False if there is none.
    @discardableResult
    mutating func settled(_ host: [UInt8], of loader: UInt64) -> Bool {
        guard !pending.isEmpty, pending[loader]?.removeValue(forKey: host) != nil else { return false }
        if pending[loader]?.isEmpty == true { pending[loader] = nil }
        return true
    }

    /// True while libcurl has the address in its cache.
    private func isKnown(_ host: [UInt8], of loader: UInt64, at now: UInt64) -> Bool {
        guard let since = known[loader]?[host] else { return false }
        return now &- since < ResolutionGate.freshness
    }

    /// True for a host that is an IP address, in any spelling that libcurl accepts.
    static func isAddress(_ host: [UInt8]) -> Bool {
        if host.first == Byte.leftBracket { return true }
        guard let first = host.first, Byte.isDigit(first) else { return false }
        var address = in_addr()
        return unsafe inet_aton(String(decoding: host, as: UTF8.self), &address) != 0
    }
}
