import SDImage

/// A request as C builds it up (`sdimage_request`): the value, and the texts lent from it.
package final class RequestObject: @unchecked Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .unreleasable }

    // Unchecked: single-owner; copies passed to hooks are not changed any more.
    package var value: ImageRequest {
        didSet { prepared = nil }
    }
    /// The prepared request; nil after a change.
    package var prepared: PreparedRequest?
    /// URL and method as lent to the host.
    package private(set) var url: CString
    private var lent = LentTexts()
    package private(set) var method: CString
    /// The named values as lent to the host; nil for none.
    private var options: OptionsObject?

    package init(_ value: ImageRequest) {
        self.value = value
        method = CString(value.method)
        url = CString(value.url)
        if value.options.count > 0 { options = OptionsObject(value.options) }
    }

    /// Runs a setter on the value, without a copy of it.
    package func change(_ body: (inout ImageRequest) -> Void) { PostponedCalls.runAfter { body(&value) } }

    /// Sets the URL as bytes; it is checked by `preparation`.
    package func setURL(_ bytes: [UInt8]) {
        value.url = bytes
        url = CString(bytes)
    }

    package func setMethod(_ text: String?) {
        value.method = text ?? ImageRequest.get
        method = CString(value.method)
    }

    /// The value of a header field, lent until it changes.
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

    /// The cache key; nil if the URL is the key.
    package var cacheKey: CString? { lent.text(":key", value.cacheKey) }

    /// Replaces the named values; nil removes them.
    package func setOptions(_ bag: OptionsBag?) {
        change { $0.options = bag ?? OptionsBag() }
        options = bag.map(OptionsObject.init)
    }

    package var lentOptions: Object { unsafe Handle.lend(options) }
}

extension RequestObject {
    /// The request as a load takes it: checked for errors that no loader could handle, and with the option values for coders.
    package func submitted() throws(ImageError) -> ImageRequest { try preparation().request }

    /// The same with the data that loads derive from it once; reused until the next change.
    package func preparation() throws(ImageError) -> PreparedRequest {
        if let prepared { return prepared }
        var request = value
        guard request.urlText.isUTF8 else {
            throw ImageError(.invalidArgument, "url: not valid UTF-8")
        }
        // Coders see the named values of the request in the options of the decode.
        if request.options.count > 0 { request.decodeOptions.bag = FrozenOptions(request.options) }
        let made = PreparedRequest(request, url: url)
        prepared = made
        return made
    }
}
