/// The key of a thumbnail or of a transformed image: the pair of the original's key and the variant.
///
/// The bytes are `base`, a separator that occurs in no URL, and `variant`. The printed form puts `-variant` before the
/// extension; it is for readers, and as a key it names the original of that name.
/// Variants are named by `LoadKeys`, in a fixed order.
extension CacheKey {
    /// Unit separator: a control character, which `URLText.validate` refuses.
    package static let separator: UInt8 = 0x1F

    /// Maximum number of hyphens that are tried as the start of a variant.
    /// Bounds the work for keys with many hyphens, each of which may take a look-up.
    private static let mostCandidates = 16

    /// `variant`: names of thumbnail, options and transformers, joined by hyphens. Empty: the key of the original.
    package init(base: [UInt8], variant: [String]) {
        guard !variant.isEmpty else {
            self.init(base)
            return
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(variant.reduce(base.count) { $0 + 1 + $1.utf8.count })
        bytes += base
        for (index, name) in variant.enumerated() {
            bytes.append(index == 0 ? CacheKey.separator : Byte.hyphen)
            // A separator in the name of a transformer would move the boundary.
            for byte in name.utf8 { bytes.append(byte == CacheKey.separator ? Byte.space : byte) }
        }
        self.init(bytes)
    }

    /// The original's key.
    package var base: ArraySlice<UInt8> { bytes[..<(boundary ?? bytes.endIndex)] }

    /// The variant; nil for the key of an original.
    package var variant: ArraySlice<UInt8>? { boundary.map { bytes[($0 + 1)...] } }

    /// Index of the separator. The last one, because a key of the caller may contain others.
    private var boundary: Int? { bytes.lastIndex(of: CacheKey.separator) }

    /// The key as shown to readers in results and log messages.
    package var printed: [UInt8] {
        guard let variant else { return bytes }
        return CacheKey.printed(base: Array(base), variant: Array(variant))
    }

    /// Inserts `-variant` before the extension of `base`, or appends it when there is none.
    ///
    /// If the base is a well-formed URL other than `file:`, characters that are not allowed in a path are escaped. All other
    /// bytes stay unchanged.
    package static func printed(base: [UInt8], variant: [UInt8]) -> [UInt8] {
        let suffix = [Byte.hyphen] + variant
        let url = URLText(base)
        let isURL = url.isWellFormed
        guard let dot = isURL ? url.extensionDot : URLText.extensionDot(in: base[...]) else { return base + suffix }
        let isEscaped = isURL && url.scheme != "file"
        let inserted = isEscaped ? PercentEncoding.encode(suffix, keeping: Byte.isPathCharacter) : suffix
        return base[..<dot] + inserted + base[dot...]
    }

    /// The variants whose printed form is this key. For texts of callers, never for a URL that is loaded. Empty for a key that
    /// names a variant exactly.
    /// Tries the last hyphens as the start of the variant, and the end of the key or a dot as its end.
    package var namesakes: [CacheKey] {
        guard variant == nil else { return [] }
        // A query may follow the extension, and "." may occur in it.
        let dots = Set([URLText(bytes).extensionDot, URLText.extensionDot(in: bytes[...])].compactMap { $0 })
        let hyphens = bytes.indices.reversed().lazy.filter { bytes[$0] == Byte.hyphen }
        return hyphens.prefix(CacheKey.mostCandidates).flatMap { hyphen in
            ([bytes.endIndex] + dots).filter { $0 > hyphen + 1 }.compactMap { namesake(hyphen: hyphen, end: $0) }
        }
    }

    /// The variant between a hyphen and the extension, if its printed form is this key.
    /// nil if printing the variant does not give this key back, which is the proof that the split is right.
    private func namesake(hyphen: Int, end: Int) -> CacheKey? {
        let base = Array(bytes[..<hyphen] + bytes[end...])
        guard !base.isEmpty else { return nil }
        let text = Array(bytes[(hyphen + 1)..<end])
        // A printed URL has escapes, a printed path has none; a variant may contain "%" itself.
        for variant in [PercentEncoding.decode(text[...]), text] {
            guard CacheKey.printed(base: base, variant: variant) == bytes else { continue }
            return CacheKey(base + [CacheKey.separator] + variant)
        }
        return nil
    }

    /// The printed form of the variant named by `suffixes`.
    package static func composed(base: [UInt8], suffixes: [String]) -> CacheKey {
        suffixes.isEmpty ? CacheKey(base) : CacheKey(printed(base: base, variant: Array(suffixes.joined(separator: "-").utf8)))
    }

    /// True for the printed key of a thumbnail.
    /// Recognizes the text of `thumbnailSuffix`.
    package var isThumbnail: Bool {
        let mark = Array("-Thumbnail(".utf8)
        guard bytes.count >= mark.count else { return false }
        return (0...bytes.count - mark.count).contains { bytes[$0..<$0 + mark.count].elementsEqual(mark) }
    }

    /// The first result of `find` for a text of the caller: as an exact key, then as the printed form of a variant.
    /// `find` is called until it returns a value or throws.
    package func first<R>(_ find: (CacheKey) throws(ImageError) -> R?) throws(ImageError) -> R? {
        if let found = try find(self) { return found }
        for key in namesakes { if let found = try find(key) { return found } }
        return nil
    }

    /// Asynchronous form of the above.
    package func first<R>(_ find: (CacheKey) async throws(ImageError) -> R?) async throws(ImageError) -> R? {
        if let found = try await find(self) { return found }
        for key in namesakes { if let found = try await find(key) { return found } }
        return nil
    }

    /// The variant name of a thumbnail.
    /// Part of stored keys: a change makes all thumbnails on disk unreachable.
    package static func thumbnailSuffix(_ size: PixelSize, mode: ScaleMode) -> String {
        // Whole numbers in the form of `FixedDecimal.text`.
        var text = "Thumbnail({"
        text.reserveCapacity(64)
        text += String(size.width)
        text += ".000000,"
        text += String(size.height)
        text += ".000000},"
        text += String(mode.rawValue)
        text += ")"
        return text
    }
}
