/// Pixels per point that the name of a file says (spec ANI-8): 2 for "cat@2x.gif", 1.5 for "cat@1.5x", else 1.
package enum FileScale {
    package static func of(_ path: String) -> Double {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
        // The point of "@1.5x" is no extension.
        return scale(stem) ?? scale(name) ?? 1
    }

    private static func scale(_ stem: Substring) -> Double? {
        guard stem.last == "x", let sign = stem.lastIndex(of: "@") else { return nil }
        let digits = stem[stem.index(after: sign)...].dropLast()
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber =
            parts.count <= 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
        guard isNumber, let value = Double(digits), value.isFinite else { return nil }
        return max(value, 1)
    }
}
