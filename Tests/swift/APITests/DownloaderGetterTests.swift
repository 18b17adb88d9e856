import CSDImage
import Foundation
import TestSupport
import Testing

/// Every property of a downloader can be read, but no secret.
@Suite struct DownloaderGetterTests {
    private let config = Owned(sdimage_downloader_config_new()) { sdimage_downloader_config_unref($0) }

    @Test func limitsAndTimes() {
        expectRestorable(config, sdimage_downloader_config_set_max_per_host, sdimage_downloader_config_max_per_host, 6, 3)
        expectRestorable(config, sdimage_downloader_config_set_max_total, sdimage_downloader_config_max_total, 32, 8)
        expectProperty(config, sdimage_downloader_config_set_max_retries, sdimage_downloader_config_max_retries, 2, 0, 5)
        expectRestorable(
            config, sdimage_downloader_config_set_max_retry_after_ms, sdimage_downloader_config_max_retry_after_ms, 30_000, 7)
        expectRestorable(
            config, sdimage_downloader_config_set_connect_timeout_ms, sdimage_downloader_config_connect_timeout_ms, 10_000, 7)
        expectRestorable(
            config, sdimage_downloader_config_set_inactivity_timeout_ms, sdimage_downloader_config_inactivity_timeout_ms, 15_000,
            7)
        expectRestorable(
            config, sdimage_downloader_config_set_total_timeout_ms, sdimage_downloader_config_total_timeout_ms, 60_000, 7)
        expectRestorable(
            config, sdimage_downloader_config_set_max_body_bytes, sdimage_downloader_config_max_body_bytes, 64 << 20, 7)
        expectProperty(config, sdimage_downloader_config_set_max_redirects, sdimage_downloader_config_max_redirects, 10, 0, 3)
        expectProperty(
            config, sdimage_downloader_config_set_min_progress_interval, sdimage_downloader_config_min_progress_interval, 0, 0.5)
        var (first, longest): (UInt32, UInt32) = (0, 0)
        sdimage_downloader_config_get_retry_delay_ms(config.pointer, &first, &longest)
        #expect(first == 500 && longest == 8000)
        sdimage_downloader_config_set_retry_delay_ms(config.pointer, 5, 0)
        sdimage_downloader_config_get_retry_delay_ms(config.pointer, &first, nil)
        sdimage_downloader_config_get_retry_delay_ms(nil, nil, &longest)
        #expect(first == 5 && longest == 0)
    }

    @Test func options() {
        expectProperty(
            config, sdimage_downloader_config_set_execution_order, sdimage_downloader_config_execution_order,
            .SDIMAGE_EXECUTION_ORDER_FIFO, .SDIMAGE_EXECUTION_ORDER_LIFO)
        expectProperty(
            config, sdimage_downloader_config_set_address_policy, sdimage_downloader_config_address_policy,
            .SDIMAGE_ADDRESS_POLICY_ANY, .SDIMAGE_ADDRESS_POLICY_PUBLIC_ONLY)
        // An unknown value selects the restrictive policy.
        sdimage_downloader_config_set_address_policy(config.pointer, .SDIMAGE_ADDRESS_POLICY_ANY)
        sdimage_downloader_config_set_address_policy(config.pointer, unsafeBitCast(2 as UInt32, to: sdimage_address_policy.self))
        #expect(sdimage_downloader_config_address_policy(config.pointer) == .SDIMAGE_ADDRESS_POLICY_PUBLIC_ONLY)
        expectProperty(
            config, sdimage_downloader_config_set_http_version, sdimage_downloader_config_http_version,
            .SDIMAGE_HTTP_VERSION_AUTOMATIC, .SDIMAGE_HTTP_VERSION_1_1)
    }

