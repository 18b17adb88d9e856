import SDImage

/// Status and header fields of one response, parsed line by line as they arrive.
/// Part of each `Hop`. Fields follow RFC 9110, the message syntax RFC 9112, as far as libcurl passes it on.
struct ResponseHead {
    /// Limit in bytes for all heads of one transfer together, including interim responses and redirects.
    static let longest = 300 << 10
    /// Bytes that hold most heads.
    private static let usual = 512

    /// 0 before the status line.
    private(set) var status: Int32 = 0
    /// Media type of `Content-Type`, without parameters, in lower case.
    private(set) var mediaType = ""
    /// First value of `Location`, unchanged.
    private(set) var location: [UInt8]?
    /// Validators and freshness.
    private(set) var record = ResponseRecord()
    var entityTag: [UInt8] { record.entityTag }
    var lastModified: [UInt8] { record.lastModified }
    /// True for a body in a content coding.
    var isEncoded: Bool { !contentCoding.isEmpty }
    /// True for a body in any coding, including `chunked`.
    var hasCodings: Bool { isEncoded || !transferCoding.isEmpty }
    /// The members of Content-Encoding and Transfer-Encoding, each in its order, lower case.
    var contentCodings: [String] { ResponseHead.members(contentCoding) }
    var transferCodings: [String] { ResponseHead.members(transferCoding) }
    private var contentCoding: [UInt8] = []
    private var transferCoding: [UInt8] = []
    /// True if the response has a `Set-Cookie` field.
    private(set) var setsCookies = false
    /// Fields that the transfer itself evaluates.
    private(set) var transport = TransportFields()
    /// All fields in their order, if hooks need them.
    private(set) var fields: [HeaderField] = []
    /// Set before the first line.
    var keepsFields = false
    /// True after the head; later fields are trailers and change nothing (RFC 9110, section 6.5.1).
    private(set) var isComplete = false
    /// True after the head of a response that no other one follows. After three statuses, libcurl may repeat the request: with
    /// credentials, or without the field Expect.
    private var isFinal: Bool { isComplete && status >= 200 && ![401, 407, 417].contains(status) }
    /// The field lines as received.
    /// Without the status line, one for each field, for `ReceivedHead`.
    private(set) var lines: [UInt8] = []

    init() {}

    init(keepsFields: Bool) { self.keepsFields = keepsFields }

    /// Parses a response that a hook returned, as if a server had sent it.
    init(_ response: DownloadResponse) {
        keepsFields = true
        for line in ResponseHead.lines(response) {
            let span = line.span
            unsafe span.withUnsafeBytes { line in unsafe _ = take(line) }
        }
    }

    /// The lines of a response as a server would send them; the last line is empty.
    static func lines(_ response: DownloadResponse) -> [[UInt8]] {
        let lines = ["HTTP/1.1 \(response.status)"] + response.headers.map { "\($0.name): \($0.value)" } + [""]
        return lines.map { Array($0.utf8) }
    }

