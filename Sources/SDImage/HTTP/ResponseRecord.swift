/// Metadata of an HTTP response, stored with its image: validators, and all fields from which freshness is computed.
/// Made by the HTTP engine, kept in memory beside the image, and encoded for the disk. Fields are kept as received, unless they are
/// too long (`limitFields`).
package struct ResponseRecord: Hashable, Sendable {
    /// 0 for records without a stored status.
    package var status: Int32 = 0
    /// `ETag`, with quotes and prefix (RFC 9110, section 8.8.3).
    package var entityTag: [UInt8] = []
    /// `Last-Modified`.
    package var lastModified: [UInt8] = []
    /// `Cache-Control`, all values joined.
    package var cacheControl: [UInt8] = []
    /// `Date`.
    package var date: [UInt8] = []
    /// `Age`.
    package var age: [UInt8] = []
    /// nil without such a field: an empty value is a date in the past.
    package var expires: [UInt8]?
    /// `Vary`, all values joined.
    package var vary: [UInt8] = []
    /// Digest of the request's values of the fields named by `vary`: they may be secrets, which do not belong on a disk.
    package var selection: MD5?
    /// Digest of the URL that sent the response, without signature; nil if it is that of the request. The validators belong to it.
    package var location: MD5?
    /// Times of request and response, in nanoseconds since 1970.
    package var requestTime: UInt64 = 0
    package var responseTime: UInt64 = 0
    /// True if the response or its request forbids a store beyond this process. Not encoded: such a record is in memory only.
    package var isForMemoryOnly = false

    package init() {}

    /// True if nothing is known.
    /// Such a record is not stored.
    package var isEmpty: Bool { responseTime == 0 && entityTag.isEmpty && lastModified.isEmpty && cacheControl.isEmpty }

    /// True if both have the same validators of the same URL, and thus the same body as far as those can tell.
    package func hasSameValidators(as other: ResponseRecord) -> Bool {
        entityTag == other.entityTag && lastModified == other.lastModified && location == other.location
    }

    /// True if both describe the same body: by their validators, or without any by the time of the response.
    package func isSameResponse(as other: ResponseRecord) -> Bool {
        let hasValidators = !entityTag.isEmpty || !lastModified.isEmpty
        return hasSameValidators(as: other) && (hasValidators || responseTime == other.responseTime)
    }

    /// True if the response may be stored beyond this process (RFC 9111, sections 3, 5.2.1.5, 5.2.2.3 and 5.2.2.5).
    /// `fields`: those of the request as sent.
    package func mayBeStored(_ fields: [HeaderField]) -> Bool {
        // A partial response, requested by the host: a later load would take it for the complete one.
        if fields.contains(where: { $0.isNamed("Range") }) { return false }
        if CacheDirectives(fields.value(of: "cache-control")).noStore { return false }
        return !isStoreForbidden(by: CacheDirectives(cacheControl))
    }

    /// True for `no-store`. Beside `must-understand` it applies only to caches that do not know the status.
    func isStoreForbidden(by directives: CacheDirectives) -> Bool {
        directives.noStore && !(directives.mustUnderstand && [200, 206].contains(status))
    }

    // MARK: Shared caches (RFC 9111, sections 3 and 3.5)

    /// True for a response that never leaves the process and the disk of its user.
    package var isPrivate: Bool {
        let directives = CacheDirectives(cacheControl)
        return directives.isPrivate || directives.noStore
    }

    /// Marks the response as private if its request, or `Vary`, requires it. The mark is the directive itself, placed before the
    /// others: an unterminated quoted string cannot swallow it.
    /// By RFC 9111, section 3.5, only `public`, `s-maxage` and `must-revalidate` permit shared caches to store responses
    /// to authorized requests.
    package mutating func restrict(hasAuthorization: Bool, hasCookies: Bool) {
        // Most requests and responses have none of these.
        guard hasAuthorization || hasCookies || !vary.isEmpty else { return }
        let directives = CacheDirectives(cacheControl)
        // Already restricted.
        if directives.isPrivate || directives.noStore { return }
        let isForAuthorized = directives.isPublic || directives.sharedMaxAge != nil || directives.mustRevalidate
        let variesBySecret = CacheDirectives.list(vary).contains {
            ["authorization", "proxy-authorization", "cookie"].contains($0.name)
        }
        // Cookies are not covered by the RFC, but mostly identify a user.
        guard hasAuthorization && !isForAuthorized || hasCookies && !directives.isPublic || variesBySecret else { return }
        cacheControl = Array((cacheControl.isEmpty ? "private" : "private, ").utf8) + cacheControl
    }

    // MARK: Conditions

    /// The fields of a conditional request (RFC 9111, section 4.3.1); empty without a usable validator. For a request that
    /// selects another representation, only the entity tag identifies the stored one.
    /// A weak entity tag is sent, too: `If-None-Match` uses weak comparison (RFC 9110, section 13.1.2).
    package func conditions(selectsSame: Bool) -> [HeaderField] {
        var fields: [HeaderField] = []
        if let tag = ResponseRecord.text(entityTag) { fields.append(HeaderField(name: "If-None-Match", value: tag)) }
        if selectsSame, let date = ResponseRecord.text(lastModified) {
            fields.append(HeaderField(name: "If-Modified-Since", value: date))
        }
        return fields
    }

    /// nil for a value that cannot be sent back unchanged.
    /// A control character could split the field.
    private static func text(_ value: [UInt8]) -> String? {
        guard !value.isEmpty, value.count <= 1024, !value.contains(where: Byte.isControl) else { return nil }
        return String(validating: value, as: UTF8.self)
    }

    /// The record updated by a 304 response, or nil if that refers to another representation (RFC 9111, sections 3.2 and 4.3.4).
    /// Fields that the 304 response omits keep their stored values, except `Date` and `Age`.
    package func updated(by newer: ResponseRecord) -> ResponseRecord? {
        // A weak tag may differ although the representation is equivalent.
        let isStrong = !newer.entityTag.isEmpty && !newer.entityTag.starts(with: Array("W/".utf8))
        if isStrong, newer.entityTag != entityTag { return nil }
        var record = newer
        // The status 304 describes the exchange, not the stored response.
        record.status = status
        if newer.entityTag.isEmpty { record.entityTag = entityTag }
        if newer.lastModified.isEmpty { record.lastModified = lastModified }
        if newer.cacheControl.isEmpty { record.cacheControl = cacheControl }
        record.expires = newer.expires ?? expires
        if newer.vary.isEmpty {
            record.vary = vary
            record.selection = selection
        }
        return record
    }

    // MARK: Selection (RFC 9111, section 4.1)

    /// Stores a digest of the request fields that the response depends on.
    /// Called when the response is received. Has no effect on records without Vary.
    package mutating func select(by fields: [HeaderField]) { selection = selection(of: fields) }

    /// True if a request with these fields selects the same representation.
    /// False if the stored response depends on fields that cannot be compared.
    package func isSelected(by fields: [HeaderField]) -> Bool {
        if vary.isEmpty { return true }
        guard let selection else { return false }
        return selection == self.selection(of: fields)
    }

    /// nil if no two requests can be known to select the same representation.
    private func selection(of fields: [HeaderField]) -> MD5? {
        let names = CacheDirectives.list(vary).map(\.name)
        // `*` selects by properties outside the request.
        guard !names.isEmpty, !names.contains("*") else { return nil }
        var text: [UInt8] = []
        // In alphabetical order and once each: their order in Vary has no meaning.
        for name in Set(names).sorted() {
            text += Array(name.utf8) + [Byte.colon] + ResponseRecord.normalized(fields.value(of: name)) + [Byte.newline]
        }
        return MD5(of: text)
    }

    /// Removes differences without meaning: white space around commas, and the amount of white space.
    /// RFC 9111, section 4.1, permits normalization of white space.
    private static func normalized(_ value: [UInt8]) -> [UInt8] {
        let members = value.split(separator: Byte.comma, omittingEmptySubsequences: false)
        let words = members.map { $0.split(whereSeparator: Byte.isSpace).joined(separator: [Byte.space]) }
        return Array(words.joined(separator: [Byte.comma]))
    }
}

extension [HeaderField] {
    /// All values of a field, joined to one list.
    package func value(of name: String) -> [UInt8] {
        Array<UInt8>(filter { $0.isNamed(name) }.map { Array<UInt8>($0.value.utf8) }.joined(separator: [Byte.comma]))
    }
}
