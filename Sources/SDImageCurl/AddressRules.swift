import Glibc
import SDImage

/// Whether an address belongs to the public Internet (reliability: "addresses"; RFC 6890).
enum AddressRules {
    static func isPublic(_ address: UnsafePointer<sockaddr>) -> Bool {
        switch Int32(unsafe address.pointee.sa_family) {
        case AF_INET:
            return unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                unsafe isPublic(v4: UInt32(bigEndian: pointer.pointee.sin_addr.s_addr))
            }
        case AF_INET6:
            return unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                let parts = unsafe withUnsafeBytes(of: pointer.pointee.sin6_addr) { unsafe Array($0) }
                return isPublic(v6: parts)
            }
        default: return false
        }
    }

    /// An address in text, as libcurl reports that of a connection.
    static func isPublic(text: UnsafePointer<CChar>) -> Bool {
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 { return isPublic(v4: UInt32(bigEndian: four.s_addr)) }
        var six = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &six) == 1 else { return false }
        return isPublic(v6: unsafe withUnsafeBytes(of: six) { unsafe Array($0) })
    }

    static func isPublic(v4 address: UInt32) -> Bool {
        !forbidden4.contains { address >> (32 - $0.bits) == $0.prefix >> (32 - $0.bits) }
    }

    static func isPublic(v6 bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else { return false }
        let first = UInt32(bytes[0]) << 8 | UInt32(bytes[1])
        // Mapped, compatible, translated, loopback and unspecified ones all begin with zeros; NAT64 (RFC 6052, 8215) and
        // 6to4 (RFC 3056) carry an IPv4 address inside: none of them is needed to reach a public server.
        if first == 0 || first == 0x0064 || first == 0x2002 { return false }
        if first == 0x2001, bytes[2] < 2 { return false }  // 2001::/23: Teredo, benchmarks, ORCHID
        if first == 0x2001, bytes[2] == 0x0d, bytes[3] == 0xb8 { return false }  // documentation
        return first & 0xe000 == 0x2000  // global unicast is 2000::/3
    }

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
