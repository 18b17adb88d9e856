/// File name in a disk cache: digest of the key, identifier of the write, and an image extension (docs/decisions.md, "The row
/// is the commit"). The file lies in the sub-folder named by the first two digits. Text of the caller never enters the name.
/// The name alone identifies the write, so that a row and its file cannot be confused with those of another write.
package struct CacheFileName: Hashable, Sendable {
    /// MD5 digest of the key.
    package let digest: MD5
    /// Write that made the file.
    package let write: CacheWrite
    /// One of `ImageFormat.extensions`, or empty.
    package let fileExtension: String

    /// The name contains the digest of the key, not the key itself.
    package init(key: CacheKey, write: CacheWrite) {
        digest = MD5(of: key.bytes)
        self.write = write
        fileExtension = CacheFileName.fileExtension(of: key)
    }

    /// Parses a path; nil unless this type can have produced it.
    /// Paths come from rows, which another program may have written.
    package init?(path: String) {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].elementsEqual(parts[1].prefix(2)), let name = CacheFileName(parts[1]) else { return nil }
        self = name
    }

    /// Parses a file name without its sub-folder.
    package init?(name: String) { self.init(Substring(name).utf8) }

    private init?(_ name: Substring.UTF8View) {
        let halves = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let numbers = halves[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard halves.count <= 2, numbers.count == 3, numbers[0].count == 32,
            let high = Hexadecimal.value(numbers[0].prefix(16)), let low = Hexadecimal.value(numbers[0].dropFirst(16)),
            let instance = Hexadecimal.value(numbers[1]), let number = Hexadecimal.value(numbers[2])
        else { return nil }
        digest = MD5(high: high, low: low)
        write = CacheWrite(instance: instance, number: number)
        fileExtension = halves.count == 2 ? String(decoding: halves[1], as: UTF8.self) : ""
        guard halves.count == 1 || ImageFormat.extensions[fileExtension] != nil else { return nil }
    }

    /// Digest, instance and number in hexadecimal, separated by hyphens.
    package var name: String {
        let stem =
            digest.hexadecimal + "-" + Hexadecimal.string(write.instance) + "-" + Hexadecimal.string(write.number)
        return fileExtension.isEmpty ? stem : stem + "." + fileExtension
    }

    /// One of 256 sub-folders, so that none of them grows too large.
    package var folder: String { String(digest.hexadecimal.prefix(2)) }

    /// The path relative to the folder of the cache.
    package var path: String { folder + "/" + name }

    /// The lowercase extension of the URL's path, without query and fragment.
    /// Empty for extensions other than those of image formats.
    private static func fileExtension(of key: CacheKey) -> String {
        let path = key.base.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        // The longest extension in the list has five letters.
        guard let dot = path.suffix(6).lastIndex(of: UInt8(ascii: ".")), dot > path.startIndex,
            path[dot - 1] != UInt8(ascii: "/")
        else { return "" }
        let letters = path[(dot + 1)...].map { (65...90).contains($0) ? $0 + 32 : $0 }
        let candidate = String(decoding: letters, as: UTF8.self)
        return ImageFormat.extensions[candidate] == nil ? "" : candidate
    }
}
