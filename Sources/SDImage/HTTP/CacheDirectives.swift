/// Directives of a `Cache-Control` field, of a response or of a request (RFC 9111, section 5.2; RFC 5861; RFC 8246).
///
/// The first of repeated directives counts (RFC 9111, section 4.2.1). Unknown directives and junk are ignored.
/// Made from the text of a field; parsing never fails.
package struct CacheDirectives: Hashable, Sendable {
    /// Seconds, like all numbers here.
    package var maxAge: Int64?
    /// Only requests have it: seconds for which the response must remain fresh.
    package var minFresh: Int64?
    /// `CacheDirectives.longest` for `max-stale` without a number.
    /// Only requests have it: seconds of staleness that are acceptable.
    package var maxStale: Int64?
    /// Seconds after expiry in which the response may be used while it is revalidated (RFC 5861, section 3).
    package var staleWhileRevalidate: Int64?
    /// Seconds after expiry in which it may replace an error (RFC 5861, section 4).
    package var staleIfError: Int64?
    /// Without field names: revalidation before each use.
    package var noCache = false
    /// The response may not be stored.
    package var noStore = false
    /// A stale response may not be used without revalidation.
    package var mustRevalidate = false
    /// Limits `noStore` to caches that do not understand the status (RFC 9111, section 5.2.2.3).
    package var mustUnderstand = false
    /// The response does not change while it is fresh (RFC 8246).
    package var immutable = false
    /// Permits shared caches to store responses to requests with credentials.
    package var isPublic = false
    /// Set also by `private` with field names: the whole response is then private.
    package var isPrivate = false
    /// Lifetime for shared caches in seconds. This library is a private cache; the directive only shows that sharing
    /// is intended.
    package var sharedMaxAge: Int64?

    /// Upper limit of seconds; greater numbers count as this one (RFC 9111, section 1.2.2).
    package static let longest: Int64 = 1 << 31

    /// `field`: all values of the field, joined by commas.
    package init(_ field: [UInt8]) {
        let members = CacheDirectives.list(field)
        var seen: Set<String> = []
        // Most fields have one directive, of which no set is needed.
        for (name, value) in members where members.count == 1 || seen.insert(name).inserted { take(name, value) }
    }

    /// Sets the member of one directive. `value`: nil without "=".
    private mutating func take(_ name: String, _ value: [UInt8]?) {
        switch name {
        // A response with an invalid lifetime is stale (RFC 9111, section 4.2.1).
        case "max-age": maxAge = CacheDirectives.seconds(value) ?? 0
        case "min-fresh": minFresh = CacheDirectives.seconds(value)
        case "max-stale": maxStale = value == nil ? CacheDirectives.longest : CacheDirectives.seconds(value)
        case "stale-while-revalidate": staleWhileRevalidate = CacheDirectives.seconds(value)
        case "stale-if-error": staleIfError = CacheDirectives.seconds(value)
        // A value limits the directive to the named fields (section 5.2.2.4), and none of them are handed out.
        case "no-cache": noCache = value?.isEmpty ?? true
        case "no-store": noStore = true
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "immutable": immutable = true
        // Directives for shared caches.
        case "public": isPublic = true
        case "private": isPrivate = true
        case "s-maxage": sharedMaxAge = CacheDirectives.seconds(value)
        // `proxy-revalidate` and extensions.
        default: break
        }
    }

    /// Parses `delta-seconds`: digits only. Limits the value to `longest`.
    /// nil for anything else, including signs and fractions.
    package static func seconds(_ value: [UInt8]?) -> Int64? {
        guard let value, !value.isEmpty, value.allSatisfy(Byte.isDigit) else { return nil }
        return value.reduce(0) { min($0 * 10 + Int64($1 - Byte.zero), longest) }
    }

    /// Parses a list: names in lower case, quoted values without their quotes (RFC 9110, sections 5.6.1 and 5.6.4).
    /// Members without a name are dropped. `value` is nil without "=", and empty for "name=".
    /// Only the first "=" of a member separates its name from its value.
    static func list(_ field: [UInt8]) -> [(name: String, value: [UInt8]?)] {
        var members: [(String, [UInt8]?)] = []
        if field.isEmpty { return members }
        var name: [UInt8] = [], value: [UInt8]?
        var isQuoted = false, isEscaped = false
        // A local function, because a member ends both at commas and at the end of the field.
        func end() {
            let word = trimmed(name)
            if !word.isEmpty {
                members.append((String(decoding: word, as: UTF8.self), value.map(trimmed)))
            }
            name = []
            value = nil
        }
        for byte in field {
            if isQuoted {
                // A backslash in a quoted string makes the next character literal.
                if isEscaped || byte != Byte.quote && byte != Byte.backslash { value?.append(byte) }
                if byte == Byte.quote, !isEscaped { isQuoted = false }
                isEscaped = byte == Byte.backslash && !isEscaped
            } else if byte == Byte.comma {
                end()
            } else if byte == Byte.quote, value != nil {
                isQuoted = true
            } else if byte == Byte.equals, value == nil {
                value = []
            } else if value != nil {
                value?.append(byte)
            } else {
                name.append(Byte.lowercased(byte))
            }
        }
        end()
        return members
    }

    /// Without white space at both ends; the same array if there is none.
    private static func trimmed(_ word: [UInt8]) -> [UInt8] {
        guard let first = word.first, let last = word.last, Byte.isSpace(first) || Byte.isSpace(last) else { return word }
        return Array(word.drop(while: Byte.isSpace).reversed().drop(while: Byte.isSpace).reversed())
    }
}