    /// Parses one line including its line end. True for the empty line that ends the head.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        // Lines end with CRLF or LF; surrounding white space is not part of the value.
        let text = unsafe ResponseHead.trimmed(line[...])
        // A second empty line would end the trailers, which do not matter.
        if unsafe text.isEmpty {
            defer { isComplete = true }
            return !isComplete
        }
        // A status line begins another response: the final one replaces interim ones. After the final one, it is a trailer.
        if !isFinal, unsafe text.starts(with: ResponseHead.statusLine) {
            // After an interim response.
            if status != 0 || isComplete || !lines.isEmpty { self = ResponseHead(keepsFields: keepsFields) }
            lines.reserveCapacity(ResponseHead.usual)
            status = unsafe ResponseHead.status(in: text)
            record.status = status
        } else if !isComplete, let colon = unsafe text.firstIndex(of: Byte.colon) {
            unsafe lines.append(contentsOf: text)
            lines.append(Byte.newline)
            unsafe takeField(text[..<colon], ResponseHead.trimmed(text[(colon + 1)...]))
        }
        return false
    }

    /// Fields without a meaning here are kept in `lines`, and in `fields` for hooks.
    private mutating func takeField(_ name: Slice<UnsafeRawBufferPointer>, _ value: Slice<UnsafeRawBufferPointer>) {
        unsafe transport.take(name, value)
        if keepsFields {
            unsafe fields.append(
                HeaderField(name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self)))
        }
        if unsafe ResponseHead.equals(name, "content-type") {
            let type = unsafe value.prefix { $0 != Byte.semicolon && !Byte.isSpace($0) }.map(Byte.lowercased)
            mediaType = String(decoding: type, as: UTF8.self)
        } else if unsafe ResponseHead.equals(name, "content-encoding") {
            unsafe ResponseHead.append(value, to: &contentCoding)
        } else if unsafe ResponseHead.equals(name, "transfer-encoding") {
            unsafe ResponseHead.append(value, to: &transferCoding)
        } else if unsafe ResponseHead.equals(name, "set-cookie") {
            setsCookies = true
        } else if unsafe ResponseHead.equals(name, "location") {
            location = unsafe location ?? Array(value)
        } else if unsafe ResponseHead.equals(name, "etag") {
            record.entityTag = unsafe Array(value)
        } else if unsafe ResponseHead.equals(name, "last-modified") {
            record.lastModified = unsafe Array(value)
        } else if unsafe ResponseHead.equals(name, "cache-control") {
            unsafe ResponseHead.append(value, to: &record.cacheControl)
        } else if unsafe ResponseHead.equals(name, "vary") {
            unsafe ResponseHead.append(value, to: &record.vary)
        } else if unsafe ResponseHead.equals(name, "date") {
            record.date = unsafe Array(value)
        } else if unsafe ResponseHead.equals(name, "age") {
            // The first of several Age fields counts (RFC 9111, sections 4.2.1 and 5.1).
            if record.age.isEmpty { record.age = unsafe Array(value) }
        } else if unsafe ResponseHead.equals(name, "expires") {
            record.expires = unsafe record.expires ?? Array(value)
        }
    }

    /// Members of a comma-separated list (RFC 9110, section 5.6.1), in lower case.
    private static func members(_ list: [UInt8]) -> [String] {
        list.split(separator: Byte.comma).map { String(decoding: $0.map(Byte.lowercased), as: UTF8.self).trimmedASCII }
            .filter { !$0.isEmpty }
    }

    /// Appends to a list field, whose members may be spread over several lines.
    private static func append(_ value: Slice<UnsafeRawBufferPointer>, to list: inout [UInt8]) {
        if !list.isEmpty { list += [Byte.comma, Byte.space] }
        unsafe list += Array(value)
    }

    /// Compares without case; `expected` is in lower case.
    @inline(__always)
    static func equals(_ name: Slice<UnsafeRawBufferPointer>, _ expected: StaticString) -> Bool {
        unsafe name.count == expected.utf8CodeUnitCount && hasLetters(name, expected)
    }

    /// The same for two texts of one length.
    private static func hasLetters(_ name: Slice<UnsafeRawBufferPointer>, _ expected: StaticString) -> Bool {
        let name = unsafe UnsafeRawBufferPointer(rebasing: name)
        for index in 0..<expected.utf8CodeUnitCount {
            if unsafe Byte.lowercased(name[index]) != expected.utf8Start[index] { return false }
        }
        return true
    }

    private static let statusLine = Array("HTTP/".utf8)

    /// The number after the first space.
    private static func status(in line: Slice<UnsafeRawBufferPointer>) -> Int32 {
        unsafe line.drop { $0 != Byte.space }.dropFirst().prefix(3).reduce(0) { sum, byte in
            Byte.isDigit(byte) ? sum * 10 + Int32(byte - Byte.zero) : 0
        }
    }

    /// Without control characters and spaces at both ends.
    private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var start = unsafe text.startIndex, end = unsafe text.endIndex
        while end > start, unsafe text[end - 1] <= Byte.space { end -= 1 }
        while start < end, unsafe text[start] <= Byte.space { start += 1 }
        return unsafe text[start..<end]
    }
}
