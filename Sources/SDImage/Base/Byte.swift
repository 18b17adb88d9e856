/// ASCII characters by name, and the character classes of RFC 3986.
/// Parsers compare bytes instead of Swift characters: their input is untrusted and need not be UTF-8.
package enum Byte {
    package static let tab: UInt8 = 9
    package static let newline: UInt8 = 10
    package static let carriageReturn: UInt8 = 13
    package static let space: UInt8 = 32
    package static let quote: UInt8 = 34
    package static let hash: UInt8 = 35
    package static let percent: UInt8 = 37
    package static let ampersand: UInt8 = 38
    package static let plus: UInt8 = 43
    package static let comma: UInt8 = 44
    package static let hyphen: UInt8 = 45
    package static let dot: UInt8 = 46
    package static let slash: UInt8 = 47
    package static let zero: UInt8 = 48
    package static let colon: UInt8 = 58
    package static let semicolon: UInt8 = 59
    package static let equals: UInt8 = 61
    package static let question: UInt8 = 63
    package static let at: UInt8 = 64
    package static let leftBracket: UInt8 = 91
    package static let backslash: UInt8 = 92
    package static let rightBracket: UInt8 = 93
    package static let underscore: UInt8 = 95
    package static let tilde: UInt8 = 126
    package static let delete: UInt8 = 127

    package static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }

    package static func isLetter(_ byte: UInt8) -> Bool { (byte | 32) >= 97 && (byte | 32) <= 122 }

    /// True for the characters of ASCII other than spaces and controls.
    package static func isVisible(_ byte: UInt8) -> Bool { byte > space && byte < delete }

    package static func isControl(_ byte: UInt8) -> Bool { byte < 32 || byte == delete }

    /// Space, tab and the line ends (bytes 9 to 13).
    package static func isSpace(_ byte: UInt8) -> Bool { byte == space || byte >= tab && byte <= carriageReturn }

    /// Changes letters of ASCII only, independent of the locale.
    package static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte | 32 : byte }

    /// The value of a hexadecimal digit.
    package static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte - 48 }
        let lower = byte | 32
        return lower >= 97 && lower <= 102 ? lower - 87 : nil
    }

    /// RFC 3986, section 2.3.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == hyphen || byte == dot || byte == underscore || byte == tilde
    }

    /// RFC 3986, section 2.2.
    package static func isSubDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 33, 36, 38, 39, 40, 41, 42, plus, comma, semicolon, equals: true  // ! $ & ' ( ) *
        default: false
        }
    }

    /// `pchar` or "/", without the percent sign: characters that a path contains unescaped.
    /// RFC 3986, section 3.3.
    package static func isPathCharacter(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || isSubDelimiter(byte) || byte == colon || byte == at || byte == slash
    }
}
