// photos.hpp: the photo library plug-in, -lsdimage-photos: photos with identifiers that stay valid when files move.
//
//   auto library = photos::library::open();                    the XDG Pictures folder
//   for (const photos::asset &one : library.fetch())           newest first
//       loads.start(one.request(), show);                      the manager's loader includes photos::make_loader's
//
// Custom libraries: photos_source.hpp.
#ifndef SDIMAGE_PLUGINS_PHOTOS_HPP
#define SDIMAGE_PLUGINS_PHOTOS_HPP

#include "../request.hpp"
#include "photos_enums.hpp"
#include "photos_getters.hpp"

namespace sdimage {
namespace photos {

namespace detail {
using namespace sdimage::detail;
inline std::string freed(char *text) {
    std::string copy = text ? text : "";
    sdimage_photos_free(text);
    return copy;
}
} // namespace detail

// Class: immutable. Texts are valid as long as the asset.
class asset : public detail::shared<sdimage_photos_asset, sdimage_photos_asset_ref, sdimage_photos_asset_unref> {
public:
    using shared::shared;
    // The asset that a request carries; empty when none.
    static asset of(const sdimage::request &wanted) noexcept {
        return retain<asset>(sdimage_photos_asset_of_request(wanted.get()));
    }

    // The C functions of the same names: photos.h.
    std::string_view identifier() const &noexcept { return detail::view(sdimage_photos_asset_identifier(get())); }
    std::string identifier() && { return std::string(detail::view(sdimage_photos_asset_identifier(get()))); }
    photos::media media() const noexcept { return static_cast<photos::media>(sdimage_photos_asset_media(get())); }
    photos::origin origin() const noexcept { return static_cast<photos::origin>(sdimage_photos_asset_origin(get())); }
    photos::playback playback() const noexcept {
        return static_cast<photos::playback>(sdimage_photos_asset_playback(get()));
    }
    std::string_view type() const &noexcept { return detail::view(sdimage_photos_asset_type(get())); }
    std::string type() && { return std::string(detail::view(sdimage_photos_asset_type(get()))); }
    sdimage::format format() const noexcept { return static_cast<sdimage::format>(sdimage_photos_asset_format(get())); }
    size pixel_size() const noexcept { return sdimage_photos_asset_pixel_size(get()); }
    sdimage::orientation orientation() const noexcept {
        return static_cast<sdimage::orientation>(sdimage_photos_asset_orientation(get()));
    }
    std::int64_t taken_ns() const noexcept { return sdimage_photos_asset_taken_ns(get()); }
    std::int64_t modified_ns() const noexcept { return sdimage_photos_asset_modified_ns(get()); }
    std::uint64_t file_size() const noexcept { return sdimage_photos_asset_file_size(get()); }
    std::int32_t rating() const noexcept { return sdimage_photos_asset_rating(get()); }
    std::string_view path() const &noexcept { return detail::view(sdimage_photos_asset_path(get())); }
    std::string path() && { return std::string(detail::view(sdimage_photos_asset_path(get()))); }
    std::string_view name() const &noexcept { return detail::view(sdimage_photos_asset_name(get())); }
    std::string name() && { return std::string(detail::view(sdimage_photos_asset_name(get()))); }
    // The albums that contain the asset.
    std::vector<std::string_view> albums() const {
        std::vector<std::string_view> all;
        for (std::size_t i = 0; i < sdimage_photos_asset_album_count(get()); i++)
            all.push_back(detail::view(sdimage_photos_asset_album(get(), i)));
        return all;
    }
    // A request for the asset's ph: URL that carries the asset itself.
    sdimage::request request() const { return detail::make<sdimage::request>(sdimage_photos_asset_request, get()); }
    std::string url() const { return detail::freed(sdimage_photos_url_of_asset(get())); }
    // Writes a freedesktop thumbnail of the file for all programs of the user. Reads and decodes the file.
    void write_thumbnail(std::uint32_t side) const { detail::run(sdimage_photos_asset_write_thumbnail, get(), side); }
};

// ph: URLs; "" for invalid input.
inline std::string url_of_identifier(std::string_view identifier) {
    return detail::freed(sdimage_photos_url_of_identifier(detail::text(identifier)));
}
inline std::string identifier_of_url(std::string_view url) {
    return detail::freed(sdimage_photos_identifier_of_url(url.data(), url.size()));
}

// Selection of assets. Class: single-owner.
class fetch_options : public detail::owned<sdimage_photos_fetch_options, sdimage_photos_fetch_options_unref>,
                      public detail::photos_fetch_options_getters<fetch_options> {
public:
    using owned::owned;
    fetch_options() : owned(detail::made(sdimage_photos_fetch_options_new())) {}
    // The C functions of the same names: photos.h.
    fetch_options &set_album(std::optional<std::string_view> album, bool nested) & {
        return sdimage_photos_fetch_options_set_album(get(), detail::optional_text(album), nested), *this;
    }
    fetch_options &&set_album(std::optional<std::string_view> album, bool nested) && {
        return std::move(set_album(album, nested));
    }
    fetch_options &set_taken(std::int64_t from_ns, std::int64_t until_ns) &noexcept {
        return sdimage_photos_fetch_options_set_taken(get(), from_ns, until_ns), *this;
    }
    fetch_options &&set_taken(std::int64_t from_ns, std::int64_t until_ns) &&noexcept {
        return std::move(set_taken(from_ns, until_ns));
    }
    fetch_options &set_rating(std::int32_t least) &noexcept {
        return sdimage_photos_fetch_options_set_rating(get(), least), *this;
    }
    fetch_options &&set_rating(std::int32_t least) &&noexcept { return std::move(set_rating(least)); }
    fetch_options &set_order(photos::order value, bool descending) &noexcept {
        return sdimage_photos_fetch_options_set_order(get(), detail::c(value), descending), *this;
    }
    fetch_options &&set_order(photos::order value, bool descending) &&noexcept {
        return std::move(set_order(value, descending));
    }
    fetch_options &set_page(std::size_t offset, std::size_t limit) &noexcept {
        return sdimage_photos_fetch_options_set_page(get(), offset, limit), *this;
    }
    fetch_options &&set_page(std::size_t offset, std::size_t limit) &&noexcept {
        return std::move(set_page(offset, limit));
    }
    bool should_include(const asset &value) const noexcept {
        return sdimage_photos_fetch_options_should_include(get(), value.get());
    }
    fetch_options &set_media(photos::media value) &noexcept {
        return sdimage_photos_fetch_options_set_media(get(), static_cast<std::uint32_t>(value)), *this;
    }
    fetch_options &&set_media(photos::media value) &&noexcept { return std::move(set_media(value)); }
    fetch_options &set_origins(photos::origin value) &noexcept {
        return sdimage_photos_fetch_options_set_origins(get(), static_cast<std::uint32_t>(value)), *this;
    }
    fetch_options &&set_origins(photos::origin value) &&noexcept { return std::move(set_origins(value)); }
    // Takes bool(const asset &), called on the fetching thread; must not block.
    template <class F> fetch_options &set_filter(F should_include) & {
        auto table = detail::empty_table<sdimage_photos_filter_vtable>();
        table.should_include = [](void *self, const sdimage_photos_asset *one) {
            const detail::lent<asset> lent(one);
            return detail::guarded(false, [&]() -> bool { return detail::state<F>(self)(*lent); });
        };
        detail::run(sdimage_photos_fetch_options_set_filter, get(), &table,
                    static_cast<void *>(detail::boxed(std::move(should_include)).release()), &detail::destroyed<F>);
        return *this;
    }
    template <class F> fetch_options &&set_filter(F should_include) && {
        return std::move(set_filter(std::move(should_include)));
    }
};

// Class: immutable.
class list : public detail::shared<sdimage_photos_list, sdimage_photos_list_ref, sdimage_photos_list_unref> {
public:
    using shared::shared;
    std::size_t size() const noexcept { return sdimage_photos_list_count(get()); }
    // The total number of assets without paging.
    std::size_t total() const noexcept { return sdimage_photos_list_total(get()); }
    asset operator[](std::size_t index) const noexcept {
        return retain<asset>(sdimage_photos_list_asset(get(), index));
    }
    std::vector<asset> all() const {
        std::vector<asset> assets;
        for (std::size_t i = 0; i < size(); i++)
            assets.push_back((*this)[i]);
        return assets;
    }
};

// Class: single-owner.
class library_config : public detail::owned<sdimage_photos_library_config, sdimage_photos_library_config_unref>,
                       public detail::photos_library_config_getters<library_config> {
public:
    using owned::owned;
    library_config() : owned(detail::made(sdimage_photos_library_config_new())) {}
    library_config &set_index_folder(std::string_view path) & {
        return sdimage_photos_library_config_set_index_folder(get(), detail::text(path)), *this;
    }
    library_config &&set_index_folder(std::string_view path) && { return std::move(set_index_folder(path)); }
    library_config &set_watch(bool watch) &noexcept {
        return sdimage_photos_library_config_set_watch(get(), watch), *this;
    }
    library_config &&set_watch(bool watch) &&noexcept { return std::move(set_watch(watch)); }
};

// Base class for library::set_handler, for changes; called on the library's thread. The asset is borrowed: copy it to
// hold it.
class library_handler {
public:
    virtual ~library_handler() = default;
    virtual void inserted(const asset &) {}
    virtual void removed(const asset &) {}
    virtual void changed(const asset &) {}
};

// Class: synchronized. Functions that read the tree block.
class library
    : public detail::shared<sdimage_photos_library, sdimage_photos_library_ref, sdimage_photos_library_unref> {
public:
    using shared::shared;
    // Opens a tree, or a database of Shotwell or digiKam. Without a path: the default location of that kind.
    static library open(std::optional<std::string_view> path = {}, const library_config &config = nullptr) {
        return detail::make<library>(sdimage_photos_library_open, detail::optional_text(path), config.get());
    }
    static library open_shotwell(std::optional<std::string_view> path = {}) {
        return detail::make<library>(sdimage_photos_library_open_shotwell, detail::optional_text(path));
    }
    static library open_digikam(std::optional<std::string_view> path = {}) {
        return detail::make<library>(sdimage_photos_library_open_digikam, detail::optional_text(path));
    }
    // The C functions of the same names: photos.h.
    std::string_view name() const &noexcept { return detail::view(sdimage_photos_library_name(get())); }
    std::string name() && { return std::string(detail::view(sdimage_photos_library_name(get()))); }
    bool is_watching() const noexcept { return sdimage_photos_library_is_watching(get()); }
    std::string_view note() const &noexcept { return detail::view(sdimage_photos_library_note(get())); }
    std::string note() && { return std::string(detail::view(sdimage_photos_library_note(get()))); }
    void cancel_loads() const noexcept { sdimage_photos_library_cancel_loads(get()); }

    // Scans the whole tree now. bool(found, read) stops the scan by returning false.
    template <class F> void scan(F progress) const {
        auto table = detail::empty_table<sdimage_photos_scan_handler>();
        table.progress = [](void *self, std::uint64_t found, std::uint64_t read) {
            return detail::guarded(false, [&]() -> bool { return detail::state<F>(self)(found, read); });
        };
        // Borrowed for the call: unused after the function returns.
        detail::run(sdimage_photos_library_scan, get(), &table, static_cast<void *>(&progress), nullptr);
    }
    void scan() const { detail::run(sdimage_photos_library_scan, get(), nullptr, nullptr, nullptr); }
    list fetch(const fetch_options &which = nullptr) const {
        return detail::make<list>(sdimage_photos_library_fetch, get(), which.get());
    }
    // Throws PHOTOS_NOT_FOUND.
    asset find(std::string_view identifier, const fetch_options &which = nullptr) const {
        return detail::make<asset>(sdimage_photos_library_find, get(), detail::text(identifier), which.get());
    }
    // Replaces the handler; empty removes it.
    void set_handler(std::unique_ptr<library_handler> handler) const {
        auto table = detail::empty_table<sdimage_photos_library_handler>();
        table.inserted = [](void *self, sdimage_photos_asset *one) { tell(self, one, &library_handler::inserted); };
        table.removed = [](void *self, sdimage_photos_asset *one) { tell(self, one, &library_handler::removed); };
        table.changed = [](void *self, sdimage_photos_asset *one) { tell(self, one, &library_handler::changed); };
        const sdimage_photos_library_handler *given = handler ? &table : nullptr;
        detail::run(sdimage_photos_library_set_handler, get(), given, static_cast<void *>(handler.release()),
                    &detail::destroyed<library_handler>);
    }

private:
    static void tell(void *self, sdimage_photos_asset *one, void (library_handler::*what)(const asset &)) {
        const detail::lent<asset> lent(one);
        detail::guarded([&] { (detail::state<library_handler>(self).*what)(*lent); });
    }
};

// Selects the picture of an asset and its delivery. Class: single-owner.
class request_options : public detail::owned<sdimage_photos_request_options, sdimage_photos_request_options_unref>,
                        public detail::photos_request_options_getters<request_options> {
public:
    using owned::owned;
    request_options() : owned(detail::made(sdimage_photos_request_options_new())) {}
    // The C functions of the same names: photos_loader.h.
    request_options &set_delivery(photos::delivery value) &noexcept {
        return sdimage_photos_request_options_set_delivery(get(), detail::c(value)), *this;
    }
    request_options &&set_delivery(photos::delivery value) &&noexcept { return std::move(set_delivery(value)); }
    request_options &set_resize(photos::resize value) &noexcept {
        return sdimage_photos_request_options_set_resize(get(), detail::c(value)), *this;
    }
    request_options &&set_resize(photos::resize value) &&noexcept { return std::move(set_resize(value)); }
    request_options &set_version(photos::version value) &noexcept {
        return sdimage_photos_request_options_set_version(get(), detail::c(value)), *this;
    }
    request_options &&set_version(photos::version value) &&noexcept { return std::move(set_version(value)); }
    request_options &set_content(photos::content value) &noexcept {
        return sdimage_photos_request_options_set_content(get(), detail::c(value)), *this;
    }
    request_options &&set_content(photos::content value) &&noexcept { return std::move(set_content(value)); }
    request_options &set_network_access(bool allowed) &noexcept {
        return sdimage_photos_request_options_set_network_access(get(), allowed), *this;
    }
    request_options &&set_network_access(bool allowed) &&noexcept { return std::move(set_network_access(allowed)); }
    request_options &set_target_maximum() &noexcept {
        return sdimage_photos_request_options_set_target_maximum(get()), *this;
    }
    request_options &&set_target_maximum() &&noexcept { return std::move(set_target_maximum()); }
    request_options &set_target_pixel_size() &noexcept {
        return sdimage_photos_request_options_set_target_pixel_size(get()), *this;
    }
    request_options &&set_target_pixel_size() &&noexcept { return std::move(set_target_pixel_size()); }
    request_options &set_target_point_size() &noexcept {
        return sdimage_photos_request_options_set_target_point_size(get()), *this;
    }
    request_options &&set_target_point_size() &&noexcept { return std::move(set_target_point_size()); }
    request_options &set_target(std::uint32_t width, std::uint32_t height) &noexcept {
        return sdimage_photos_request_options_set_target(get(), width, height), *this;
    }
    request_options &&set_target(std::uint32_t width, std::uint32_t height) &&noexcept {
        return std::move(set_target(width, height));
    }
    photos::delivery delivery() const noexcept {
        return static_cast<photos::delivery>(sdimage_photos_request_options_delivery(get()));
    }
    photos::resize resize() const noexcept {
        return static_cast<photos::resize>(sdimage_photos_request_options_resize(get()));
    }
    photos::version version() const noexcept {
        return static_cast<photos::version>(sdimage_photos_request_options_version(get()));
    }
    photos::content content() const noexcept {
        return static_cast<photos::content>(sdimage_photos_request_options_content(get()));
    }
    bool has_network_access() const noexcept { return sdimage_photos_request_options_has_network_access(get()); }
};

// Class: single-owner.
class loader_config : public detail::owned<sdimage_photos_loader_config, sdimage_photos_loader_config_unref>,
                      public detail::photos_loader_config_getters<loader_config> {
public:
    using owned::owned;
    loader_config() : owned(detail::made(sdimage_photos_loader_config_new())) {}
    // The C functions of the same names: photos_loader.h.
    bool add_library(const photos::library &value) noexcept {
        return sdimage_photos_loader_config_add_library(get(), value.get());
    }
    loader_config &set_fetch_options(const photos::fetch_options &options) &noexcept {
        return sdimage_photos_loader_config_set_fetch_options(get(), options.get()), *this;
    }
    loader_config &&set_fetch_options(const photos::fetch_options &options) &&noexcept {
        return std::move(set_fetch_options(options));
    }
    loader_config &set_request_options(const photos::request_options &options) &noexcept {
        return sdimage_photos_loader_config_set_request_options(get(), options.get()), *this;
    }
    loader_config &&set_request_options(const photos::request_options &options) &&noexcept {
        return std::move(set_request_options(options));
    }
    loader_config &set_images_only(bool images_only) &noexcept {
        return sdimage_photos_loader_config_set_images_only(get(), images_only), *this;
    }
    loader_config &&set_images_only(bool images_only) &&noexcept { return std::move(set_images_only(images_only)); }
    loader_config &set_max_file_bytes(std::uint64_t bytes) &noexcept {
        return sdimage_photos_loader_config_set_max_file_bytes(get(), bytes), *this;
    }
    loader_config &&set_max_file_bytes(std::uint64_t bytes) &&noexcept { return std::move(set_max_file_bytes(bytes)); }
};

// The loader for ph: URLs, to be added to a chain.
inline loader make_loader(const loader_config &config) {
    return detail::make<loader>(sdimage_photos_loader_new, config.get());
}

// Adds the request options to the named values of a request; an empty handle removes them.
inline void set_request_options(options &bag, const request_options &how) noexcept {
    sdimage_photos_set_request_options(bag.get(), how.get());
}
inline void set_fetch_options(options &bag, const fetch_options &which) noexcept {
    sdimage_photos_set_fetch_options(bag.get(), which.get());
}
inline void set_asset(options &bag, const asset &one) noexcept {
    sdimage_photos_set_asset(bag.get(), one.get());
}
// The values that were added; empty for none.
inline request_options get_request_options(const options &bag) noexcept {
    return detail::copied<request_options>(sdimage_photos_get_request_options, bag.get());
}
inline fetch_options get_fetch_options(const options &bag) noexcept {
    return detail::copied<fetch_options>(sdimage_photos_get_fetch_options, bag.get());
}
inline asset get_asset(const options &bag) noexcept {
    return detail::copied<asset>(sdimage_photos_get_asset, bag.get());
}

} // namespace photos
} // namespace sdimage

#endif
