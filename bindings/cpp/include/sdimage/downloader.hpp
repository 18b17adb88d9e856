// downloader.hpp: the built-in loader for http and https.
#ifndef SDIMAGE_DOWNLOADER_HPP
#define SDIMAGE_DOWNLOADER_HPP

#include "getters.hpp"
#include "transport.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sdimage {

// Class: single-owner.
class downloader_config : public detail::owned<sdimage_downloader_config, sdimage_downloader_config_unref>,
                          public detail::downloader_config_getters<downloader_config> {
public:
    using owned::owned;
    downloader_config() : owned(detail::made(sdimage_downloader_config_new())) {}
    // A header field of every request; none when it is not set. The text is valid until the field changes.
    std::optional<std::string_view> header(std::string_view name) const & {
        const char *found = sdimage_downloader_config_header(get(), detail::text(name));
        return found ? std::optional<std::string_view>(found) : std::nullopt;
    }
    std::optional<std::string> header(std::string_view name) && {
        const char *found = sdimage_downloader_config_header(get(), detail::text(name));
        return found ? std::optional<std::string>(found) : std::nullopt;
    }
    // All header fields, in their order.
    std::vector<std::pair<std::string, std::string>> headers() const {
        std::vector<std::pair<std::string, std::string>> all;
        const char *value = nullptr;
        while (const char *name = sdimage_downloader_config_header_at(get(), all.size(), &value))
            all.emplace_back(name, value);
        return all;
    }
    // The C functions of the same names: downloader.h, hooks.h and transport.h.
    downloader_config &set_max_per_host(std::uint32_t count) &noexcept {
        return sdimage_downloader_config_set_max_per_host(get(), count), *this;
    }
    downloader_config &&set_max_per_host(std::uint32_t count) &&noexcept { return std::move(set_max_per_host(count)); }
    downloader_config &set_max_total(std::uint32_t count) &noexcept {
        return sdimage_downloader_config_set_max_total(get(), count), *this;
    }
    downloader_config &&set_max_total(std::uint32_t count) &&noexcept { return std::move(set_max_total(count)); }
    downloader_config &set_max_retries(std::uint32_t count) &noexcept {
        return sdimage_downloader_config_set_max_retries(get(), count), *this;
    }
    downloader_config &&set_max_retries(std::uint32_t count) &&noexcept { return std::move(set_max_retries(count)); }
    downloader_config &set_retry_delay_ms(std::uint32_t first_ms, std::uint32_t longest_ms) &noexcept {
        return sdimage_downloader_config_set_retry_delay_ms(get(), first_ms, longest_ms), *this;
    }
    downloader_config &&set_retry_delay_ms(std::uint32_t first_ms, std::uint32_t longest_ms) &&noexcept {
        return std::move(set_retry_delay_ms(first_ms, longest_ms));
    }
    downloader_config &set_max_retry_after_ms(std::uint32_t retry_after_ms) &noexcept {
        return sdimage_downloader_config_set_max_retry_after_ms(get(), retry_after_ms), *this;
    }
    downloader_config &&set_max_retry_after_ms(std::uint32_t retry_after_ms) &&noexcept {
        return std::move(set_max_retry_after_ms(retry_after_ms));
    }
    downloader_config &set_execution_order(sdimage::execution_order order) &noexcept {
        return sdimage_downloader_config_set_execution_order(get(), detail::c(order)), *this;
    }
    downloader_config &&set_execution_order(sdimage::execution_order order) &&noexcept {
        return std::move(set_execution_order(order));
    }
    downloader_config &set_connect_timeout_ms(std::uint32_t timeout_ms) &noexcept {
        return sdimage_downloader_config_set_connect_timeout_ms(get(), timeout_ms), *this;
    }
    downloader_config &&set_connect_timeout_ms(std::uint32_t timeout_ms) &&noexcept {
        return std::move(set_connect_timeout_ms(timeout_ms));
    }
    downloader_config &set_inactivity_timeout_ms(std::uint32_t timeout_ms) &noexcept {
        return sdimage_downloader_config_set_inactivity_timeout_ms(get(), timeout_ms), *this;
    }
    downloader_config &&set_inactivity_timeout_ms(std::uint32_t timeout_ms) &&noexcept {
        return std::move(set_inactivity_timeout_ms(timeout_ms));
    }
    downloader_config &set_total_timeout_ms(std::uint32_t timeout_ms) &noexcept {
        return sdimage_downloader_config_set_total_timeout_ms(get(), timeout_ms), *this;
    }
    downloader_config &&set_total_timeout_ms(std::uint32_t timeout_ms) &&noexcept {
        return std::move(set_total_timeout_ms(timeout_ms));
    }
    downloader_config &set_max_body_bytes(std::size_t bytes) &noexcept {
        return sdimage_downloader_config_set_max_body_bytes(get(), bytes), *this;
    }
    downloader_config &&set_max_body_bytes(std::size_t bytes) &&noexcept {
        return std::move(set_max_body_bytes(bytes));
    }
    downloader_config &set_max_redirects(std::uint32_t count) &noexcept {
        return sdimage_downloader_config_set_max_redirects(get(), count), *this;
    }
    downloader_config &&set_max_redirects(std::uint32_t count) &&noexcept {
        return std::move(set_max_redirects(count));
    }
    downloader_config &set_address_policy(sdimage::address_policy policy) &noexcept {
        return sdimage_downloader_config_set_address_policy(get(), detail::c(policy)), *this;
    }
    downloader_config &&set_address_policy(sdimage::address_policy policy) &&noexcept {
        return std::move(set_address_policy(policy));
    }
    downloader_config &add_allowed_address(std::string_view range) & {
        return detail::run(sdimage_downloader_config_add_allowed_address, get(), detail::text(range).get()), *this;
    }
    downloader_config &&add_allowed_address(std::string_view range) && { return std::move(add_allowed_address(range)); }
    downloader_config &clear_allowed_addresses() &noexcept {
        return sdimage_downloader_config_clear_allowed_addresses(get()), *this;
    }
    downloader_config &&clear_allowed_addresses() &&noexcept { return std::move(clear_allowed_addresses()); }
    std::vector<std::string> allowed_addresses() const {
        std::vector<std::string> ranges;
        while (const char *range = sdimage_downloader_config_allowed_address(get(), ranges.size()))
            ranges.emplace_back(range);
        return ranges;
    }
    downloader_config &clear_acceptable_statuses() &noexcept {
        return sdimage_downloader_config_clear_acceptable_statuses(get()), *this;
    }
    downloader_config &&clear_acceptable_statuses() &&noexcept { return std::move(clear_acceptable_statuses()); }
    downloader_config &add_acceptable_statuses(std::int32_t first, std::int32_t last) &noexcept {
        return sdimage_downloader_config_add_acceptable_statuses(get(), first, last), *this;
    }
    downloader_config &&add_acceptable_statuses(std::int32_t first, std::int32_t last) &&noexcept {
        return std::move(add_acceptable_statuses(first, last));
    }
    downloader_config &add_acceptable_type(std::optional<std::string_view> mime_type) & {
        return sdimage_downloader_config_add_acceptable_type(get(), detail::optional_text(mime_type)), *this;
    }
    downloader_config &&add_acceptable_type(std::optional<std::string_view> mime_type) && {
        return std::move(add_acceptable_type(mime_type));
    }
    downloader_config &set_min_progress_interval(double fraction) &noexcept {
        return sdimage_downloader_config_set_min_progress_interval(get(), fraction), *this;
    }
    downloader_config &&set_min_progress_interval(double fraction) &&noexcept {
        return std::move(set_min_progress_interval(fraction));
    }
    downloader_config &set_user_agent(std::optional<std::string_view> text) & {
        return sdimage_downloader_config_set_user_agent(get(), detail::optional_text(text)), *this;
    }
    downloader_config &&set_user_agent(std::optional<std::string_view> text) && {
        return std::move(set_user_agent(text));
    }
    downloader_config &set_credential(std::optional<std::string_view> user,
                                      std::optional<std::string_view> password) & {
        return sdimage_downloader_config_set_credential(get(), detail::optional_text(user),
                                                        detail::optional_text(password)),
               *this;
    }
    downloader_config &&set_credential(std::optional<std::string_view> user,
                                       std::optional<std::string_view> password) && {
        return std::move(set_credential(user, password));
    }
    downloader_config &set_bearer_token(std::optional<std::string_view> token) & {
        return sdimage_downloader_config_set_bearer_token(get(), detail::optional_text(token)), *this;
    }
    downloader_config &&set_bearer_token(std::optional<std::string_view> token) && {
        return std::move(set_bearer_token(token));
    }
    downloader_config &set_client_certificate(std::optional<std::string_view> certificate_file,
                                              std::optional<std::string_view> key_file,
                                              std::optional<std::string_view> key_password) & {
        return sdimage_downloader_config_set_client_certificate(get(), detail::optional_text(certificate_file),
                                                                detail::optional_text(key_file),
                                                                detail::optional_text(key_password)),
               *this;
    }
    downloader_config &&set_client_certificate(std::optional<std::string_view> certificate_file,
                                               std::optional<std::string_view> key_file,
                                               std::optional<std::string_view> key_password) && {
        return std::move(set_client_certificate(certificate_file, key_file, key_password));
    }
    downloader_config &set_proxy(std::optional<std::string_view> url, std::optional<std::string_view> except) & {
        return sdimage_downloader_config_set_proxy(get(), detail::optional_text(url), detail::optional_text(except)),
               *this;
    }
    downloader_config &&set_proxy(std::optional<std::string_view> url, std::optional<std::string_view> except) && {
        return std::move(set_proxy(url, except));
    }
    downloader_config &set_unix_socket(std::optional<std::string_view> path) & {
        return sdimage_downloader_config_set_unix_socket(get(), detail::optional_text(path)), *this;
    }
    downloader_config &&set_unix_socket(std::optional<std::string_view> path) && {
        return std::move(set_unix_socket(path));
    }
    downloader_config &set_http_version(sdimage::http_version version) &noexcept {
        return sdimage_downloader_config_set_http_version(get(), detail::c(version)), *this;
    }
    downloader_config &&set_http_version(sdimage::http_version version) &&noexcept {
        return std::move(set_http_version(version));
    }
    downloader_config &set_header(std::string_view name, std::optional<std::string_view> value) & {
        return sdimage_downloader_config_set_header(get(), detail::text(name), detail::optional_text(value)), *this;
    }
    downloader_config &&set_header(std::string_view name, std::optional<std::string_view> value) && {
        return std::move(set_header(name, value));
    }
    downloader_config &set_ca_file(std::optional<std::string_view> path) & {
        return sdimage_downloader_config_set_ca_file(get(), detail::optional_text(path)), *this;
    }
    downloader_config &&set_ca_file(std::optional<std::string_view> path) && { return std::move(set_ca_file(path)); }
    downloader_config &set_hooks(const download_hooks &hooks) &noexcept {
        return sdimage_downloader_config_set_hooks(get(), hooks.get()), *this;
    }
    downloader_config &&set_hooks(const download_hooks &hooks) &&noexcept { return std::move(set_hooks(hooks)); }
    downloader_config &set_transport(const sdimage::transport &value) &noexcept {
        return sdimage_downloader_config_set_transport(get(), value.get()), *this;
    }
    downloader_config &&set_transport(const sdimage::transport &value) &&noexcept {
        return std::move(set_transport(value));
    }
};

