// request.hpp: the parameters of one load.
//
//   request("https://example.org/cat.jpg").set_thumbnail_size(256, 256).set_priority(priority::high)
#ifndef SDIMAGE_REQUEST_HPP
#define SDIMAGE_REQUEST_HPP

#include "cache.hpp"
#include "getters.hpp"
#include "loader.hpp"
#include "task.hpp"
#include "transformer.hpp"

namespace sdimage {

// Hooks of the host into downloads and loads; made in hooks.hpp. Class: immutable.
class download_hooks
    : public detail::shared<sdimage_download_hooks, sdimage_download_hooks_ref, sdimage_download_hooks_unref> {
public:
    using shared::shared;
    // Decrypts bodies encoded in base 64.
    static download_hooks base64() { return detail::make<download_hooks>(sdimage_download_hooks_new_base64); }
    // Applies the same settings to every request and every response; either may be empty.
    static download_hooks fixed(const class request &request, const response &response);
};

class load_hooks : public detail::shared<sdimage_load_hooks, sdimage_load_hooks_ref, sdimage_load_hooks_unref> {
public:
    using shared::shared;
};

// Class: single-owner; a load copies it, so it may be changed and reused. Setters never fail; the load reports invalid
// values. They return the request, so that calls can be chained.
class request : public detail::owned<sdimage_request, sdimage_request_unref>, public detail::request_getters<request> {
public:
    using owned::owned;
    explicit request(std::string_view url) : owned(detail::made(sdimage_request_new_bytes(url.data(), url.size()))) {}
    // A request for the file: URL of a path, which may be relative to the working directory.
    static request file(std::string_view path) {
        return request(detail::made(sdimage_request_new_file(detail::text(path))));
    }
    // An independent copy.
    request copy() const { return request(detail::made(sdimage_request_copy(get()))); }

