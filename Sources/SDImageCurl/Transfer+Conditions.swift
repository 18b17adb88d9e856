import SDImage

/// Conditions of a request, which refer to one URL of a chain of redirects. Another one may have equal validators, or an older
/// date, for another image, and another origin must not receive them.
extension Transfer {
    private static let conditions = ["if-none-match", "if-modified-since"]

    /// Header fields of the next or current hop.
    var headers: [HeaderField] {
        let fields = hop.carriesSecrets ? download.headers : download.impersonalHeaders
        guard download.request.conditionTarget != .unknown else { return fields }
        let others = fields.filter { !Transfer.isCondition($0) }
        return isConditional ? others + download.headers.filter(Transfer.isCondition) : others
    }

    /// True if the next or current hop is a conditional request.
    var isConditional: Bool {
        guard download.sends(Transfer.conditions) else { return false }
        return switch download.request.conditionTarget {
        case .unknown: hop.carriesSecrets
        case .requested: course.hops == 0
        case .redirected(let location): course.hops > 0 && Transfer.digest(of: url) == location
        }
    }

    /// The digest for `ResponseRecord.location`: the same for each signature of a URL.
    static func digest(of url: URLText) -> MD5 { MD5(of: SignatureFilter.unsigned(Array(url.withoutFragment))) }

    private static func isCondition(_ field: HeaderField) -> Bool { conditions.contains { field.isNamed($0) } }
}
