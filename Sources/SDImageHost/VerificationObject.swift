import SDImage

/// The outcome of a verification as seen from C, with its keys as C strings.
package final class VerificationObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    package let report: CacheReport
    package let keys: [CString]

    package init(_ report: CacheReport) {
        self.report = report
        keys = report.keys.map { CString($0.bytes) }
    }
}
