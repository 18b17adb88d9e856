// hooks.hpp: hooks into downloads and loads: keys, requests, responses, stored bytes, refusals.
#ifndef SDIMAGE_HOOKS_HPP
#define SDIMAGE_HOOKS_HPP

#include "custom_cache.hpp"
#include "custom_loader.hpp"

namespace sdimage {

// An event of a transfer; borrowed for the call that reports it.
class download_event {
public:
    explicit download_event(const sdimage_download_event *lent) noexcept : lent_(lent) {}
    const sdimage_download_event *get() const noexcept { return lent_; }
    transfer_stage stage() const noexcept { return static_cast<transfer_stage>(sdimage_download_event_stage(get())); }
    std::string_view url() const noexcept { return detail::view(sdimage_download_event_url(get())); }
    std::int32_t http_status() const noexcept { return sdimage_download_event_http_status(get()); }
    byte_progress progress() const noexcept {
        return {sdimage_download_event_received(get()), sdimage_download_event_expected(get())};
    }
    // The time since the transfer started.
    std::uint64_t time_ns() const noexcept { return sdimage_download_event_time_ns(get()); }
    // Empty on success.
    failure why() const noexcept { return retain<failure>(sdimage_download_event_error(get())); }

private:
    const sdimage_download_event *lent_;
};

// Base class for make_download_hooks. Functions that a class does not override are NULL in the table. Overrides must be
// public. Functions with a reply may complete it later, from any thread; a thrown exception completes it with an error.
class custom_download_hooks {
public:
    virtual ~custom_download_hooks() = default;
    // Changes URL, method, header fields and body before they are sent. The program owns the request until it completes
    // the reply.
    virtual void modify_request(request, reply answer) { answer.complete(); }
    // Changes status and header fields before they are evaluated.
    virtual void modify_response(response, reply answer) { answer.complete(); }
    // Returns the bytes of the image, computed from the received bytes. Must only compute.
    virtual data decrypt(const data &bytes, const response &) { return bytes; }
    // complete follows the redirect, complete_with_data goes to the URL in the data, an error ends the load.
    virtual void redirect(std::string_view, std::string_view, std::int32_t, reply answer) { answer.complete(); }
    // Called on the library's callback thread.
    virtual void event(const download_event &) {}
};

namespace detail {
template <class T> void set_changes(sdimage_download_hooks_vtable &table) {
    using base = custom_download_hooks;
    if constexpr (overrides(&T::modify_request, &base::modify_request)) {
        table.modify_request = [](void *self, sdimage_request *wanted, sdimage_reply *answer) {
            replied(answer, [&](const reply &to) {
                // The C contract gives the request to the host until it completes the reply: takes a reference for that
                // time.
                state<T>(self).modify_request(request(sdimage_request_ref(wanted)), to);
            });
        };
    }
    if constexpr (overrides(&T::modify_response, &base::modify_response)) {
        table.modify_response = [](void *self, sdimage_response *came, sdimage_reply *answer) {
            replied(answer,
                    [&](const reply &to) { state<T>(self).modify_response(response(sdimage_response_ref(came)), to); });
        };
    }
}
} // namespace detail

// Hooks backed by an object of T, which is constructed here from `arguments`; for downloader_config and request.
template <class T, class... A> download_hooks make_download_hooks(A &&...arguments) {
    using base = custom_download_hooks;
    static_assert(std::is_base_of_v<base, T>);
    auto table = detail::empty_table<sdimage_download_hooks_vtable>();
    detail::set_changes<T>(table);
    if constexpr (detail::overrides(&T::decrypt, &base::decrypt)) {
        table.decrypt = [](void *self, sdimage_data *bytes, const sdimage_response *came, sdimage_data **plain,
                           sdimage_error **why) {
            return detail::answered(why, [&] {
                const detail::lent<data> data_lent(bytes);
                const detail::lent<response> response_lent(came);
                *plain = detail::state<T>(self).decrypt(*data_lent, *response_lent).release();
            });
        };
    }
    if constexpr (detail::overrides(&T::redirect, &base::redirect)) {
        table.redirect = [](void *self, const char *from, const char *to, std::int32_t code, sdimage_reply *answer) {
            detail::replied(answer, [&](const reply &by) {
                detail::state<T>(self).redirect(detail::view(from), detail::view(to), code, by);
            });
        };
    }
    if constexpr (detail::overrides(&T::event, &base::event)) {
        table.event = [](void *self, const sdimage_download_event *what) {
            const download_event lent(what);
            detail::guarded([&] { detail::state<T>(self).event(lent); });
        };
    }
    return detail::handed_over<download_hooks>(std::make_unique<T>(std::forward<A>(arguments)...),
                                               sdimage_download_hooks_new_custom, &table);
}

// Base class for make_load_hooks. Functions that a class does not override are NULL in the table. Overrides must be
// public.
class custom_load_hooks {
public:
    virtual ~custom_load_hooks() = default;
    // Changes a request before anything else is done with it. Inline: must not block.
    virtual void process_request(request &) {}
    // The base of the cache key in place of the URL; "" disables caching. Inline.
    virtual std::string cache_key(const request &) { return {}; }
    // The bytes to store on disk; empty leaves the choice to the library. Must only compute.
    virtual data serialize(const request &, const image &, const data &) { return {}; }
    // Reports whether an image that is not in memory may be loaded. Inline.
    virtual bool should_load(const request &) { return true; }
    // Reports whether a failed URL is not requested again for a while. Inline.
    virtual bool should_remember_failure(const request &, const failure &) { return false; }
};

namespace detail {
template <class T> void set_keys(sdimage_load_hooks_vtable &table) {
    using base = custom_load_hooks;
    if constexpr (overrides(&T::process_request, &base::process_request)) {
        table.process_request = [](void *self, sdimage_request *wanted) {
            lent<request> request_lent(wanted);
            guarded([&] { state<T>(self).process_request(*request_lent); });
        };
    }
    if constexpr (overrides(&T::cache_key, &base::cache_key)) {
        table.cache_key = [](void *self, const sdimage_request *wanted) -> sdimage_data * {
            const lent<request> request_lent(wanted);
            return guarded(static_cast<sdimage_data *>(nullptr),
                           [&] { return data(bytes_view(state<T>(self).cache_key(*request_lent))).release(); });
        };
    }
    if constexpr (overrides(&T::serialize, &base::serialize)) {
        table.serialize = [](void *self, const sdimage_request *wanted, sdimage_image *picture,
                             sdimage_data *bytes) -> sdimage_data * {
            const lent<request> request_lent(wanted);
            const lent<image> image_lent(picture);
            const lent<data> data_lent(bytes);
            return guarded(static_cast<sdimage_data *>(nullptr),
                           [&] { return state<T>(self).serialize(*request_lent, *image_lent, *data_lent).release(); });
        };
    }
}
} // namespace detail

// Hooks backed by an object of T, which is constructed here from `arguments`; for manager_config and request.
template <class T, class... A> load_hooks make_load_hooks(A &&...arguments) {
    using base = custom_load_hooks;
    static_assert(std::is_base_of_v<base, T>);
    auto table = detail::empty_table<sdimage_load_hooks_vtable>();
    detail::set_keys<T>(table);
    if constexpr (detail::overrides(&T::should_load, &base::should_load)) {
        table.should_load = [](void *self, const sdimage_request *wanted) {
            const detail::lent<request> request_lent(wanted);
            return detail::guarded(false, [&] { return detail::state<T>(self).should_load(*request_lent); });
        };
    }
    if constexpr (detail::overrides(&T::should_remember_failure, &base::should_remember_failure)) {
        table.should_remember_failure = [](void *self, const sdimage_request *wanted, const sdimage_error *why) {
            const detail::lent<request> request_lent(wanted);
            const detail::lent<failure> failure_lent(why);
            return detail::guarded(
                false, [&] { return detail::state<T>(self).should_remember_failure(*request_lent, *failure_lent); });
        };
    }
    return detail::handed_over<load_hooks>(std::make_unique<T>(std::forward<A>(arguments)...),
                                           sdimage_load_hooks_new_custom, &table);
}

} // namespace sdimage

#endif
