import Glibc
import SDImage

/// Address policy, applied to the address that a connection leads to (RFC 6890). Addresses are 4 or 16 bytes.
/// Applied when a socket is opened, and before each request on a connection.
struct AddressRules {
    private let policy: AddressPolicy
    private let allowed: [AddressRange]

    init(_ configuration: DownloaderConfiguration) {
        policy = configuration.addressPolicy
        allowed = configuration.allowedAddresses
    }

    /// True if the policy permits a connection.
    /// Called with the address to connect to. Unknown families are refused.
    func permits(_ address: UnsafePointer<sockaddr>) -> Bool {
        guard policy == .publicOnly else { return true }
        guard let (bytes, port) = unsafe AddressRules.parts(address) else { return false }
        return AddressRules.isPublic(bytes) || allowed.contains { $0.contains(bytes, port: port) }
    }

    /// The same for an address in text, the form in which libcurl reports the peer of a connection.
    func permits(text: UnsafePointer<CChar>?, port: Int32) -> Bool {
        guard policy == .publicOnly else { return true }
        guard let text = unsafe text, let bytes = unsafe AddressRules.address(text: String(cString: text)),
            let port = UInt16(exactly: port)
        else { return false }
        return AddressRules.isPublic(bytes) || allowed.contains { $0.contains(bytes, port: port) }
    }

    /// The bytes in network order, and the port in that of this machine; nil for other families.
    private static func parts(_ address: UnsafePointer<sockaddr>) -> (bytes: [UInt8], port: UInt16)? {
        switch Int32(unsafe address.pointee.sa_family) {
        case AF_INET:
            return unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                let bytes = unsafe withUnsafeBytes(of: pointer.pointee.sin_addr) { unsafe Array($0) }
                return unsafe (bytes, UInt16(bigEndian: pointer.pointee.sin_port))
            }
        case AF_INET6:
            return unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                let bytes = unsafe withUnsafeBytes(of: pointer.pointee.sin6_addr) { unsafe Array($0) }
                return unsafe (bytes, UInt16(bigEndian: pointer.pointee.sin6_port))
            }
        default: return nil
        }
    }

    /// Parses an address in text; nil for any other text.
    /// Numeric addresses only, so nothing is looked up.
    static func address(text: String) -> [UInt8]? {
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 { return unsafe withUnsafeBytes(of: four) { unsafe Array($0) } }
        var six = in6_addr()
        return unsafe inet_pton(AF_INET6, text, &six) == 1 ? withUnsafeBytes(of: six) { unsafe Array($0) } : nil
    }

    /// The IPv4 address inside an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2).
    static func inner(_ address: [UInt8]) -> [UInt8]? {
        let isMapped =
            address.count == 16 && address.prefix(10).allSatisfy { $0 == 0 } && address[10] == 0xff && address[11] == 0xff
        return isMapped ? Array(address[12...]) : nil
    }

    /// True for an address that may lead to a server on the public Internet.
    static func isPublic(_ address: [UInt8]) -> Bool {
        address.count == 4 ? isPublic(v4: address.reduce(0) { $0 << 8 | UInt32($1) }) : isPublic(v6: address)
    }

    /// `address`: the first of its four bytes in the highest bits.
    static func isPublic(v4 address: UInt32) -> Bool {
        !forbidden4.contains { address >> (32 - $0.bits) == $0.prefix >> (32 - $0.bits) }
    }

    /// False for every other length.
    static func isPublic(v6 bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else { return false }
        let first = UInt32(bytes[0]) << 8 | UInt32(bytes[1])
        // Mapped, compatible, translated, loopback and unspecified addresses all begin with zeros. NAT64 (RFC 6052, 8215) and
        // 6to4 (RFC 3056) addresses contain an IPv4 address. None of them is needed to reach a public server.
        if first == 0 || first == 0x0064 || first == 0x2002 { return false }
        if first == 0x2001, bytes[2] < 2 { return false }  // 2001::/23: Teredo, benchmarks, ORCHID
        if first == 0x2001, bytes[2] == 0x0d, bytes[3] == 0xb8 { return false }  // documentation
        return first & 0xe000 == 0x2000  // global unicast is 2000::/3
    }

    /// Special-purpose IPv4 networks (RFC 6890) and multicast, with the lengths of their prefixes.
    private static let forbidden4: [(prefix: UInt32, bits: UInt32)] = [
        (0x0000_0000, 8),  // this network
        (0x0a00_0000, 8),  // private
        (0x6440_0000, 10),  // carrier-grade NAT
        (0x7f00_0000, 8),  // loopback
        (0xa9fe_0000, 16),  // link-local
        (0xac10_0000, 12),  // private
        (0xc000_0000, 24),  // protocol assignments
        (0xc000_0200, 24),  // documentation
        (0xc058_6300, 24),  // 6to4 relays
        (0xc0a8_0000, 16),  // private
        (0xc612_0000, 15),  // benchmarks
        (0xc633_6400, 24),  // documentation
        (0xcb00_7100, 24),  // documentation
        (0xe000_0000, 4),  // multicast
        (0xf000_0000, 4),  // reserved, broadcast
    ]
}