    // Borrowed until it is set again.
    std::string_view url() const &noexcept {
        std::size_t length = 0;
        const char *text = sdimage_request_url(get(), &length);
        return {text ? text : "", length};
    }
    std::string url() && { return std::string(std::as_const(*this).url()); }
    request &set_thumbnail_size(std::uint32_t width, std::uint32_t height,
                                scale_mode mode = scale_mode::aspect_fit) &noexcept {
        return sdimage_request_set_thumbnail_size(get(), width, height, detail::c(mode)), *this;
    }
    request &&set_thumbnail_size(std::uint32_t width, std::uint32_t height,
                                 scale_mode mode = scale_mode::aspect_fit) &&noexcept {
        return std::move(set_thumbnail_size(width, height, mode));
    }
    request &set_pixel_format(sdimage::pixel_format value) &noexcept {
        return sdimage_request_set_pixel_format(get(), detail::c(value)), *this;
    }
    request &&set_pixel_format(sdimage::pixel_format value) &&noexcept { return std::move(set_pixel_format(value)); }
    request &set_progressive(bool progressive = true) &noexcept {
        return sdimage_request_set_progressive(get(), progressive), *this;
    }
    request &&set_progressive(bool progressive = true) &&noexcept { return std::move(set_progressive(progressive)); }
    // A header field that the request sets; none when it does not.
    std::optional<std::string_view> header(std::string_view name) const & {
        const char *found = sdimage_request_header(get(), detail::text(name));
        return found ? std::optional<std::string_view>(found) : std::nullopt;
    }
    std::optional<std::string> header(std::string_view name) && {
        const char *found = sdimage_request_header(get(), detail::text(name));
        return found ? std::optional<std::string>(found) : std::nullopt;
    }
    // True if the request sets or omits a header field.
    bool has_header(std::string_view name) const { return sdimage_request_has_header(get(), detail::text(name)); }
    // All header fields that the request sets, in their order.
    std::vector<std::pair<std::string, std::string>> headers() const {
        std::vector<std::pair<std::string, std::string>> all;
        const char *value = nullptr;
        while (const char *name = sdimage_request_header_at(get(), all.size(), &value))
            all.emplace_back(name, value);
        return all;
    }
    // The C functions of the same names: hooks.h and request.h.
    request &set_hooks(const download_hooks &hooks) &noexcept {
        return sdimage_request_set_hooks(get(), hooks.get()), *this;
    }
    request &&set_hooks(const download_hooks &hooks) &&noexcept { return std::move(set_hooks(hooks)); }
    request &set_load_hooks(const sdimage::load_hooks &hooks) &noexcept {
        return sdimage_request_set_load_hooks(get(), hooks.get()), *this;
    }
    request &&set_load_hooks(const sdimage::load_hooks &hooks) &&noexcept { return std::move(set_load_hooks(hooks)); }
    request &set_url(std::string_view url) &noexcept {
        return sdimage_request_set_url(get(), url.data(), url.size()), *this;
    }
    request &&set_url(std::string_view url) &&noexcept { return std::move(set_url(url)); }
    request &set_cache_key(std::string_view key) &noexcept {
        return sdimage_request_set_cache_key(get(), key.data(), key.size()), *this;
    }
    request &&set_cache_key(std::string_view key) &&noexcept { return std::move(set_cache_key(key)); }
    request &set_priority(sdimage::priority value) &noexcept {
        return sdimage_request_set_priority(get(), detail::c(value)), *this;
    }
    request &&set_priority(sdimage::priority value) &&noexcept { return std::move(set_priority(value)); }
    request &set_source_policy(sdimage::source_policy policy) &noexcept {
        return sdimage_request_set_source_policy(get(), detail::c(policy)), *this;
    }
    request &&set_source_policy(sdimage::source_policy policy) &&noexcept {
        return std::move(set_source_policy(policy));
    }
    request &set_decode_options(const sdimage::decode_options &options) &noexcept {
        return sdimage_request_set_decode_options(get(), options.get()), *this;
    }
    request &&set_decode_options(const sdimage::decode_options &options) &&noexcept {
        return std::move(set_decode_options(options));
    }
    sdimage::decode_options decode_options() const noexcept {
        return detail::copied<sdimage::decode_options>(sdimage_request_copy_decode_options, get());
    }
    request &set_progressive_interval_ms(std::uint32_t interval_ms) &noexcept {
        return sdimage_request_set_progressive_interval_ms(get(), interval_ms), *this;
    }
    request &&set_progressive_interval_ms(std::uint32_t interval_ms) &&noexcept {
        return std::move(set_progressive_interval_ms(interval_ms));
    }
    request &set_early_thumbnail(bool early) &noexcept {
        return sdimage_request_set_early_thumbnail(get(), early), *this;
    }
    request &&set_early_thumbnail(bool early) &&noexcept { return std::move(set_early_thumbnail(early)); }
    request &set_cache_policy(sdimage::cache_policy policy) &noexcept {
        return sdimage_request_set_cache_policy(get(), detail::c(policy)), *this;
    }
    request &&set_cache_policy(sdimage::cache_policy policy) &&noexcept { return std::move(set_cache_policy(policy)); }
    sdimage::cache_policy cache_policy() const noexcept {
        return static_cast<sdimage::cache_policy>(sdimage_request_cache_policy(get()));
    }
    request &set_encode_options(const sdimage::encode_options &options) &noexcept {
        return sdimage_request_set_encode_options(get(), options.get()), *this;
    }
    request &&set_encode_options(const sdimage::encode_options &options) &&noexcept {
        return std::move(set_encode_options(options));
    }
    request &set_encode_format(sdimage::format value) &noexcept {
        return sdimage_request_set_encode_format(get(), detail::c(value)), *this;
    }
    request &&set_encode_format(sdimage::format value) &&noexcept { return std::move(set_encode_format(value)); }
    request &set_include_data(bool include) &noexcept {
        return sdimage_request_set_include_data(get(), include), *this;
    }
    request &&set_include_data(bool include) &&noexcept { return std::move(set_include_data(include)); }
    request &set_blocking_reads(sdimage::blocking_reads reads) &noexcept {
        return sdimage_request_set_blocking_reads(get(), detail::c(reads)), *this;
    }
    request &&set_blocking_reads(sdimage::blocking_reads reads) &&noexcept {
        return std::move(set_blocking_reads(reads));
    }
    request &set_wait_for_store(bool wait) &noexcept { return sdimage_request_set_wait_for_store(get(), wait), *this; }
    request &&set_wait_for_store(bool wait) &&noexcept { return std::move(set_wait_for_store(wait)); }
    request &set_retry_failed(bool retry) &noexcept { return sdimage_request_set_retry_failed(get(), retry), *this; }
    request &&set_retry_failed(bool retry) &&noexcept { return std::move(set_retry_failed(retry)); }
    request &set_freshness(sdimage::freshness value) &noexcept {
        return sdimage_request_set_freshness(get(), detail::c(value)), *this;
    }
    request &&set_freshness(sdimage::freshness value) &&noexcept { return std::move(set_freshness(value)); }
    request &reset_freshness() &noexcept { return sdimage_request_reset_freshness(get()), *this; }
    request &&reset_freshness() &&noexcept { return std::move(reset_freshness()); }
    // None: the field is not sent, even if the downloader has a default for it.
    request &set_header(std::string_view name, std::optional<std::string_view> value) & {
        return sdimage_request_set_header(get(), detail::text(name), detail::optional_text(value)), *this;
    }
    request &&set_header(std::string_view name, std::optional<std::string_view> value) && {
        return std::move(set_header(name, value));
    }
    request &reset_header(std::string_view name) & {
        return sdimage_request_reset_header(get(), detail::text(name)), *this;
    }
    request &&reset_header(std::string_view name) && { return std::move(reset_header(name)); }
    request &set_method(std::optional<std::string_view> method) & {
        return sdimage_request_set_method(get(), detail::optional_text(method)), *this;
    }
    request &&set_method(std::optional<std::string_view> method) && { return std::move(set_method(method)); }
    std::string_view method() const &noexcept { return detail::view(sdimage_request_method(get())); }
    std::string method() && { return std::string(detail::view(sdimage_request_method(get()))); }
    request &set_body(const data &body) &noexcept { return sdimage_request_set_body(get(), body.get()), *this; }
    request &&set_body(const data &body) &&noexcept { return std::move(set_body(body)); }
    request &set_timeout_ms(std::uint32_t timeout_ms) &noexcept {
        return sdimage_request_set_timeout_ms(get(), timeout_ms), *this;
    }
    request &&set_timeout_ms(std::uint32_t timeout_ms) &&noexcept { return std::move(set_timeout_ms(timeout_ms)); }
    request &set_max_retries(std::uint32_t count) &noexcept {
        return sdimage_request_set_max_retries(get(), count), *this;
    }
    request &&set_max_retries(std::uint32_t count) &&noexcept { return std::move(set_max_retries(count)); }
    request &reset_max_retries() &noexcept { return sdimage_request_reset_max_retries(get()), *this; }
    request &&reset_max_retries() &&noexcept { return std::move(reset_max_retries()); }
    request &set_handle_cookies(bool handle) &noexcept {
        return sdimage_request_set_handle_cookies(get(), handle), *this;
    }
    request &&set_handle_cookies(bool handle) &&noexcept { return std::move(set_handle_cookies(handle)); }
    request &set_accept_invalid_certificates(bool accept) &noexcept {
        return sdimage_request_set_accept_invalid_certificates(get(), accept), *this;
    }
    request &&set_accept_invalid_certificates(bool accept) &&noexcept {
        return std::move(set_accept_invalid_certificates(accept));
    }
    request &set_max_body_bytes(std::size_t bytes) &noexcept {
        return sdimage_request_set_max_body_bytes(get(), bytes), *this;
    }
    request &&set_max_body_bytes(std::size_t bytes) &&noexcept { return std::move(set_max_body_bytes(bytes)); }
    request &set_dispatcher(const sdimage::dispatcher &value) &noexcept {
        return sdimage_request_set_dispatcher(get(), value.get()), *this;
    }
    request &&set_dispatcher(const sdimage::dispatcher &value) &&noexcept { return std::move(set_dispatcher(value)); }
    request &reset_dispatcher() &noexcept { return sdimage_request_reset_dispatcher(get()), *this; }
    request &&reset_dispatcher() &&noexcept { return std::move(reset_dispatcher()); }
    request &set_cache(const sdimage::cache &value) &noexcept {
        return sdimage_request_set_cache(get(), value.get()), *this;
    }
    request &&set_cache(const sdimage::cache &value) &&noexcept { return std::move(set_cache(value)); }
    request &reset_cache() &noexcept { return sdimage_request_reset_cache(get()), *this; }
    request &&reset_cache() &&noexcept { return std::move(reset_cache()); }
    request &set_loader(const sdimage::loader &value) &noexcept {
        return sdimage_request_set_loader(get(), value.get()), *this;
    }
    request &&set_loader(const sdimage::loader &value) &&noexcept { return std::move(set_loader(value)); }
    request &reset_loader() &noexcept { return sdimage_request_reset_loader(get()), *this; }
    request &&reset_loader() &&noexcept { return std::move(reset_loader()); }
    request &set_coder(const sdimage::coder &value) &noexcept {
        return sdimage_request_set_coder(get(), value.get()), *this;
    }
    request &&set_coder(const sdimage::coder &value) &&noexcept { return std::move(set_coder(value)); }
    request &set_original_cache(const sdimage::cache &value) &noexcept {
        return sdimage_request_set_original_cache(get(), value.get()), *this;
    }
    request &&set_original_cache(const sdimage::cache &value) &&noexcept {
        return std::move(set_original_cache(value));
    }
    request &reset_original_cache() &noexcept { return sdimage_request_reset_original_cache(get()), *this; }
    request &&reset_original_cache() &&noexcept { return std::move(reset_original_cache()); }
    request &set_transformer(const sdimage::transformer &value) &noexcept {
        return sdimage_request_set_transformer(get(), value.get()), *this;
    }
    request &&set_transformer(const sdimage::transformer &value) &&noexcept {
        return std::move(set_transformer(value));
    }
    request &add_transformer(const sdimage::transformer &value) &noexcept {
        return sdimage_request_add_transformer(get(), value.get()), *this;
    }
    request &&add_transformer(const sdimage::transformer &value) &&noexcept {
        return std::move(add_transformer(value));
    }
    request &reset_transformer() &noexcept { return sdimage_request_reset_transformer(get()), *this; }
    request &&reset_transformer() &&noexcept { return std::move(reset_transformer()); }
    request &set_transform_animated(bool transform) &noexcept {
        return sdimage_request_set_transform_animated(get(), transform), *this;
    }
    request &&set_transform_animated(bool transform) &&noexcept { return std::move(set_transform_animated(transform)); }
    request &set_transform_vector(bool transform) &noexcept {
        return sdimage_request_set_transform_vector(get(), transform), *this;
    }
    request &&set_transform_vector(bool transform) &&noexcept { return std::move(set_transform_vector(transform)); }
    request &set_preload_frames(bool preload) &noexcept {
        return sdimage_request_set_preload_frames(get(), preload), *this;
    }
    request &&set_preload_frames(bool preload) &&noexcept { return std::move(set_preload_frames(preload)); }
    request &set_require_animation(bool require) &noexcept {
        return sdimage_request_set_require_animation(get(), require), *this;
    }
    request &&set_require_animation(bool require) &&noexcept { return std::move(set_require_animation(require)); }
    request &set_options(const sdimage::options &value) &noexcept {
        return sdimage_request_set_options(get(), value.get()), *this;
    }
    request &&set_options(const sdimage::options &value) &&noexcept { return std::move(set_options(value)); }
    // The body of the request; empty when there is none.
    sdimage::data body() const noexcept { return retain<sdimage::data>(sdimage_request_body(get())); }
    // The named values for hooks, custom loaders, coders and caches, read-only; empty when there are none.
    sdimage::options options() const noexcept { return retain<sdimage::options>(sdimage_request_options(get())); }
};

inline download_hooks download_hooks::fixed(const class request &request, const response &response) {
    return detail::make<download_hooks>(sdimage_download_hooks_new_fixed, request.get(), response.get());
}

// Percent-encodes a text for one component of a URL.
inline std::string url_escape(std::string_view text) {
    return std::string(detail::make<data>(sdimage_url_escape, text.data(), text.size()).text());
}

} // namespace sdimage

#endif
