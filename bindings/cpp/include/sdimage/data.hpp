// data.hpp: immutable bytes that are passed by reference, and the named values that accompany requests.
#ifndef SDIMAGE_DATA_HPP
#define SDIMAGE_DATA_HPP

#include "callback.hpp"
#include "span.hpp"

namespace sdimage {

// Immutable bytes. Class: immutable.
class data : public detail::shared<sdimage_data, sdimage_data_ref, sdimage_data_unref> {
public:
    using shared::shared;
    // Copies the bytes.
    explicit data(bytes_view bytes) : data(detail::make<data>(sdimage_data_new, bytes.data(), bytes.size())) {}

    // Takes over a container (std::vector, std::string, …); its bytes are then passed by reference, without a copy.
    template <class C> static data adopt(C container) {
        auto kept = detail::boxed(std::move(container));
        const bytes_view bytes(*kept);
        return adopted(bytes, std::move(kept));
    }
    // Adopts bytes that stay valid and unchanged until `owner` is destroyed.
    template <class Owner> static data adopt(bytes_view bytes, Owner owner) {
        return adopted(bytes, detail::boxed(std::move(owner)));
    }

    // The bytes; valid while a handle of them exists.
    bytes_view bytes() const noexcept { return {sdimage_data_bytes(get()), sdimage_data_length(get())}; }
    // The bytes as text, for JSON and the like.
    std::string_view text() const &noexcept { return bytes().text(); }
    std::string text() && { return std::string(bytes().text()); }
    std::size_t length() const noexcept { return sdimage_data_length(get()); }

private:
    template <class Owner> static data adopted(bytes_view bytes, std::unique_ptr<Owner> owner) {
        return detail::make<data>(sdimage_data_new_adopting, bytes.data(), bytes.size(),
                                  static_cast<void *>(owner.release()), &detail::destroyed<Owner>);
    }
};

// Named values for hooks, custom loaders, caches, coders and plug-ins. Class: single-owner.
class options : public detail::owned<sdimage_options, sdimage_options_unref> {
public:
    using owned::owned;
    // A handle of options that belong to another object and must not be changed; takes a reference of its own.
    template <class H> static H retained(const sdimage_options *object) noexcept {
        return H(object ? sdimage_options_ref(const_cast<sdimage_options *>(object)) : nullptr);
    }
    options() : owned(detail::made(sdimage_options_new())) {}

    // The C functions of the same names: options.h.
    std::size_t count() const noexcept { return sdimage_options_count(get()); }
    bool has(std::string_view name) const { return sdimage_options_has(get(), detail::text(name)); }
    void remove(std::string_view name) { sdimage_options_remove(get(), detail::text(name)); }
    options &set_string(std::string_view name, std::optional<std::string_view> value) & {
        return sdimage_options_set_string(get(), detail::text(name), detail::optional_text(value)), *this;
    }
    options &&set_string(std::string_view name, std::optional<std::string_view> value) && {
        return std::move(set_string(name, value));
    }
    options &set_int64(std::string_view name, std::int64_t value) & {
        return sdimage_options_set_int64(get(), detail::text(name), value), *this;
    }
    options &&set_int64(std::string_view name, std::int64_t value) && { return std::move(set_int64(name, value)); }
    options &set_double(std::string_view name, double value) & {
        return sdimage_options_set_double(get(), detail::text(name), value), *this;
    }
    options &&set_double(std::string_view name, double value) && { return std::move(set_double(name, value)); }
    options &set_bool(std::string_view name, bool value) & {
        return sdimage_options_set_bool(get(), detail::text(name), value), *this;
    }
    options &&set_bool(std::string_view name, bool value) && { return std::move(set_bool(name, value)); }
    options &set_data(std::string_view name, const data &value) & {
        return sdimage_options_set_data(get(), detail::text(name), value.get()), *this;
    }
    options &&set_data(std::string_view name, const data &value) && { return std::move(set_data(name, value)); }

    // Stores an object of the program, which is destroyed with the last copy of these options.
    template <class T> options &set_object(std::string_view name, T object) & {
        const detail::text named(name);
        sdimage_options_set_pointer(get(), named, detail::boxed(std::move(object)).release(), &detail::destroyed<T>);
        return *this;
    }
    template <class T> options &&set_object(std::string_view name, T object) && {
        return std::move(set_object(name, std::move(object)));
    }
    // The object set with set_object; nullptr when absent. T must be the type that it was set with.
    template <class T> T *object(std::string_view name) const {
        return static_cast<T *>(sdimage_options_pointer(get(), detail::text(name)));
    }

    // Return `otherwise` if the name is absent or has another type. Text is valid until the name is set again or the
    // options are destroyed.
    std::string_view string(std::string_view name, std::string_view otherwise = {}) const {
        const char *found = sdimage_options_string(get(), detail::text(name), nullptr);
        return found ? std::string_view(found) : otherwise;
    }
    std::int64_t int64(std::string_view name, std::int64_t otherwise = 0) const {
        return sdimage_options_int64(get(), detail::text(name), otherwise);
    }
    double real(std::string_view name, double otherwise = 0) const {
        return sdimage_options_double(get(), detail::text(name), otherwise);
    }
    bool boolean(std::string_view name, bool otherwise = false) const {
        return sdimage_options_is_true(get(), detail::text(name), otherwise);
    }
    // Empty when absent.
    sdimage::data data(std::string_view name) const {
        return retain<sdimage::data>(sdimage_options_data(get(), detail::text(name)));
    }
};

// A cache entry with its metadata. Class: immutable.
class cache_entry : public detail::shared<sdimage_cache_entry, sdimage_cache_entry_ref, sdimage_cache_entry_unref> {
public:
    using shared::shared;
    // An entry with the given bytes and the metadata() that they were stored with. Empty metadata: nothing is known.
    explicit cache_entry(const sdimage::data &bytes, const sdimage::data &about = {})
        : shared(detail::make<cache_entry>(sdimage_cache_entry_new, bytes.get(), about.get())) {}
    // The C functions of the same names: sys/cache.h.
    sdimage::data data() const noexcept { return retain<sdimage::data>(sdimage_cache_entry_data(get())); }
    sdimage::data metadata() const noexcept { return retain<sdimage::data>(sdimage_cache_entry_metadata(get())); }
    std::uint64_t date_ns() const noexcept { return sdimage_cache_entry_date_ns(get()); }
    std::uint64_t expiry_ns() const noexcept { return sdimage_cache_entry_expiry_ns(get()); }
};

} // namespace sdimage

#endif
