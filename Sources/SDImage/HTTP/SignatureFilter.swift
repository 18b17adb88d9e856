/// Removes the signature parameters of URLs that are signed for each request, which leaves the constant part.
///
/// Knows the signatures of Amazon S3 and CloudFront, Google Cloud Storage and Azure. Other parameters stay, in their order and
/// byte for byte.
/// Used by managers that were told to ignore signatures: the cache key of a URL is then the same for each signature.
package enum SignatureFilter {
    /// The URL without signature parameters; the URL itself if it has none.
    /// Names are compared after percent-decoding, without regard to case.
    package static func unsigned(_ url: [UInt8]) -> [UInt8] {
        guard url.contains(Byte.question), let query = URLText(url).query, !query.isEmpty else { return url }
        let parameters = query.split(separator: Byte.ampersand, omittingEmptySubsequences: false)
        // Some parameters are ordinary words, so the presence of a signature decides about them.
        let names = parameters.map(name)
        let isSigned = names.contains("signature"), isAzure = names.contains("sig")
        let remaining = zip(parameters, names).filter { !isPart($1, isSigned: isSigned, isAzure: isAzure) }.map(\.0)
        guard remaining.count < parameters.count else { return url }
        // An empty query loses its question mark.
        let start = remaining.isEmpty ? query.startIndex - 1 : query.startIndex
        return Array(url[..<start]) + Array(remaining.joined(separator: [Byte.ampersand])) + Array(url[query.endIndex...])
    }

    /// Removed wherever they occur.
    private static let alone: Set<String> = ["signature", "key-pair-id", "awsaccesskeyid", "googleaccessid"]
    /// Ordinary words, removed only beside a signature.
    private static let besideSignature: Set<String> = ["expires", "policy"]
    /// Parameters of shared access signatures of Azure, removed only beside `sig`.
    private static let besideSig: Set<String> = [
        "sig", "se", "sp", "sv", "sr", "st", "spr", "sip", "skoid", "sktid", "skt", "ske", "sks", "skv",
    ]

    /// `name`: in lower case.
    private static func isPart(_ name: String, isSigned: Bool, isAzure: Bool) -> Bool {
        name.hasPrefix("x-amz-") || name.hasPrefix("x-goog-") || alone.contains(name)
            || isSigned && besideSignature.contains(name) || isAzure && besideSig.contains(name)
    }

    /// The part before "=", decoded.
    private static func name(_ parameter: ArraySlice<UInt8>) -> String {
        let end = parameter.firstIndex(of: Byte.equals) ?? parameter.endIndex
        return String(decoding: PercentEncoding.decode(parameter[..<end]).map(Byte.lowercased), as: UTF8.self)
    }
}
