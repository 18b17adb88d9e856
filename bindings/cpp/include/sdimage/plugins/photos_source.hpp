// photos_source.hpp: custom photo libraries: a phone, a web album, a catalog.
#ifndef SDIMAGE_PLUGINS_PHOTOS_SOURCE_HPP
#define SDIMAGE_PLUGINS_PHOTOS_SOURCE_HPP

#include <sdimage/plugins/sys/photos_source.h>

#include "../custom_loader.hpp"
#include "photos.hpp"

namespace sdimage {
namespace photos {

// Class: single-owner.
class asset_config : public detail::owned<sdimage_photos_asset_config, sdimage_photos_asset_config_unref>,
                     public detail::photos_asset_config_getters<asset_config> {
public:
    using owned::owned;
    explicit asset_config(std::string_view identifier)
        : owned(detail::made(sdimage_photos_asset_config_new(detail::text(identifier)))) {}
    // The C functions of the same names: photos_source.h.
    asset_config &set_media(photos::media value) &noexcept {
        return sdimage_photos_asset_config_set_media(get(), detail::c(value)), *this;
    }
    asset_config &&set_media(photos::media value) &&noexcept { return std::move(set_media(value)); }
    asset_config &set_origin(photos::origin value) &noexcept {
        return sdimage_photos_asset_config_set_origin(get(), detail::c(value)), *this;
    }
    asset_config &&set_origin(photos::origin value) &&noexcept { return std::move(set_origin(value)); }
    asset_config &set_format(sdimage::format value) &noexcept {
        return sdimage_photos_asset_config_set_format(get(), detail::c(value)), *this;
    }
    asset_config &&set_format(sdimage::format value) &&noexcept { return std::move(set_format(value)); }
    asset_config &set_playback(photos::playback value) &noexcept {
        return sdimage_photos_asset_config_set_playback(get(), detail::c(value)), *this;
    }
    asset_config &&set_playback(photos::playback value) &&noexcept { return std::move(set_playback(value)); }
    asset_config &set_pixel_size(std::uint32_t width, std::uint32_t height) &noexcept {
        return sdimage_photos_asset_config_set_pixel_size(get(), width, height), *this;
    }
    asset_config &&set_pixel_size(std::uint32_t width, std::uint32_t height) &&noexcept {
        return std::move(set_pixel_size(width, height));
    }
    asset_config &set_dates(std::int64_t taken_ns, std::int64_t modified_ns) &noexcept {
        return sdimage_photos_asset_config_set_dates(get(), taken_ns, modified_ns), *this;
    }
    asset_config &&set_dates(std::int64_t taken_ns, std::int64_t modified_ns) &&noexcept {
        return std::move(set_dates(taken_ns, modified_ns));
    }
    asset_config &set_rating(std::int32_t rating) &noexcept {
        return sdimage_photos_asset_config_set_rating(get(), rating), *this;
    }
    asset_config &&set_rating(std::int32_t rating) &&noexcept { return std::move(set_rating(rating)); }
    asset_config &set_name(std::string_view name) & {
        return sdimage_photos_asset_config_set_name(get(), detail::text(name)), *this;
    }
    asset_config &&set_name(std::string_view name) && { return std::move(set_name(name)); }
    asset_config &add_album(std::string_view album) & {
        return sdimage_photos_asset_config_add_album(get(), detail::text(album)), *this;
    }
    asset_config &&add_album(std::string_view album) && { return std::move(add_album(album)); }
    asset make() const { return asset(detail::made(sdimage_photos_asset_new(get()))); }
};

// The completion of a request for an asset. The first call counts. Class: synchronized.
class asset_reply : public detail::shared<sdimage_photos_reply, sdimage_photos_reply_ref, sdimage_photos_reply_unref> {
public:
    using shared::shared;
    // An empty asset means that there is none.
    void complete(const asset &found) const noexcept { sdimage_photos_reply_complete(get(), found.get()); }
    void fail(const failure &why) const noexcept { sdimage_photos_reply_fail(get(), why.get()); }
    bool is_cancelled() const noexcept { return sdimage_photos_reply_is_cancelled(get()); }
};

// Base class for make_library. Called on the library's single thread, serialized. A thrown exception is the error of
// the load. Functions that a class does not override are NULL in the table. Overrides must be public.
class custom_library {
public:
    virtual ~custom_library() = default;
    // Completes the reply at any time, from any thread. The options may be empty.
    virtual void fetch(std::string_view identifier, const fetch_options &which, asset_reply answer) = 0;
    // Writes a picture into the sink; 0 x 0 means the full size.
    virtual void image(const asset &one, size wanted, const request_options &how, const load_sink &sink) = 0;
    // Writes the encoded bytes into the sink.
    virtual void bytes(const asset &, const load_sink &) {}
    // No caller is waiting for the sink any longer. Any thread, must not block.
    virtual void cancel(const load_sink &) {}
};

// A library backed by an object of T, which is constructed here from `arguments`.
template <class T, class... A> library make_library(std::string_view name, A &&...arguments) {
    static_assert(std::is_base_of_v<custom_library, T>);
    auto table = detail::empty_table<sdimage_photos_library_vtable>();
    table.fetch = [](void *self, const char *identifier, const sdimage_photos_fetch_options *which,
                     sdimage_photos_reply *answer) {
        const asset_reply reply(answer);
        const detail::lent<fetch_options> which_lent(which);
        try {
            detail::state<T>(self).fetch(detail::view(identifier), *which_lent, reply);
        } catch (...) {
            reply.fail(detail::caught());
        }
    };
    table.image = [](void *self, sdimage_photos_asset *one, sdimage_size wanted,
                     const sdimage_photos_request_options *how, sdimage_load_sink *sink) {
        return detail::into<load_sink>(sink, [&](const load_sink &into) {
            detail::state<T>(self).image(*detail::lent<asset>(one), wanted, *detail::lent<request_options>(how), into);
        });
    };
    if constexpr (detail::overrides(&T::bytes, &custom_library::bytes)) {
        table.bytes = [](void *self, sdimage_photos_asset *one, sdimage_load_sink *sink) {
            return detail::into<load_sink>(
                sink, [&](const load_sink &into) { detail::state<T>(self).bytes(*detail::lent<asset>(one), into); });
        };
    }
    if constexpr (detail::overrides(&T::cancel, &custom_library::cancel)) {
        table.cancel = [](void *self, sdimage_load_sink *sink) {
            detail::guarded([&] { detail::state<T>(self).cancel(*detail::lent<load_sink>(sink)); });
        };
    }
    const detail::text called(name);
    return detail::handed_over<library>(std::make_unique<T>(std::forward<A>(arguments)...),
                                        sdimage_photos_library_new_custom, called.get(), &table);
}

} // namespace photos
} // namespace sdimage

#endif
