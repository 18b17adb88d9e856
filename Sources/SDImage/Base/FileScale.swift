/// Scale in a file name, in pixels per point: 2 for "cat@2x.gif", 1.5 for "cat@1.5x", else 1.
/// Files and resources are decoded with it, by the naming convention for high-density screens.
package enum FileScale {
    /// `path` may be a path or a bare name; scales below 1 count as 1.
    package static func of(_ path: String) -> Double {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
        // The dot of "@1.5x" does not start an extension.
        return scale(stem) ?? scale(name) ?? 1
    }

    /// Suffix of the name before its extension: "@2x", "@1.5x"; empty for 1. For scales from 1 to 100.
    /// Names of resources are tried with these suffixes.
    static func suffix(_ scale: Double) -> String {
        guard scale != 1 else { return "" }
        return "@\(Int(exactly: scale).map(String.init) ?? String(scale))x"
    }

    /// nil if the name does not end in a scale.
    /// The name without its extension: digits, optionally with one dot, between "@" and the final "x".
    static func scale(_ stem: Substring) -> Double? {
        guard stem.last == "x", let sign = stem.lastIndex(of: "@") else { return nil }
        let digits = stem[stem.index(after: sign)...].dropLast()
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber =
            parts.count <= 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
        // `Double` would also accept signs, exponents and names such as "nan"; these were excluded above.
        guard isNumber, let value = Double(digits), value.isFinite else { return nil }
        return max(value, 1)
    }
}
