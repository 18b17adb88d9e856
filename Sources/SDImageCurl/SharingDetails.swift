import SDImage

/// Unambiguous encoding of a list of numbers and texts: different lists give different bytes.
/// Part of `SharingKey` and of keys of remembered failures.
struct SharingDetails {
    private(set) var bytes: [UInt8] = []

    init(_ numbers: [UInt64]) {
        for number in numbers { append(number) }
    }

    /// The options that change the bytes of a response, besides the URL. `changes`: the number of changes of the loader's
    /// header fields.
    init(of request: ImageRequest, _ changes: UInt64, loader: UInt64) {
        self.init([
            loader, changes, UInt64(clamping: request.maxBodyBytes), UInt64(request.timeoutMilliseconds),
            request.maxRetries.map { UInt64($0) + 1 } ?? 0, request.handlesCookies ? 1 : 0,
            request.acceptsInvalidCertificates ? 1 : 0, UInt64(request.omittedHeaders.count),
        ])
        // An absent hook has no bytes; the length before them keeps the encoding unambiguous.
        append(request.hooks?.sharingKey ?? [])
        // Values are case-sensitive, names are not.
        for field in request.headers {
            append(field.name.utf8.map(Byte.lowercased))
            append(Array(field.value.utf8))
        }
        for name in request.omittedHeaders { append(name.utf8.map(Byte.lowercased)) }
        // Conditions of the host may reach all URLs of a chain of redirects, those of the cache reach one. Unambiguous: this is the
        // only text after the names, whose number is known.
        switch request.conditionTarget {
        case .unknown: break
        case .requested: append([])
        case .redirected(let location): append(Array(location.hexadecimal.utf8))
        }
    }

    /// Appends a number in groups of seven bits, the lowest first; all but the last are marked by the eighth bit (LEB128).
    mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends the text, preceded by its length.
    mutating func append(_ text: [UInt8]) {
        append(UInt64(text.count))
        bytes += text
    }
}
