import Glibc
import SDImage

/// Network in CIDR notation with an optional port: `10.0.0.0/8`, `10.1.2.3:9000`, `fd00::/8`, `[fd00::]/8:9000`, `[::1]:9000`.
/// Made by the C interface from the text of a program, and used by `AddressRules` as an exception.
package struct AddressRange: Sendable {
    /// 4 or 16 bytes; bits after the prefix are zero. An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) is stored as IPv4.
    private let network: [UInt8]
    /// Length of the prefix, relative to the stored form of the address.
    private let bits: Int
    /// nil = every port.
    private let port: UInt16?
    /// The range as the caller wrote it.
    package let text: CString

    /// Bytes of the longest accepted text; the longest valid one is shorter.
    private static let longest = 64

    /// Throws `invalidArgument` for any other text. Bits set after the prefix are refused too: they are probably a mistake.
    package init(_ text: String) throws(ImageError) {
        let invalid = ImageError(.invalidArgument, "downloader: invalid address range, expected ADDRESS[/BITS][:PORT]")
        guard text.utf8.count <= AddressRange.longest, let parts = AddressRange.split(Array(text.utf8)),
            let address = AddressRules.address(text: String(decoding: parts.address, as: UTF8.self))
        else { throw invalid }
        // An address alone stands for itself: all of its bits are the prefix.
        let full = address.count * 8
        guard (address.count == 16) == parts.isSix,
            let bits = parts.bits.map({ AddressRange.number($0, most: full) }) ?? full
        else { throw invalid }
        if let digits = parts.port {
            guard let port = AddressRange.number(digits, most: 65535), port > 0 else { throw invalid }
            self.port = UInt16(clamping: port)
        } else {
            port = nil
        }
        // Compared in the written form, before a mapped address is shortened.
        guard AddressRange.masked(address, bits) == address else {
            throw ImageError(.invalidArgument, "downloader: address range has bits set after its prefix")
        }
        // A mapped network with a prefix of at least 96 bits is one of IPv4.
        if let inner = AddressRules.inner(address), bits >= 96 {
            (network, self.bits) = (inner, bits - 96)
        } else {
            (network, self.bits) = (address, bits)
        }
        self.text = CString(text)
    }

    /// `address` has 4 or 16 bytes.
    /// False if the families differ, except that a mapped address counts as IPv4.
    func contains(_ address: [UInt8], port: UInt16) -> Bool {
        let address = AddressRules.inner(address) ?? address
        guard address.count == network.count, self.port == nil || self.port == port else { return false }
        return AddressRange.masked(address, bits) == network
    }

    private typealias Word = ArraySlice<UInt8>

    /// The parts of the text, none of them validated; nil if the punctuation is wrong.
    private static func split(_ text: [UInt8]) -> (address: Word, isSix: Bool, bits: Word?, port: Word?)? {
        var address = text[...], rest = text[text.endIndex...]
        let isBracketed = text.first == Byte.leftBracket
        // Two colons occur in every IPv6 address, and at most one in an IPv4 address with a port.
        let isSix = isBracketed || text.filter { $0 == Byte.colon }.count > 1
        if isBracketed {
            guard let end = text.firstIndex(of: Byte.rightBracket) else { return nil }
            (address, rest) = (text[1..<end], text[(end + 1)...])
        } else if let end = text.firstIndex(where: { $0 == Byte.slash || $0 == Byte.colon && !isSix }) {
            (address, rest) = (text[..<end], text[end...])
        }
        var bits: Word?
        if rest.first == Byte.slash {
            let digits = rest.dropFirst().prefix { $0 != Byte.colon }
            bits = digits
            rest = rest[digits.endIndex...]
        }
        guard !rest.isEmpty else { return (address, isSix, bits, nil) }
        // Without brackets a port cannot be distinguished from a group of an IPv6 address.
        guard rest.first == Byte.colon, isBracketed || !isSix else { return nil }
        return (address, isSix, bits, rest.dropFirst())
    }

    /// A decimal number without leading zeros; nil above `most`.
    private static func number(_ digits: Word, most: Int) -> Int? {
        guard 1...5 ~= digits.count, digits.allSatisfy(Byte.isDigit), digits.count == 1 || digits.first != Byte.zero else {
            return nil
        }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - Byte.zero) }
        return number <= most ? number : nil
    }

    /// The address with all bits after the prefix cleared.
    private static func masked(_ address: [UInt8], _ bits: Int) -> [UInt8] {
        address.enumerated().map { index, byte in
            let prefixBits = min(max(bits - index * 8, 0), 8)
            return byte & ~UInt8(truncatingIfNeeded: 0xff >> prefixBits)
        }
    }
}
