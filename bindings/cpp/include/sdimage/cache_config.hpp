// cache_config.hpp: configurations of caches, and listings of their entries.
#ifndef SDIMAGE_CACHE_CONFIG_HPP
#define SDIMAGE_CACHE_CONFIG_HPP

#include "callback.hpp"
#include "data.hpp"
#include "getters.hpp"

#include <string>
#include <vector>

namespace sdimage {

// Class: single-owner.
class cache_config : public detail::owned<sdimage_cache_config, sdimage_cache_config_unref>,
                     public detail::cache_config_getters<cache_config> {
public:
    using owned::owned;
    cache_config() : owned(detail::made(sdimage_cache_config_new())) {}
    // The C functions of the same names: cache.h and disk_cache.h.
    cache_config &set_directory(std::optional<std::string_view> path) & {
        return sdimage_cache_config_set_directory(get(), detail::optional_text(path)), *this;
    }
    cache_config &&set_directory(std::optional<std::string_view> path) && { return std::move(set_directory(path)); }
    cache_config &set_namespace(std::string_view name) & {
        return sdimage_cache_config_set_namespace(get(), detail::text(name)), *this;
    }
    cache_config &&set_namespace(std::string_view name) && { return std::move(set_namespace(name)); }
    cache_config &set_max_memory_cost(std::size_t bytes) &noexcept {
        return sdimage_cache_config_set_max_memory_cost(get(), bytes), *this;
    }
    cache_config &&set_max_memory_cost(std::size_t bytes) &&noexcept { return std::move(set_max_memory_cost(bytes)); }
    cache_config &set_max_memory_count(std::size_t count) &noexcept {
        return sdimage_cache_config_set_max_memory_count(get(), count), *this;
    }
    cache_config &&set_max_memory_count(std::size_t count) &&noexcept { return std::move(set_max_memory_count(count)); }
    cache_config &set_eviction(sdimage::eviction value) &noexcept {
        return sdimage_cache_config_set_eviction(get(), detail::c(value)), *this;
    }
    cache_config &&set_eviction(sdimage::eviction value) &&noexcept { return std::move(set_eviction(value)); }
    cache_config &set_keep_in_memory(bool keep) &noexcept {
        return sdimage_cache_config_set_keep_in_memory(get(), keep), *this;
    }
    cache_config &&set_keep_in_memory(bool keep) &&noexcept { return std::move(set_keep_in_memory(keep)); }
    cache_config &set_keep_weakly(bool keep) &noexcept {
        return sdimage_cache_config_set_keep_weakly(get(), keep), *this;
    }
    cache_config &&set_keep_weakly(bool keep) &&noexcept { return std::move(set_keep_weakly(keep)); }
    cache_config &set_max_disk_size(std::uint64_t bytes) &noexcept {
        return sdimage_cache_config_set_max_disk_size(get(), bytes), *this;
    }
    cache_config &&set_max_disk_size(std::uint64_t bytes) &&noexcept { return std::move(set_max_disk_size(bytes)); }
    cache_config &set_max_disk_age(std::int64_t seconds) &noexcept {
        return sdimage_cache_config_set_max_disk_age(get(), seconds), *this;
    }
    cache_config &&set_max_disk_age(std::int64_t seconds) &&noexcept { return std::move(set_max_disk_age(seconds)); }
    cache_config &set_inline_entry_limit(std::size_t bytes) &noexcept {
        return sdimage_cache_config_set_inline_entry_limit(get(), bytes), *this;
    }
    cache_config &&set_inline_entry_limit(std::size_t bytes) &&noexcept {
        return std::move(set_inline_entry_limit(bytes));
    }
    cache_config &set_durable(bool durable) &noexcept {
        return sdimage_cache_config_set_durable(get(), durable), *this;
    }
    cache_config &&set_durable(bool durable) &&noexcept { return std::move(set_durable(durable)); }
    cache_config &set_expire_rule(sdimage::expire_rule rule) &noexcept {
        return sdimage_cache_config_set_expire_rule(get(), detail::c(rule)), *this;
    }
    cache_config &&set_expire_rule(sdimage::expire_rule rule) &&noexcept { return std::move(set_expire_rule(rule)); }
    cache_config &set_modes(std::uint32_t folder, std::uint32_t file) &noexcept {
        return sdimage_cache_config_set_modes(get(), folder, file), *this;
    }
    cache_config &&set_modes(std::uint32_t folder, std::uint32_t file) &&noexcept {
        return std::move(set_modes(folder, file));
    }
    cache_config &set_memory_only(bool memory_only = true) &noexcept {
        return sdimage_cache_config_set_memory_only(get(), memory_only), *this;
    }
    cache_config &&set_memory_only(bool memory_only = true) &&noexcept {
        return std::move(set_memory_only(memory_only));
    }
    // Sets a function that finds the bytes of an entry in a further file: std::string(std::string_view key), which
    // returns a path, or "" for none. Any thread; must not block.
    template <class F> cache_config &set_additional_path(F find) & {
        auto table = detail::empty_table<sdimage_cache_path_vtable>();
        table.path = [](void *self, const void *key, std::size_t length, char *path, std::size_t capacity) {
            return detail::guarded(std::size_t(0), [&] {
                const std::string found =
                    detail::state<F>(self)(std::string_view(static_cast<const char *>(key), length));
                found.copy(path, capacity);
                return found.size();
            });
        };
        detail::run(sdimage_cache_config_set_additional_path, get(), &table,
                    static_cast<void *>(detail::boxed(std::move(find)).release()), &detail::destroyed<F>);
        return *this;
    }
    template <class F> cache_config &&set_additional_path(F find) && {
        return std::move(set_additional_path(std::move(find)));
    }
};

// Filter and order of a listing. Class: single-owner.
class cache_query : public detail::owned<sdimage_cache_query, sdimage_cache_query_unref>,
                    public detail::cache_query_getters<cache_query> {
public:
    using owned::owned;
    cache_query() : owned(detail::made(sdimage_cache_query_new())) {}
    // The C functions of the same names: disk_cache.h.
    cache_query &set_order(cache_order order) &noexcept {
        return sdimage_cache_query_set_order(get(), detail::c(order)), *this;
    }
    cache_query &&set_order(cache_order order) &&noexcept { return std::move(set_order(order)); }
    cache_query &set_prefix(std::string_view prefix) &noexcept {
        return sdimage_cache_query_set_prefix(get(), prefix.data(), prefix.size()), *this;
    }
    cache_query &&set_prefix(std::string_view prefix) &&noexcept { return std::move(set_prefix(prefix)); }
    cache_query &set_used_until(std::uint64_t date_ns) &noexcept {
        return sdimage_cache_query_set_used_until(get(), date_ns), *this;
    }
    cache_query &&set_used_until(std::uint64_t date_ns) &&noexcept { return std::move(set_used_until(date_ns)); }
    cache_query &set_lengths(std::uint64_t least, std::uint64_t most) &noexcept {
        return sdimage_cache_query_set_lengths(get(), least, most), *this;
    }
    cache_query &&set_lengths(std::uint64_t least, std::uint64_t most) &&noexcept {
        return std::move(set_lengths(least, most));
    }
};

// One entry of a listing. Dates are nanoseconds since 1970.
struct cache_listing {
    std::string_view key; // valid as long as the page
    std::uint64_t length;
    std::uint64_t stored_ns;
    std::uint64_t used_ns;
    std::uint64_t expires_ns; // 0: set_max_disk_age decides
    bool is_file;
};

// The outcome of cache::verify. Class: immutable.
class cache_verification : public detail::shared<sdimage_cache_verification, sdimage_cache_verification_ref,
                                                 sdimage_cache_verification_unref> {
public:
    using shared::shared;

    // The C functions of the same names: disk_cache.h.
    bool is_sound() const noexcept { return sdimage_cache_verification_is_sound(get()); }
    std::uint64_t entry_count() const noexcept { return sdimage_cache_verification_entry_count(get()); }
    std::uint64_t byte_count() const noexcept { return sdimage_cache_verification_byte_count(get()); }
    std::uint64_t damaged_count() const noexcept { return sdimage_cache_verification_damaged_count(get()); }
    std::uint64_t missing_count() const noexcept { return sdimage_cache_verification_missing_count(get()); }
    std::uint64_t stray_count() const noexcept { return sdimage_cache_verification_stray_count(get()); }
    bool is_index_damaged() const noexcept { return sdimage_cache_verification_is_index_damaged(get()); }
    bool has_wrong_totals() const noexcept { return sdimage_cache_verification_has_wrong_totals(get()); }
    bool is_repaired() const noexcept { return sdimage_cache_verification_is_repaired(get()); }
    // Keys of damaged and missing entries: at most the first thousand.
    std::vector<std::string> keys() const {
        std::vector<std::string> found;
        for (std::size_t i = 0; i < sdimage_cache_verification_key_count(get()); i++) {
            std::size_t length = 0;
            const void *key = sdimage_cache_verification_key(get(), i, &length);
            found.emplace_back(static_cast<const char *>(key), length);
        }
        return found;
    }
    std::string to_json() const {
        return std::string(detail::make<sdimage::data>(sdimage_cache_verification_to_json, get()).text());
    }
};

// One page of a listing. Class: immutable.
class cache_page : public detail::shared<sdimage_cache_page, sdimage_cache_page_ref, sdimage_cache_page_unref> {
public:
    using shared::shared;
    std::size_t count() const noexcept { return sdimage_cache_page_count(get()); }
    bool is_last() const noexcept { return sdimage_cache_page_is_last(get()); }
    cache_listing operator[](std::size_t index) const noexcept {
        std::size_t length = 0;
        const char *key = static_cast<const char *>(sdimage_cache_page_key(get(), index, &length));
        return {{key ? key : "", length},
                sdimage_cache_page_length(get(), index),
                sdimage_cache_page_stored_ns(get(), index),
                sdimage_cache_page_used_ns(get(), index),
                sdimage_cache_page_expires_ns(get(), index),
                sdimage_cache_page_is_file(get(), index)};
    }
};

} // namespace sdimage

#endif
