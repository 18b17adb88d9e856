// result.hpp: the contents of one delivery of a load, and server responses.
#ifndef SDIMAGE_RESULT_HPP
#define SDIMAGE_RESULT_HPP

#include <chrono>

#include "image.hpp"

namespace sdimage {

inline std::string_view name(image_source value) noexcept {
    return sdimage_image_source_name(detail::c(value));
}
inline std::string_view name(freshness_rule value) noexcept {
    return sdimage_freshness_rule_name(detail::c(value));
}

// The response of a server: status and header fields. Class: single-owner.
class response : public detail::owned<sdimage_response, sdimage_response_unref> {
public:
    using owned::owned;
    explicit response(std::int32_t status) : owned(detail::made(sdimage_response_new(status))) {}

    // The first field of that name; none when it is absent. The text is valid until the response is changed.
    std::optional<std::string_view> header(std::string_view name) const & {
        const char *found = sdimage_response_header(get(), detail::text(name));
        return found ? std::optional<std::string_view>(found) : std::nullopt;
    }
    std::optional<std::string> header(std::string_view name) && {
        const char *found = sdimage_response_header(get(), detail::text(name));
        return found ? std::optional<std::string>(found) : std::nullopt;
    }
    // All header fields, in their order.
    std::vector<std::pair<std::string, std::string>> headers() const {
        std::vector<std::pair<std::string, std::string>> all;
        const char *value = nullptr;
        while (const char *name = sdimage_response_header_at(get(), all.size(), &value))
            all.emplace_back(name, value);
        return all;
    }
    // The C functions of the same names: hooks.h.
    std::string_view url() const &noexcept { return detail::view(sdimage_response_url(get())); }
    std::string url() && { return std::string(detail::view(sdimage_response_url(get()))); }
    std::int32_t status() const noexcept { return sdimage_response_status(get()); }
    response &set_status(std::int32_t status) &noexcept { return sdimage_response_set_status(get(), status), *this; }
    response &&set_status(std::int32_t status) &&noexcept { return std::move(set_status(status)); }
    response &set_header(std::string_view name, std::optional<std::string_view> value) & {
        return sdimage_response_set_header(get(), detail::text(name), detail::optional_text(value)), *this;
    }
    response &&set_header(std::string_view name, std::optional<std::string_view> value) && {
        return std::move(set_header(name, value));
    }
    response &add_header(std::string_view name, std::string_view value) & {
        return sdimage_response_add_header(get(), detail::text(name), detail::text(value)), *this;
    }
    response &&add_header(std::string_view name, std::string_view value) && {
        return std::move(add_header(name, value));
    }
};

// One exchange of the built-in downloader: a redirect hop or an attempt.
struct transaction {
    std::string_view url;            // without user and password; these texts are valid as long as the result
    std::int32_t http_status;        // 0 without a response
    std::string_view protocol;       // "HTTP/2"
    std::string_view remote_address; // "192.0.2.1:443"
    bool is_connection_reused;
    std::uint64_t wire_bytes; // heads and body as received
    std::uint64_t body_bytes; // after content decoding
    // Nanoseconds from the start to the end of each phase, indexed by phase; 0 for a phase that did not run.
    std::uint64_t time_ns[5];
};

// The time that a load spent in each stage; zero for a stage that did not run.
struct stage_times {
    std::chrono::nanoseconds total;  // from the starting call to the delivery
    std::chrono::nanoseconds queued; // from the starting call to the first work
    std::chrono::nanoseconds disk;   // disk cache look-up
    std::chrono::nanoseconds load;   // waiting for a loader
    std::chrono::nanoseconds decode; // decoding, including the wait for a worker
    std::chrono::nanoseconds store;  // waiting for the store, if the request demands it
};

// Class: immutable.
class result : public detail::shared<sdimage_result, sdimage_result_ref, sdimage_result_unref> {
public:
    using shared::shared;

    // The image; empty when there is none.
    sdimage::image image() const noexcept { return retain<sdimage::image>(sdimage_result_image(get())); }
    // The encoded bytes, if the load has them.
    sdimage::data data() const noexcept { return retain<sdimage::data>(sdimage_result_data(get())); }
    // The reason for a missing or stale image; empty on success.
    failure why() const noexcept { return retain<failure>(sdimage_result_error(get())); }
    // The image; throws the error when there is none. Empty after a cache-only load that found nothing.
    sdimage::image value() const {
        sdimage::image picture = image();
        if (!picture) check();
        return picture;
    }
    // Throws a load_error if the load failed without an image.
    void check() const;
    // The C functions of the same names: result.h.
    delivery_kind kind() const noexcept { return static_cast<delivery_kind>(sdimage_result_kind(get())); }
    image_source source() const noexcept { return static_cast<image_source>(sdimage_result_source(get())); }
    bool is_changed() const noexcept { return sdimage_result_is_changed(get()); }
    bool is_stale() const noexcept { return sdimage_result_is_stale(get()); }
    freshness_rule freshness() const noexcept { return static_cast<freshness_rule>(sdimage_result_freshness(get())); }
    std::string_view url() const &noexcept { return detail::view(sdimage_result_url(get())); }
    std::string url() && { return std::string(detail::view(sdimage_result_url(get()))); }
    std::string_view cache_key() const &noexcept { return detail::view(sdimage_result_cache_key(get())); }
    std::string cache_key() && { return std::string(detail::view(sdimage_result_cache_key(get()))); }
    std::uint64_t time_ns(stage value) const noexcept { return sdimage_result_time_ns(get(), detail::c(value)); }
    stage_times times() const noexcept {
        return {time(stage::total), time(stage::queued), time(stage::disk),
                time(stage::load),  time(stage::decode), time(stage::store)};
    }
    sdimage::response response() const noexcept {
        return detail::copied<sdimage::response>(sdimage_result_get_response, get());
    }

    // The exchanges of the built-in downloader, in order.
    std::vector<transaction> transactions() const {
        std::vector<transaction> all;
        for (std::size_t i = 0; i < sdimage_result_transaction_count(get()); i++)
            all.push_back(transaction_at(i));
        return all;
    }

private:
    std::chrono::nanoseconds time(stage value) const noexcept {
        return std::chrono::nanoseconds(static_cast<std::chrono::nanoseconds::rep>(time_ns(value)));
    }
    transaction transaction_at(std::size_t index) const noexcept {
        transaction one{detail::view(sdimage_result_transaction_url(get(), index)),
                        sdimage_result_transaction_http_status(get(), index),
                        detail::view(sdimage_result_transaction_protocol(get(), index)),
                        detail::view(sdimage_result_transaction_remote_address(get(), index)),
                        sdimage_result_transaction_is_connection_reused(get(), index),
                        sdimage_result_transaction_wire_bytes(get(), index),
                        sdimage_result_transaction_body_bytes(get(), index),
                        {}};
        for (int phase = 0; phase < 5; phase++)
            one.time_ns[phase] =
                sdimage_result_transaction_time_ns(get(), index, static_cast<sdimage_transaction_phase>(phase));
        return one;
    }
};

// The exception of a load that ended without an image. Besides the error it has the result of the load: times,
// exchanges and the response of the server.
class load_error : public error {
public:
    explicit load_error(sdimage::result ended) : error(ended.why()), ended_(std::move(ended)) {}

    const sdimage::result &result() const noexcept { return ended_; }
    stage_times times() const noexcept { return ended_.times(); }

private:
    sdimage::result ended_;
};

inline void result::check() const {
    if (!sdimage_result_image(get()) && sdimage_result_error(get())) throw load_error(*this);
}

} // namespace sdimage

#endif