// A loader with an adjustable queue. Class: synchronized.
class downloader : public loader, public detail::downloader_getters<downloader> {
public:
    using loader::loader;
    static downloader create(const downloader_config &config = nullptr) {
        return detail::make<downloader>(sdimage_downloader_new, config.get());
    }
    void set_max_per_host(std::uint32_t count) const noexcept { sdimage_downloader_set_max_per_host(get(), count); }
    void set_max_total(std::uint32_t count) const noexcept { sdimage_downloader_set_max_total(get(), count); }
    void set_execution_order(sdimage::execution_order order) const noexcept {
        sdimage_downloader_set_execution_order(get(), detail::c(order));
    }
    void set_suspended(bool suspended) const noexcept { sdimage_downloader_set_suspended(get(), suspended); }
    bool is_suspended() const noexcept { return sdimage_downloader_is_suspended(get()); }
    // Sets a header field of requests that are sent from now on; none removes it.
    void set_header(std::string_view name, std::optional<std::string_view> value) const {
        detail::run(sdimage_downloader_set_header, get(), detail::text(name), detail::optional_text(value));
    }
    // A header field of every request; none when it is not set.
    std::optional<std::string> header(std::string_view name) const {
        const auto found = detail::copied<data>(sdimage_downloader_get_header, get(), detail::text(name));
        return found ? std::optional<std::string>(found.text()) : std::nullopt;
    }
    // All header fields, in their order.
    std::vector<std::pair<std::string, std::string>> headers() const {
        std::vector<std::pair<std::string, std::string>> all;
        sdimage_data *name = nullptr;
        sdimage_data *value = nullptr;
        while (sdimage_downloader_get_header_at(get(), all.size(), &name, &value))
            all.emplace_back(data(name).text(), data(value).text());
        return all;
    }
    // The number of transfers that run or wait.
    std::size_t transfer_count() const noexcept { return sdimage_downloader_transfer_count(get()); }
    void cancel_all() const noexcept { sdimage_downloader_cancel_all(get()); }
    // Permanent. Cancels transfers in progress if `cancel` is true, otherwise they finish.
    void invalidate(bool cancel) const noexcept { sdimage_downloader_invalidate(get(), cancel); }
};

} // namespace sdimage

#endif
