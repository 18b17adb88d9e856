/// What an HTTP answer said of itself, as kept with its picture: validators, and all that freshness is computed from.
package struct ResponseRecord: Hashable, Sendable {
    package var status: Int32 = 0
    package var entityTag: [UInt8] = []
    package var lastModified: [UInt8] = []
    package var cacheControl: [UInt8] = []
    package var date: [UInt8] = []
    package var age: [UInt8] = []
    /// nil where there is no such field: an empty one is a date that is over.
    package var expires: [UInt8]?
    package var vary: [UInt8] = []
    /// Of the values that the fields named by `vary` had in the request: they may be secrets, which do not belong on a disk.
    package var selection: MD5?
    /// Nanoseconds since 1970: when it was asked for, and when it came.
    package var requestTime: UInt64 = 0
    package var responseTime: UInt64 = 0

    package init() {}

    /// Whether anything is known at all.
    package var isEmpty: Bool { responseTime == 0 && entityTag.isEmpty && lastModified.isEmpty && cacheControl.isEmpty }

    /// Whether both are of the same bytes, as far as their validators tell.
    package func hasValidators(of other: ResponseRecord) -> Bool {
        entityTag == other.entityTag && lastModified == other.lastModified
    }

    /// Whether the answer may be kept beyond this process (RFC 9111, sections 3, 5.2.1.5, 5.2.2.3 and 5.2.2.5).
    package func mayBeStored(_ fields: [HeaderField]) -> Bool {
        // A part, asked for by the host: whoever finds it would take it for the whole.
        if fields.contains(where: { $0.name.lowercased() == "range" }) { return false }
        if CacheDirectives(fields.value(of: "cache-control")).noStore { return false }
        let directives = CacheDirectives(cacheControl)
        // With `must-understand`, `no-store` is for caches that do not know the status.
        return !directives.noStore || directives.mustUnderstand && [200, 206].contains(status)
    }

    // MARK: Shared caches (RFC 9111, sections 3 and 3.5)

    /// True for a response that never leaves the process and the disk of its user.
    package var isPrivate: Bool {
        let directives = CacheDirectives(cacheControl)
        return directives.isPrivate || directives.noStore
    }

    /// Marks the response as private where its request, or `Vary`, makes it so. The mark is the directive itself, in front
    /// of the others: an unfinished quoted string cannot swallow it.
    package mutating func restrict(hasAuthorization: Bool, hasCookies: Bool) {
        guard !isPrivate else { return }
        let directives = CacheDirectives(cacheControl)
        let isForAuthorized = directives.isPublic || directives.sharedMaxAge != nil || directives.mustRevalidate
        let variesBySecret = CacheDirectives.list(vary).contains {
            ["authorization", "proxy-authorization", "cookie"].contains($0.name)
        }
        guard hasAuthorization && !isForAuthorized || hasCookies && !directives.isPublic || variesBySecret else { return }
        cacheControl = Array((cacheControl.isEmpty ? "private" : "private, ").utf8) + cacheControl
    }

    // MARK: Conditions

    /// The fields that ask whether the picture has changed (RFC 9111, section 4.3.1); empty where nothing is known to ask by.
    /// For a request that selects another representation only the tag says which one is meant.
    package func conditions(selectsSame: Bool) -> [HeaderField] {
        var fields: [HeaderField] = []
        if let tag = ResponseRecord.text(entityTag) { fields.append(HeaderField(name: "If-None-Match", value: tag)) }
        if selectsSame, let date = ResponseRecord.text(lastModified) {
            fields.append(HeaderField(name: "If-Modified-Since", value: date))
        }
        return fields
    }

    /// nil for what could not be sent back as it came.
    private static func text(_ value: [UInt8]) -> String? {
        guard !value.isEmpty, value.count <= 1024, !value.contains(where: Byte.isControl) else { return nil }
        return String(validating: value, as: UTF8.self)
    }

    /// The record after an answer "not modified", or nil where that speaks of another representation (RFC 9111, sections 3.2
    /// and 4.3.4).
    package func renewed(by answer: ResponseRecord) -> ResponseRecord? {
        let isStrong = !answer.entityTag.isEmpty && !answer.entityTag.starts(with: Array("W/".utf8))
        if isStrong, answer.entityTag != entityTag { return nil }
        var record = answer
        record.status = status
        if answer.entityTag.isEmpty { record.entityTag = entityTag }
        if answer.lastModified.isEmpty { record.lastModified = lastModified }
        if answer.cacheControl.isEmpty { record.cacheControl = cacheControl }
        record.expires = answer.expires ?? expires
        if answer.vary.isEmpty {
            record.vary = vary
            record.selection = selection
        }
        return record
    }

    // MARK: Selection (RFC 9111, section 4.1)

    /// Remembers what the request said in the fields that the answer depends on.
    package mutating func select(by fields: [HeaderField]) { selection = selection(of: fields) }

    /// Whether a request with these fields would be given the same representation.
    package func isSelected(by fields: [HeaderField]) -> Bool {
        if vary.isEmpty { return true }
        guard let selection else { return false }
        return selection == self.selection(of: fields)
    }

    /// nil where no two requests are known to be alike.
    private func selection(of fields: [HeaderField]) -> MD5? {
        let names = CacheDirectives.list(vary).map(\.name)
        guard !names.isEmpty, !names.contains("*") else { return nil }
        var text: [UInt8] = []
        for name in Set(names).sorted() {
            text += Array(name.utf8) + [Byte.colon] + ResponseRecord.normalized(fields.value(of: name)) + [Byte.newline]
        }
        return MD5(of: text)
    }

    /// White space around commas, and its amount, do not matter.
    private static func normalized(_ value: [UInt8]) -> [UInt8] {
        let members = value.split(separator: Byte.comma, omittingEmptySubsequences: false)
        let words = members.map { $0.split(whereSeparator: Byte.isSpace).joined(separator: [Byte.space]) }
        return Array(words.joined(separator: [Byte.comma]))
    }
}

extension [HeaderField] {
    /// All values of a field, as one list; `name` in lower case.
    package func value(of name: String) -> [UInt8] {
        Array<UInt8>(filter { $0.name.lowercased() == name }.map { Array<UInt8>($0.value.utf8) }.joined(separator: [Byte.comma]))
    }
}
