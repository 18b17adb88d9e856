/// How the key of a thumbnail or of a transformed picture is made from the key of the original (spec 6.3).
extension CacheKey {
    /// Puts `-suffix` for each of `suffixes` before the extension of `base`, or at its end when it has none.
    ///
    /// All are placed against the original key in one step (TRF-37). Where the key is a well-formed URL other than
    /// `file:`, what may not stand in a path is escaped (TRF-32); everything else stays as it was, byte for byte.
    package static func composed(base: [UInt8], suffixes: [String]) -> CacheKey {
        let suffix = suffixes.flatMap { [Byte.hyphen] + Array($0.utf8) }
        let url = URLText(base)
        let isURL = url.isWellFormed
        guard let dot = isURL ? url.extensionDot : URLText.extensionDot(in: base[...]) else { return CacheKey(base + suffix) }
        let isEscaped = isURL && url.scheme != "file"
        let inserted = isEscaped ? PercentEncoding.encode(suffix, keeping: Byte.isPathCharacter) : suffix
        return CacheKey(base[..<dot] + inserted + base[dot...])
    }

    /// The suffix of a thumbnail (spec 6.1); `-Thumbnail(` in a key says that it is one (TRF-39).
    package static func thumbnailSuffix(_ size: PixelSize, mode: ScaleMode) -> String {
        let width = FixedDecimal.text(Double(size.width)), height = FixedDecimal.text(Double(size.height))
        return "Thumbnail({\(width),\(height)},\(mode.rawValue))"
    }

    /// True for the key of a thumbnail (TRF-39).
    package var isThumbnail: Bool {
        let mark = Array("-Thumbnail(".utf8)
        guard bytes.count >= mark.count else { return false }
        return (0...bytes.count - mark.count).contains { bytes[$0..<$0 + mark.count].elementsEqual(mark) }
    }

    private init(_ parts: ArraySlice<UInt8>) { self.init(Array(parts)) }
}
