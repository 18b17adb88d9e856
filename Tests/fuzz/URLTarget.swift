import SDImage

/// Untrusted URLs and names: parsing, validation, resolution, redaction and keys.
enum URLTarget {
    static let targets = [FuzzTarget(name: "url", run: url), FuzzTarget(name: "name", run: name)]

    /// Two lines: a URL, and a reference in its response.
    @Sendable private static func url(_ input: FuzzTarget.Input) {
        let parts = Array(input).split(separator: Byte.newline, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
        let base = URLText(parts.first ?? []), reference = parts.count > 1 ? parts[1] : []
        check(base)
        let resolved = base.resolving(reference)
        check(resolved)
        if base.hasAuthority, !base.scheme.isEmpty, URLText(reference).scheme.isEmpty, !URLText(reference).hasAuthority {
            expect(resolved.origin == base.origin, "a reference without an origin stays at its own")
        }
        let key = CacheKey.composed(
            base: base.bytes, suffixes: [CacheKey.thumbnailSuffix(PixelSize(width: 3, height: 2), mode: .fill)])
        expect(key.bytes.count > base.bytes.count, "a key of a variant is longer than its base")
        _ = key.isThumbnail
        _ = SignatureFilter.unsigned(base.bytes)
    }

    private static func check(_ url: URLText) {
        let bare = URLText(url.withoutUserInfo)
        if let userInfo = url.userInfo {
            expect(bare.userInfo == nil || userInfo.isEmpty, "a URL without user information has none")
            expect(bare.host.elementsEqual(url.host), "the host stays")
        }
        expect(url.redacted.count <= url.bytes.count * 3 + 3, "a redacted URL grows no longer")
        expect(url.withoutFragment.count <= url.bytes.count, "a part is no longer than the whole")
        _ = (url.scheme, url.host, url.port, url.path, url.query, url.fragment, url.origin, url.extensionDot, url.pathExtension)
        do throws(ImageError) {
            try url.validateForHTTP()
            expect(!url.host.isEmpty && (url.scheme.isEmpty || url.origin != nil), "a valid URL has a host")
        } catch {}
        _ = url.isWellFormed
    }

    /// Names of resources and files, and their scales.
    @Sendable private static func name(_ input: FuzzTarget.Input) {
        let bytes = Array(input)
        let scale = FileScale.of(String(decoding: bytes, as: UTF8.self))
        expect(scale >= 1 && scale.isFinite, "a scale is a number of at least 1")
        do throws(ImageError) {
            let name = try ResourceName(bytes)
            let files = name.files([1, 2, scale])
            expect(!files.isEmpty, "a name means at least one file")
            for file in files { expect(file.first != Byte.slash && !file.contains(0), "a file is below the folder") }
        } catch {}
    }
}
