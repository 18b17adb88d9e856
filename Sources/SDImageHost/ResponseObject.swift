import SDImage

/// A response as the host's hooks change it: the value, and the texts lent from it.
package final class ResponseObject: @unchecked Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    // Unchecked: single-owner; the hook owns it until it completes its reply.
    package var value: DownloadResponse
    private var lent = LentTexts()

    package init(_ value: DownloadResponse) { self.value = value }

    /// The value of a field, whose name is case-insensitive; lent until it changes.
    package func header(_ name: String) -> CString? {
        let name = name.lowercased()
        return lent.text(name, value.headers.first { $0.name.lowercased() == name }?.value)
    }

    /// Name and value of a field; nil after the last.
    package func header(at index: Int) -> (name: CString, value: CString)? {
        guard value.headers.indices.contains(index), let name = lent.text(":name \(index)", value.headers[index].name),
            let text = lent.text(":value \(index)", value.headers[index].value)
        else { return nil }
        return (name, text)
    }
}
