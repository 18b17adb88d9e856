/// Pixels per point that the name of a file says (spec ANI-8): 2 for "cat@2x.gif", 1.5 for "cat@1.5x", else 1.
package enum FileScale {
    package static func of(_ path: String) -> Double {
        let name = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? []
        let stem = name.lastIndex(of: UInt8(ascii: ".")).map { name[..<$0] } ?? name
        // The point of "@1.5x" is no extension.
        return scale(stem) ?? scale(name) ?? 1
    }

    private static func scale(_ stem: Substring.UTF8View) -> Double? {
        guard stem.last == UInt8(ascii: "x"), let sign = stem.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let digits = stem[stem.index(after: sign)...].dropLast()
        let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isNumber = (1...2).contains(parts.count) && parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard isNumber, let value = Double(Substring(digits)), value.isFinite else { return nil }
        return max(value, 1)
    }
}
