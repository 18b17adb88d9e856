import SDImage

/// A response as the host's hooks change it: the value, and the texts lent from it.
package final class ResponseObject: @unchecked Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    // Unchecked: single-owner; the hook owns it until it completes its reply.
    package var value: DownloadResponse
    private var lent: [String: CString] = [:]

    package init(_ value: DownloadResponse) { self.value = value }

    package func header(_ name: String) -> CString? {
        guard let field = value.headers.first(where: { $0.name.lowercased() == name.lowercased() }) else { return nil }
        let text = CString(field.value)
        lent[field.name.lowercased()] = text
        return text
    }
}
