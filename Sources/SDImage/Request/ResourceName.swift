import Glibc

/// The name of a bundled image of a program, and the files it may refer to, in the file system's own bytes.
/// Used by `Resources`.
package struct ResourceName: Sendable {
    /// The given name with its extension; the key under which the image is cached.
    package let file: [UInt8]
    /// The name before the scale: "pets/cat".
    private let stem: [UInt8]
    /// The extension with its dot: ".png".
    private let suffix: [UInt8]
    /// True if the given name names a scale itself, such as "cat@2x.png".
    private let hasScale: Bool

    private static let png = Array(".png".utf8)

    /// Parses a name; refuses names that could lead out of the folder.
    /// Throws `invalidArgument` for absolute paths, ".." and empty parts. A name without an extension gets ".png".
    package init(_ name: [UInt8]) throws(ImageError) {
        let parts = name.split(separator: Byte.slash, omittingEmptySubsequences: false)
        guard let last = parts.last, name.count < Int(PATH_MAX), !name.contains(0),
            parts.allSatisfy({ !$0.isEmpty && $0 != [Byte.dot] && $0 != [Byte.dot, Byte.dot] })
        else { throw ImageError(.invalidArgument, "resources: name is not a relative path inside the folder") }
        let end = ResourceName.extensionStart(last)
        // A single dot at the end is no extension.
        suffix = last.endIndex - end > 1 ? Array(name[end...]) : ResourceName.png
        file = Array(name[..<end]) + suffix
        let scale = ResourceName.scaleStart(last[..<end])
        hasScale = scale != nil
        stem = Array(name[..<(scale ?? end)])
    }

    /// The candidate files, in order of search.
    /// The file of the given name first if it has a scale, then each scale in order, and the plain file last.
    package func files(_ scales: [Double]) -> [[UInt8]] {
        var files = hasScale ? [file] : []
        for scale in scales + [1] {
            let next = stem + FileScale.suffix(scale).utf8 + suffix
            if !files.contains(next) { files.append(next) }
        }
        return files
    }

    /// Index of the extension's dot; the end when there is none. Ignores the dot in "cat@1.5x" and that of a hidden file.
    /// `name`: the last part of the path, whose indices are those of the whole.
    private static func extensionStart(_ name: ArraySlice<UInt8>) -> Int {
        guard scaleStart(name) == nil, let point = name.lastIndex(of: Byte.dot), point > name.startIndex else {
            return name.endIndex
        }
        return point
    }

    /// Index of a scale suffix such as "@2x".
    /// nil if there is none.
    private static func scaleStart(_ stem: ArraySlice<UInt8>) -> Int? {
        guard FileScale.scale(String(decoding: stem, as: UTF8.self)[...]) != nil else { return nil }
        return stem.lastIndex(of: UInt8(ascii: "@"))
    }
}
