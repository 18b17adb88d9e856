import SDImage

/// Texts lent by a single-owner object, by property: each stays valid until its property changes. Not synchronized, like its
/// owner.
package struct LentTexts {
    private var texts: [String: (bytes: [UInt8], text: CString)] = [:]

    package init() {}

    /// The text of a property; nil for none. Equal to the one before, it is the same object.
    package mutating func text(_ property: String, _ bytes: [UInt8]?) -> CString? {
        guard let bytes else { return nil }
        if let known = texts[property], known.bytes == bytes { return known.text }
        let text = CString(bytes)
        texts[property] = (bytes, text)
        return text
    }

    package mutating func text(_ property: String, _ string: String?) -> CString? {
        text(property, string.map { Array($0.utf8) })
    }
}
