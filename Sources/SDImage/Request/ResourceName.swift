import Glibc

/// The name of a bundled image of a program, and the files it may refer to, in the file system's own bytes.
package struct ResourceName: Sendable {
    /// The given name with its extension; the key under which the image is cached.
    package let file: [UInt8]
    /// The name before the scale: "pets/cat".
    private let stem: [UInt8]
    /// The extension with its dot: ".png".
    private let suffix: [UInt8]
    private let hasScale: Bool

    private static let png = Array(".png".utf8)

    /// Parses a name; refuses names that could lead out of the folder.
    package init(_ name: [UInt8]) throws(ImageError) {
        let parts = name.split(separator: Byte.slash, omittingEmptySubsequences: false)
        guard let last = parts.last, name.count < Int(PATH_MAX), !name.contains(0),
            parts.allSatisfy({ !$0.isEmpty && $0 != [Byte.dot] && $0 != [Byte.dot, Byte.dot] })
        else { throw ImageError(.invalidArgument, "resources: name is not a relative path inside the folder") }
        let end = ResourceName.extensionStart(last)
        suffix = last.endIndex - end > 1 ? Array(name[end...]) : ResourceName.png
        file = Array(name[..<end]) + suffix
        let scale = ResourceName.scaleStart(last[..<end])
        hasScale = scale != nil
        stem = Array(name[..<(scale ?? end)])
    }

    /// The candidate files, in order of search.
    package func files(_ scales: [Double]) -> [[UInt8]] {
        var files = hasScale ? [file] : []
        for scale in scales + [1] {
            let next = stem + FileScale.suffix(scale).utf8 + suffix
            if !files.contains(next) { files.append(next) }
        }
        return files
    }

    /// Index of the extension's dot; the end when there is none. Ignores the dot in "cat@1.5x" and that of a hidden file.
    private static func extensionStart(_ name: ArraySlice<UInt8>) -> Int {
        guard scaleStart(name) == nil, let point = name.lastIndex(of: Byte.dot), point > name.startIndex else {
            return name.endIndex
        }
        return point
    }

    /// Index of a scale suffix such as "@2x".
    private static func scaleStart(_ stem: ArraySlice<UInt8>) -> Int? {
        guard FileScale.scale(String(decoding: stem, as: UTF8.self)[...]) != nil else { return nil }
        return stem.lastIndex(of: UInt8(ascii: "@"))
    }
}
