import SDImage

/// A small JSON value, written in UTF-8 (RFC 8259). Supports only what the library reports; there is no parser. `Report` makes it
/// for the C functions that return JSON.
package indirect enum JSONText {
    case string(String)
    case integer(Int)
    case number(Double)
    case bool(Bool)
    case null
    case array([JSONText])
    /// Members in this order; names must be unique.
    case object([(String, JSONText)])

    /// The text as bytes that can be lent to C.
    package func bytes() throws(ImageError) -> Bytes { try Bytes.copying(Array(text.utf8)) }

    package var text: String {
        switch self {
        case .string(let value): JSONText.quoted(value)
        case .integer(let value): String(value)
        // JSON has no infinity and no NaN (RFC 8259, section 6).
        case .number(let value): value.isFinite ? String(value) : "null"
        case .bool(let value): value ? "true" : "false"
        case .null: "null"
        case .array(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { JSONText.quoted($0) + ": " + $1.text }.joined(separator: ", ") + "}"
        }
    }

    /// The value as a JSON string, with its quotation marks (RFC 8259, section 7).
    private static func quoted(_ value: String) -> String {
        var result = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            // Escapes the upper control characters too: a terminal may obey them.
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