    @Test func texts() {
        let program = text(sdimage_downloader_config_user_agent(config.pointer))
        expectText(config, sdimage_downloader_config_set_user_agent, sdimage_downloader_config_user_agent, program)
        expectText(config, sdimage_downloader_config_set_unix_socket, sdimage_downloader_config_unix_socket, nil)
        expectText(config, sdimage_downloader_config_set_ca_file, sdimage_downloader_config_ca_file, nil)
    }

    @Test func secretsStaySecret() {
        #expect(!sdimage_downloader_config_has_credential(config.pointer))
        #expect(sdimage_downloader_config_credential_user(config.pointer) == nil)
        sdimage_downloader_config_set_credential(config.pointer, "anna", "secret")
        #expect(sdimage_downloader_config_has_credential(config.pointer))
        #expect(text(sdimage_downloader_config_credential_user(config.pointer)) == "anna")
        #expect(!sdimage_downloader_config_has_bearer_token(config.pointer))
        sdimage_downloader_config_set_bearer_token(config.pointer, "token")
        #expect(sdimage_downloader_config_has_bearer_token(config.pointer))
        #expect(sdimage_downloader_config_header(config.pointer, "Authorization") == nil)
        #expect(!sdimage_downloader_config_has_client_certificate(config.pointer))
        sdimage_downloader_config_set_client_certificate(config.pointer, "c.pem", "k.pem", "secret")
        #expect(sdimage_downloader_config_has_client_certificate(config.pointer))
        #expect(text(sdimage_downloader_config_client_certificate_file(config.pointer)) == "c.pem")
        #expect(text(sdimage_downloader_config_client_key_file(config.pointer)) == "k.pem")
    }

    @Test(arguments: [
        ("http://anna:se@cret@proxy:3128", "http://proxy:3128"), ("anna:a/b@proxy:3128", "proxy:3128"),
        ("http://anna:a/b@proxy", "http://proxy"), ("socks5h://proxy", "socks5h://proxy"), ("proxy:3128", "proxy:3128"),
    ])
    func theProxyHasNoPassword(_ given: String, _ read: String) {
        #expect(sdimage_downloader_config_proxy(config.pointer) == nil)
        sdimage_downloader_config_set_proxy(config.pointer, given, "a.org,b.org")
        #expect(text(sdimage_downloader_config_proxy(config.pointer)) == read)
        #expect(text(sdimage_downloader_config_proxy_exceptions(config.pointer)) == "a.org,b.org")
    }

    @Test func statusesAndTypesByIndex() {
        var (first, last): (Int32, Int32) = (0, 0)
        #expect(sdimage_downloader_config_get_acceptable_statuses(config.pointer, 0, &first, &last))
        #expect(first == 200 && last == 299)
        sdimage_downloader_config_add_acceptable_statuses(config.pointer, 404, 405)
        #expect(sdimage_downloader_config_get_acceptable_statuses(config.pointer, 1, &first, nil) && first == 404)
        #expect(!sdimage_downloader_config_get_acceptable_statuses(config.pointer, 2, &first, &last) && last == 0)
        sdimage_downloader_config_clear_acceptable_statuses(config.pointer)
        #expect(!sdimage_downloader_config_get_acceptable_statuses(config.pointer, 0, nil, nil))
        #expect(sdimage_downloader_config_acceptable_type(config.pointer, 0) == nil)
        for type in ["image/webp", "image/AVIF"] { sdimage_downloader_config_add_acceptable_type(config.pointer, type) }
        #expect(text(sdimage_downloader_config_acceptable_type(config.pointer, 0)) == "image/avif")
        #expect(text(sdimage_downloader_config_acceptable_type(config.pointer, 1)) == "image/webp")
        #expect(sdimage_downloader_config_acceptable_type(config.pointer, 2) == nil)
    }

