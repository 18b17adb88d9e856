import Glibc
import SDImage

/// How one downloader behaves; copied when the loader is made (spec 12.1, decisions "Limits and numbers").
package struct DownloaderConfiguration: Sendable {
    /// Transfers at once to one origin.
    package var maxPerHost = 6
    /// Transfers at once in all.
    package var maxTotal = 32
    package var executionOrder = ExecutionOrder.fifo
    /// Until the connection stands, name look-up and TLS included.
    package var connectTimeoutMilliseconds: UInt32 = 10_000
    /// Without a byte received; a request's own time-out replaces it.
    package var inactivityTimeoutMilliseconds: UInt32 = 15_000
    /// From the first connection to the last byte, redirects included.
    package var totalTimeoutMilliseconds: UInt32 = 60_000
    /// Decoded bytes; a request's own limit replaces it.
    package var maxBodyBytes = 64 << 20
    package var maxRedirects = 10
    /// Inclusive ranges; nil = any.
    package var acceptableStatuses: [ClosedRange<Int32>]? = [200...299]
    /// Media types without parameters, lower case; nil = any.
    package var acceptableContentTypes: Set<String>?
    /// Sent with every request; fields of the request replace those of equal name.
    package var headers = [HeaderField(name: "Accept", value: "image/*,*/*;q=0.8")]
    package var userAgent = DownloaderConfiguration.defaultUserAgent
    /// Used where the URL carries no user of its own. Never sent to another origin after a redirect.
    package var credential: Credential?
    package var proxy = ProxyPolicy.environment
    package var addressPolicy = AddressPolicy.any
    package var verifiesTLS = true
    /// PEM file of trusted roots instead of the system's.
    package var certificateAuthorityFile: String?
    package var httpVersion = HTTPVersion.automatic
    package var hooks: DownloadHooks?

    package init() {}

    /// `<program>/<version> (Linux <release>)`, ASCII only (spec DLR-3).
    package static let defaultUserAgent: String = {
        let program = (SmallFile.read("/proc/self/comm") ?? "").filter {
            $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0))
        }
        let release = (SmallFile.read("/proc/sys/kernel/osrelease") ?? "").filter { $0.isASCII && !$0.isWhitespace }
        return "\(program.isEmpty ? "sdimage" : program)/1.0 (Linux \(release))"
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

/// Through which proxy requests go.
package enum ProxyPolicy: Sendable {
    case none
    /// What `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` said when the loader was made.
    case environment
    case fixed(String)
}
