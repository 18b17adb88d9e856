import Glibc
import SDImage

/// The proxies of a loader, read from the environment once: libcurl would read it on its own thread at any time, while
/// the host may be changing it.
struct ProxySettings: Sendable {
    private let http: String
    private let https: String
    let exceptions: String

    init(_ configuration: DownloaderConfiguration) {
        // A proxy would connect to the private address in our place.
        let policy = configuration.addressPolicy == .publicOnly ? .none : configuration.proxy
        switch policy {
        case .none: (http, https, exceptions) = ("", "", "")
        case .fixed(let proxy): (http, https, exceptions) = (proxy, proxy, "")
        case .environment:
            let all = ProxySettings.variable("all_proxy") ?? ProxySettings.variable("ALL_PROXY") ?? ""
            // Upper-case HTTP_PROXY can be set by a request header in CGI programs.
            http = ProxySettings.variable("http_proxy") ?? all
            https = ProxySettings.variable("https_proxy") ?? ProxySettings.variable("HTTPS_PROXY") ?? all
            exceptions = ProxySettings.variable("no_proxy") ?? ProxySettings.variable("NO_PROXY") ?? ""
        }
    }

    /// Empty = none.
    func proxy(forScheme scheme: String) -> String { scheme == "https" ? https : http }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
