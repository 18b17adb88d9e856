import Glibc
import SDImage

/// How one downloader behaves; copied when the loader is made (docs/decisions.md, "Limits of one decode").
package struct DownloaderConfiguration: Sendable {
    /// Transfers at once to one origin.
    package var maxPerHost = 6
    /// Transfers at once in all.
    package var maxTotal = 32
    package var executionOrder = ExecutionOrder.fifo
    /// Until the connection stands, name look-up and TLS included.
    package var connectTimeoutMilliseconds: UInt32 = 10_000
    /// Without a byte received; a request's own time-out replaces it, and the total.
    package var inactivityTimeoutMilliseconds: UInt32 = 15_000
    /// From the first connection to the last byte, redirects included.
    package var totalTimeoutMilliseconds: UInt32 = 60_000
    /// Decoded bytes; a request's own limit replaces it.
    package var maxBodyBytes = 64 << 20
    package var maxRedirects = 10
    /// Further tries after a transient failure; a request's own number replaces it.
    package var maxRetries: UInt32 = 2
    /// The bound of the wait before the first retry; doubles with each.
    package var retryDelayMilliseconds: UInt32 = 500
    package var longestRetryDelayMilliseconds: UInt32 = 8_000
    /// A server that asks for a longer wait is not asked again.
    package var longestRetryAfterMilliseconds: UInt32 = 30_000
    /// Inclusive ranges; nil = any.
    package var acceptableStatuses: [ClosedRange<Int32>]? = [200...299]
    /// Media types without parameters, lower case; nil = any.
    package var acceptableContentTypes: Set<String>?
    /// Sent with every request; fields of the request replace those of equal name.
    package var headers = [HeaderField(name: "Accept", value: "image/*,*/*;q=0.8")]
    package var userAgent = DownloaderConfiguration.defaultUserAgent
    /// Used where the URL carries no user of its own. Never sent to another origin after a redirect.
    package var credential: Credential?
    /// Sent as `Authorization: Bearer` under the same conditions, unless the request has such a field.
    package var bearerToken: String?
    /// Shown to servers that ask for one, under the same conditions.
    package var clientCertificate: ClientCertificate?
    /// URL of a proxy; nil = none. Never taken from the environment, which the host may be changing at the moment.
    package var proxy: String?
    /// Hosts and domains that are connected to directly, separated by commas; "*" = all.
    package var proxyExceptions = ""
    /// Every connection goes to this socket instead of the URL's host.
    package var unixSocketPath: String?
    /// By how much of the whole (0 to 1) progress must advance between two reports.
    package var minProgressInterval = 0.0
    package var addressPolicy = AddressPolicy.any
    /// Exceptions from `publicOnly`.
    package var allowedAddresses: [AddressRange] = []
    package var verifiesTLS = true
    /// PEM file of trusted roots instead of the system's.
    package var certificateAuthorityFile: String?
    package var httpVersion = HTTPVersion.automatic
    package var hooks: DownloadHooks?
    /// Does the exchanges in place of libcurl.
    package var transport: (any Transport)?

    package init() {}

    /// Connections are the transport's own matter: nothing that is said of them may go unheard.
    func validateTransport() throws(ImageError) {
        guard transport != nil else { return }
        let isSilent =
            addressPolicy == .any && proxy == nil && unixSocketPath == nil && clientCertificate == nil && verifiesTLS
            && certificateAuthorityFile == nil
        guard isSilent else {
            throw ImageError(.unsupported, "addresses, proxies, sockets and certificates are the transport's matter")
        }
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
package struct Credential: Hashable, Sendable {
    package var user: String
    package var password: String

    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

/// Which waiting transfer of equal priority starts next.
package enum ExecutionOrder: Sendable {
    case fifo, lifo
}

/// Which addresses may be connected to, decided on the resolved address.
package enum AddressPolicy: Sendable {
    case any
    /// Refuses loopback, private, link-local and similar ranges, and uses no proxy.
    case publicOnly
}

package enum HTTPVersion: Sendable {
    /// HTTP/2 where TLS negotiates it, HTTP/1.1 otherwise.
    case automatic
    case http1
}

/// PEM files that say who the client is.
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

/// What of a configuration can be changed while the loader runs.
package struct QueueLimits: Hashable, Sendable {
    package var maxPerHost: Int
    package var maxTotal: Int
    package var executionOrder: ExecutionOrder
    /// Nothing new is started.
    package var isSuspended = false
}

extension DownloaderConfiguration {
    /// What a loader begins with.
    package var queueLimits: QueueLimits {
        QueueLimits(maxPerHost: maxPerHost, maxTotal: maxTotal, executionOrder: executionOrder)
    }
}
