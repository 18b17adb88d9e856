import SDImage

/// The header fields of one request: the loader's own and the caller's, checked and merged.
/// Used by `CurlLoader` on the calling thread and by hops on the transfer thread.
enum RequestHead {
    /// Merges the fields; the request replaces and omits fields of `defaults`.
    static func merge(_ defaults: [HeaderField], _ request: ImageRequest) -> [HeaderField] {
        let (own, omitted) = (request.headers, request.omittedHeaders)
        if own.isEmpty { return without(omitted, defaults) }
        return without(omitted, defaults.filter { field in !own.contains { $0.isNamed(field.name) } }) + own
    }

    /// Fields without those named in `omitted`, in their order.
    static func without(_ omitted: [String], _ fields: [HeaderField]) -> [HeaderField] {
        omitted.isEmpty ? fields : fields.filter { field in !omitted.contains { field.isNamed($0) } }
    }

    /// The fields of the loader for this URL. A field takes precedence over the bearer token, and so does a user in the URL.
    /// `url` is evaluated only if there is a token.
    static func defaults(_ fields: LoaderFields, _ bearerToken: String?, _ url: @autoclosure () -> URLText) -> [HeaderField] {
        let fields = fields.all
        guard let token = bearerToken, url().userInfo == nil,
            !fields.contains(where: { $0.isNamed("Authorization") })
        else { return fields }
        return fields + [HeaderField(name: "Authorization", value: "Bearer " + token)]
    }

    /// Validates the method, header fields and body together.
    /// Throws `invalidRequest`.
    static func validate(_ request: ImageRequest) throws(ImageError) {
        if request.hasPlainTransfer { return }
        try validate(request.headers)
        // Names of omitted fields become lines for libcurl, too.
        try validate(request.omittedHeaders.map { HeaderField(name: $0, value: "") })
        if request.omittedHeaders.contains(where: { $0.lowercased() == "host" }) {
            throw ImageError(.invalidRequest, "request: header field Host is required")
        }
        guard !request.isGet || request.body == nil else {
            throw ImageError(.invalidRequest, "request: GET request has a body")
        }
        if request.isGet { return }
        guard !request.method.isEmpty, request.method.utf8.allSatisfy(isTokenCharacter) else {
            throw ImageError(.invalidRequest, "request: method is not a token")
        }
        // These methods do not request a representation of the URL.
        guard !["CONNECT", "TRACE"].contains(request.method.uppercased()) else {
            throw ImageError(.invalidRequest, "request: method \(request.method) does not load images")
        }
        if request.method == "HEAD" { throw ImageError(.invalidRequest, "request: method HEAD returns no image") }
    }

    /// Refuses fields that could end their line or change where the message ends (RFC 9110, section 5; RFC 9112, section 6).
    static func validate(_ fields: [HeaderField]) throws(ImageError) {
        for field in fields {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(isTokenCharacter) else {
                throw ImageError(.invalidRequest, "request: header field name is not a token")
            }
            guard field.value.utf8.allSatisfy({ !Byte.isControl($0) || $0 == Byte.tab }) else {
                throw ImageError(.invalidRequest, "request: header field \(field.name) contains a control character")
            }
            // A wrong length would let a body pass for the next request.
            guard !["content-length", "transfer-encoding"].contains(field.name.lowercased()) else {
                throw ImageError(.invalidRequest, "request: header field \(field.name) is set by the transport")
            }
        }
    }

    /// One line in the syntax of libcurl. An empty value needs its own form; otherwise libcurl omits the field.
    static func line(_ field: HeaderField) -> String {
        field.value.trimmedASCII.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
    }

    /// `tchar` of RFC 9110, section 5.6.2.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 33, 35, 36, 37, 38, 39, 42, 43, 45, 46, 94, 95, 96, 124, 126: true
        default: Byte.isLetter(byte) || Byte.isDigit(byte)
        }
    }
}
