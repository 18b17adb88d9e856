import Glibc
import SDImage

/// Configuration of one downloader; copied when the loader is made (docs/decisions.md, "Limits of one decode").
/// Set by the functions of `include/sdimage/downloader.h`.
package struct DownloaderConfiguration: Sendable {
    /// Maximum number of concurrent transfers to one origin.
    package var maxPerHost = 6
    /// Maximum number of concurrent transfers in total.
    package var maxTotal = 32
    /// Order within one priority.
    package var executionOrder = ExecutionOrder.fifo
    /// Time limit for establishing the connection, including name look-up and TLS.
    package var connectTimeoutMilliseconds: UInt32 = 10_000
    /// Time limit without a received byte. A request's own time-out replaces both this limit and the total.
    package var inactivityTimeoutMilliseconds: UInt32 = 15_000
    /// Time limit from the first connection to the last byte, including redirects.
    package var totalTimeoutMilliseconds: UInt32 = 60_000
    /// Limit in decoded bytes; a request's own limit replaces it.
    package var maxBodyBytes = 64 << 20
    /// Redirects that are followed in one load.
    package var maxRedirects = 10
    /// Retries after a transient failure; a request's own number replaces it.
    package var maxRetries: UInt32 = 2
    /// Upper bound of the delay before the first retry; doubles with each retry.
    package var retryDelayMilliseconds: UInt32 = 500
    /// Upper bound of these delays, however many retries there were.
    package var longestRetryDelayMilliseconds: UInt32 = 8_000
    /// A server that requests a longer delay is not retried.
    package var longestRetryAfterMilliseconds: UInt32 = 30_000
    /// Inclusive ranges; nil = any.
    /// Statuses of responses that are images.
    package var acceptableStatuses: [ClosedRange<Int32>]? = [200...299]
    /// Media types without parameters, lower case; nil = any.
    /// A response without a type is acceptable.
    package var acceptableContentTypes: Set<String>?
    /// The initial fields; they may change while the loader runs.
    package var fields = LoaderFields()
    /// Used for URLs without user info. Never sent to another origin after a redirect.
    package var credential: Credential?
    /// Sent as `Authorization: Bearer` under the same conditions, unless the request has such a field.
    package var bearerToken: String?
    /// Presented to servers that request a certificate, under the same conditions.
    package var clientCertificate: ClientCertificate?
    /// URL of a proxy; nil = none. The environment is never read, because the host may be changing it concurrently.
    package var proxy: String?
    /// Hosts and domains to connect to directly, separated by commas; "*" = all.
    package var proxyExceptions = ""
    /// Path of a socket to which every connection goes instead of the URL's host.
    package var unixSocketPath: String?
    /// Minimum progress between two reports, as a fraction of the complete body (0 to 1).
    /// 0 reports each piece that arrives, at most 20 times a second.
    package var minProgressInterval = 0.0
    /// Applies to every connection, also after redirects.
    package var addressPolicy = AddressPolicy.any
    /// Exceptions from `publicOnly`.
    package var allowedAddresses: [AddressRange] = []
    /// False accepts invalid certificates for all requests of this downloader.
    package var verifiesTLS = true
    /// PEM file of trusted roots instead of the system's.
    package var certificateAuthorityFile: String?
    package var httpVersion = HTTPVersion.automatic
    /// Hooks of all requests; those of a request take precedence.
    package var hooks: DownloadHooks?
    /// Runs the exchanges in place of libcurl.
    package var transport: (any Transport)?

    package init() {}

    /// Throws `unsupported` for connection options set together with a transport. The transport manages connections itself, so
    /// they would have no effect.
    /// Called when the loader is made.
    func validateTransport() throws(ImageError) {
        guard transport != nil else { return }
        let isSilent =
            addressPolicy == .any && proxy == nil && unixSocketPath == nil && clientCertificate == nil && verifiesTLS
            && certificateAuthorityFile == nil
        guard isSilent else {
            throw ImageError(
                .unsupported, "downloader: address, proxy, socket and TLS options conflict with the custom transport")
        }
    }

    /// Throws `invalidArgument` for a proxy whose user or password has a percent-encoded control character. libcurl cannot decode
    /// it, and connects without the proxy. Elsewhere the same bytes are valid: `%10` may be the zone of an IPv6 address.
    func validateProxy() throws(ImageError) {
        let bytes = Array((proxy ?? "").utf8)
        guard let end = bytes.lastIndex(of: Byte.at),
            PercentEncoding.decode(bytes[..<end]).contains(where: { $0 < Byte.space })
        else { return }
        throw ImageError(.invalidArgument, "downloader: user or password of the proxy has a control character")
    }

    /// `<program>/<version> (Linux <release>; Scale/1.00)`, ASCII only.
    package static let defaultUserAgent: String = {
        let program = (SmallFile.read("/proc/self/comm") ?? "").filter {
            $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0))
        }
        let release = (SmallFile.read("/proc/sys/kernel/osrelease") ?? "").filter { $0.isASCII && !$0.isWhitespace }
        return "\(program.isEmpty ? "sdimage" : program)/1.0 (Linux \(release); Scale/1.00)"
    }()
}

/// User and password for HTTP authentication.
/// Sent by the schemes Basic and Digest.
package struct Credential: Hashable, Sendable {
    package var user: String
    package var password: String

    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

/// Order in which waiting transfers of equal priority start.
package enum ExecutionOrder: Sendable {
    /// `fifo`: the oldest first; `lifo`: the newest first.
    case fifo, lifo
}

/// Permitted addresses, decided on the resolved address.
package enum AddressPolicy: Sendable {
    case any
    /// Refuses loopback, private, link-local and similar ranges, and uses no proxy.
    case publicOnly
}

/// Highest version of HTTP that is offered.
package enum HTTPVersion: Sendable {
    /// HTTP/2 where TLS negotiates it, HTTP/1.1 otherwise.
    case automatic
    case http1
}

/// PEM files with the certificate and key of the client.
package struct ClientCertificate: Hashable, Sendable {
    package var certificateFile: String
    /// nil = in the same file.
    package var keyFile: String?
    package var keyPassword: String?

    package init(certificateFile: String, keyFile: String?, keyPassword: String?) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.keyPassword = keyPassword
    }
}

/// The part of a configuration that can change while the loader runs.
/// The transfer thread receives it as a command.
package struct QueueLimits: Hashable, Sendable {
    package var maxPerHost: Int
    package var maxTotal: Int
    package var executionOrder: ExecutionOrder
    /// True while no new transfer may start.
    package var isSuspended = false
}

extension DownloaderConfiguration {
    /// Initial limits of a loader.
    package var queueLimits: QueueLimits {
        QueueLimits(maxPerHost: maxPerHost, maxTotal: maxTotal, executionOrder: executionOrder)
    }
}