    @Test func headerFieldsByNameAndIndex() {
        sdimage_downloader_config_set_header(config.pointer, "X-A", "1")
        #expect(text(sdimage_downloader_config_header(config.pointer, "x-a")) == "1")
        #expect(sdimage_downloader_config_header(config.pointer, "User-Agent") != nil)
        var names: [String] = []
        var value: UnsafePointer<CChar>?
        while let name = sdimage_downloader_config_header_at(config.pointer, names.count, &value) {
            names.append(String(cString: name))
            #expect(text(value) == text(sdimage_downloader_config_header(config.pointer, name)))
        }
        #expect(names == ["User-Agent", "Accept", "X-A"] && value == nil)
        sdimage_downloader_config_set_header(config.pointer, "user-agent", nil)
        #expect(text(sdimage_downloader_config_user_agent(config.pointer)) == "")
        #expect(sdimage_downloader_config_header(config.pointer, "User-Agent") == nil)
    }

    @Test func hooksAndTransport() throws {
        let hooks = try make(sdimage_download_hooks_unref) { sdimage_download_hooks_new_base64($0, $1) }
        #expect(stored(sdimage_download_hooks_unref) { sdimage_downloader_config_get_hooks(config.pointer, $0) } == nil)
        sdimage_downloader_config_set_hooks(config.pointer, hooks.pointer)
        let read = stored(sdimage_download_hooks_unref) { sdimage_downloader_config_get_hooks(config.pointer, $0) }
        #expect(read?.pointer == hooks.pointer)
        var table = sdimage_transport_vtable()
        table.size = MemoryLayout.size(ofValue: table)
        table.start = { _, _, _ in .SDIMAGE_STATUS_OFFLINE }
        let transport = try make(sdimage_transport_unref) { sdimage_transport_new_custom(&table, nil, nil, $0, $1) }
        #expect(stored(sdimage_transport_unref) { sdimage_downloader_config_get_transport(config.pointer, $0) } == nil)
        sdimage_downloader_config_set_transport(config.pointer, transport.pointer)
        let other = stored(sdimage_transport_unref) { sdimage_downloader_config_get_transport(config.pointer, $0) }
        #expect(other?.pointer == transport.pointer)
    }

    @Test func aRunningDownloader() throws {
        sdimage_downloader_config_set_max_total(config.pointer, 9)
        let loader = try make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
        expectRestorable(loader, sdimage_downloader_set_max_per_host, sdimage_downloader_max_per_host, 6, 2)
        expectProperty(loader, sdimage_downloader_set_max_total, sdimage_downloader_max_total, 9, 4)
        expectProperty(
            loader, sdimage_downloader_set_execution_order, sdimage_downloader_execution_order, .SDIMAGE_EXECUTION_ORDER_FIFO,
            .SDIMAGE_EXECUTION_ORDER_LIFO)
        let chain = try make(sdimage_loader_unref) { sdimage_loader_new_chain($0, $1) }
        #expect(sdimage_downloader_max_total(chain.pointer) == 0)
        #expect(sdimage_loader_chain_count(chain.pointer) == 0)
        #expect(sdimage_loader_chain_add(chain.pointer, loader.pointer, nil) == .SDIMAGE_STATUS_OK)
        let data = try make(sdimage_loader_unref) { sdimage_loader_new_data_url($0, $1) }
        #expect(sdimage_loader_chain_add(chain.pointer, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_loader_chain_count(chain.pointer) == 2 && sdimage_loader_chain_count(loader.pointer) == 0)
        let first = try make(sdimage_loader_unref) { sdimage_loader_chain_get_member(chain.pointer, 0, $0, $1) }
        let second = try make(sdimage_loader_unref) { sdimage_loader_chain_get_member(chain.pointer, 1, $0, $1) }
        #expect(text(sdimage_loader_name(first.pointer)) == "data" && text(sdimage_loader_name(second.pointer)) == "http")
        #expect(sdimage_downloader_max_total(second.pointer) == 4)
        var none: OpaquePointer?
        #expect(sdimage_loader_chain_get_member(chain.pointer, 2, &none, nil) == .SDIMAGE_STATUS_NOT_FOUND)
        #expect(sdimage_loader_chain_get_member(loader.pointer, 0, &none, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }
}
