// cache.hpp: images in memory, encoded bytes on disk; chains of caches. Custom caches are in custom_cache.hpp, remote
// ones in plugins/remote.hpp. Keys are bytes.
#ifndef SDIMAGE_CACHE_HPP
#define SDIMAGE_CACHE_HPP

#include <initializer_list>

#include "cache_config.hpp"
#include "codec.hpp"
#include "getters.hpp"
#include "task.hpp"

namespace sdimage {

class request;

struct cache_totals {
    std::uint64_t bytes;
    std::uint64_t count;
};

// Class: synchronized. Functions on bytes block on the disk. Functions whose name ends in _async do not block; they
// call back once, on the library's callback thread.
class cache : public detail::shared<sdimage_cache, sdimage_cache_ref, sdimage_cache_unref>,
              public detail::cache_getters<cache> {
public:
    using shared::shared;
    // Opens a cache with the default configuration, with another one, or with the defaults in another folder.
    static cache open(std::nullptr_t = nullptr) {
        return detail::make<cache>(sdimage_cache_new, static_cast<const sdimage_cache_config *>(nullptr));
    }
    static cache open(const cache_config &config) { return detail::make<cache>(sdimage_cache_new, config.get()); }
    static cache open(std::string_view folder) { return open(cache_config().set_directory(folder)); }
    // Stores images in the memory part of `memory` and bytes in the disk part of `disk`.
    static cache layered(const cache &memory, const cache &disk) {
        return detail::make<cache>(sdimage_cache_new_layered, memory.get(), disk.get());
    }
    // Several caches as one; the last member is the highest.
    static cache chain(std::initializer_list<cache> members = {}) {
        cache made = detail::make<cache>(sdimage_cache_new_chain);
        for (const cache &member : members)
            made.chain_add(member);
        return made;
    }
    // A cache of this process on top of a cache that a fleet shares.
    static cache tiered(const cache &local, const cache &fleet) {
        return detail::make<cache>(sdimage_cache_new_tiered, local.get(), fleet.get());
    }

    // The image in memory; empty when there is none. Takes well under a microsecond.
    sdimage::image memory_image(std::string_view key) const noexcept {
        return detail::copied<sdimage::image>(sdimage_cache_get_memory_image, get(), key.data(), key.size());
    }
    // The C functions of the same names: cache.h and disk_cache.h.
    void close() const { detail::run(sdimage_cache_close, get()); }
    void set_memory_image(std::string_view key, const sdimage::image &value) const {
        detail::run(sdimage_cache_set_memory_image, get(), key.data(), key.size(), value.get());
    }
    void set_memory_limits(std::size_t bytes, std::size_t count) const noexcept {
        sdimage_cache_set_memory_limits(get(), bytes, count);
    }
    void set_keep_in_memory(bool keep) const noexcept { sdimage_cache_set_keep_in_memory(get(), keep); }
    void set_keep_weakly(bool keep) const noexcept { sdimage_cache_set_keep_weakly(get(), keep); }
    // Throws if the disk part does not work.
    void check() const { detail::run(sdimage_cache_check, get()); }
    void flush() const { detail::run(sdimage_cache_flush, get()); }
    void remove_expired() const { detail::run(sdimage_cache_remove_expired, get()); }
    void chain_add(const cache &member) const { detail::run(sdimage_cache_chain_add, get(), member.get()); }
    void chain_remove(const cache &member) const { detail::run(sdimage_cache_chain_remove, get(), member.get()); }
    void chain_set_policy(cache_chain_operation operation, cache_chain_policy policy) const {
        detail::run(sdimage_cache_chain_set_policy, get(), detail::c(operation), detail::c(policy));
    }
    void chain_set_promote(bool promote) const { detail::run(sdimage_cache_chain_set_promote, get(), promote); }
    void set_disk_limits(std::uint64_t max_bytes, std::int64_t max_age_seconds, expire_rule rule) const noexcept {
        sdimage_cache_set_disk_limits(get(), max_bytes, max_age_seconds, detail::c(rule));
    }
    void trim(std::uint64_t bytes) const { detail::run(sdimage_cache_trim, get(), bytes); }
    void unpin(std::string_view path) const { detail::run(sdimage_cache_unpin, get(), detail::text(path)); }
    sdimage::data extended_data(std::string_view key) const {
        return detail::make<sdimage::data>(sdimage_cache_get_extended_data, get(), key.data(), key.size());
    }
    void set_extended_data(std::string_view key, const sdimage::data &value) const {
        detail::run(sdimage_cache_set_extended_data, get(), key.data(), key.size(), value.get());
    }
    void set_expiry(std::string_view key, std::uint64_t date_ns) const {
        detail::run(sdimage_cache_set_expiry, get(), key.data(), key.size(), date_ns);
    }
    std::uint64_t expiry(std::string_view key) const {
        std::uint64_t date_ns = 0;
        detail::run(sdimage_cache_get_expiry, get(), key.data(), key.size(), &date_ns);
        return date_ns;
    }

    // The bytes of an entry. Throws NOT_FOUND; try_data reports it without an exception.
    sdimage::data data(std::string_view key) const {
        return detail::make<sdimage::data>(sdimage_cache_get_data, get(), key.data(), key.size());
    }
    outcome<sdimage::data> try_data(std::string_view key) const noexcept {
        return detail::attempt<sdimage::data>(sdimage_cache_get_data, get(), key.data(), key.size());
    }
    // The image of an entry, from memory or decoded from disk. Errors as for data.
    sdimage::image image(std::string_view key, const decode_options &how = nullptr) const {
        return detail::make<sdimage::image>(sdimage_cache_get_image, get(), key.data(), key.size(), how.get());
    }
    outcome<sdimage::image> try_image(std::string_view key, const decode_options &how = nullptr) const noexcept {
        return detail::attempt<sdimage::image>(sdimage_cache_get_image, get(), key.data(), key.size(), how.get());
    }
    void store(std::string_view key, const sdimage::data &bytes) const {
        detail::run(sdimage_cache_store_data, get(), key.data(), key.size(), bytes.get());
    }
    // Encodes the image when `bytes` is empty.
    void store(std::string_view key, const sdimage::image &picture, const sdimage::data &bytes = {},
               cache_layers layers = cache_layers::all, const encode_options &how = nullptr) const {
        detail::run(sdimage_cache_store, get(), key.data(), key.size(), picture.get(), bytes.get(), detail::c(layers),
                    how.get());
    }
    cache_layers contains(std::string_view key) const noexcept {
        return static_cast<cache_layers>(sdimage_cache_contains(get(), key.data(), key.size()));
    }
    void remove(std::string_view key, cache_layers layers = cache_layers::all) const {
        detail::run(sdimage_cache_remove, get(), key.data(), key.size(), detail::c(layers));
    }
    void clear(cache_layers layers = cache_layers::all) const {
        detail::run(sdimage_cache_clear, get(), detail::c(layers));
    }
    // A path from which the bytes of an entry can be read until unpin.
    std::string path(std::string_view key) const {
        return std::string(detail::make<sdimage::data>(sdimage_cache_get_path, get(), key.data(), key.size()).text());
    }
    std::string directory() const {
        return std::string(detail::make<sdimage::data>(sdimage_cache_get_directory, get()).text());
    }
    cache_totals disk_totals() const {
        cache_totals found{};
        detail::run(sdimage_cache_get_disk_totals, get(), &found.bytes, &found.count);
        return found;
    }
    sdimage_cache_statistics statistics() const {
        sdimage_cache_statistics found{};
        found.size = sizeof found;
        detail::run(sdimage_cache_get_statistics, get(), &found);
        return found;
    }
    std::string statistics_to_json() const {
        return std::string(detail::make<sdimage::data>(sdimage_cache_statistics_to_json, get()).text());
    }
    cache_verification verify(bool repair = false) const {
        return detail::make<cache_verification>(sdimage_cache_verify, get(), repair);
    }
    // At most `limit` entries after those of the page `after`. Start with an empty page; stop at the page where
    // is_last() is true.
    cache_page list(const cache_query &query = nullptr, const cache_page &after = {}, std::size_t limit = 100) const {
        return detail::make<cache_page>(sdimage_cache_list, get(), query.get(), after.get(), limit);
    }

    // Searches only this cache for the image of a request, like manager::start. Defined in manager.hpp.
    template <class R, class P = detail::nothing>
    task load(const request &wanted, R on_result, P on_progress = {}) const;

    // Calls found(const data &, const failure &); both are empty when there is no entry.
    template <class F> void data_async(std::string_view key, F found) const {
        auto table = detail::empty_table<sdimage_cache_handler>();
        table.data = [](void *self, sdimage_data *bytes, sdimage_error *why) {
            const detail::lent<sdimage::data> data_lent(bytes);
            const detail::lent<failure> failure_lent(why);
            detail::guarded([&] { detail::state<F>(self)(*data_lent, *failure_lent); });
        };
        hand_over(found, sdimage_cache_get_data_async, get(), key.data(), key.size(), &table);
    }
    // Calls found(cache_layers, const failure &).
    template <class F> void contains_async(std::string_view key, F found) const {
        auto table = detail::empty_table<sdimage_cache_handler>();
        table.layers = [](void *self, sdimage_cache_layers layers, sdimage_error *why) {
            const detail::lent<failure> failure_lent(why);
            detail::guarded([&] { detail::state<F>(self)(static_cast<cache_layers>(layers), *failure_lent); });
        };
        hand_over(found, sdimage_cache_contains_async, get(), key.data(), key.size(), &table);
    }
    // Calls counted(cache_totals, const failure &).
    template <class F> void disk_totals_async(F counted) const {
        auto table = detail::empty_table<sdimage_cache_handler>();
        table.disk_totals = [](void *self, std::uint64_t bytes, std::uint64_t count, sdimage_error *why) {
            const detail::lent<failure> failure_lent(why);
            detail::guarded([&] { detail::state<F>(self)(cache_totals{bytes, count}, *failure_lent); });
        };
        hand_over(counted, sdimage_cache_get_disk_totals_async, get(), &table);
    }
    // This and all following functions call done(const failure &), which is empty on success.
    template <class F>
    void store_async(std::string_view key, const sdimage::image &picture, const sdimage::data &bytes,
                     cache_layers layers, F done, const encode_options &how = nullptr) const {
        const auto table = completion<F>();
        hand_over(done, sdimage_cache_store_async, get(), key.data(), key.size(), picture.get(), bytes.get(),
                  detail::c(layers), how.get(), &table);
    }
    template <class F> void store_async(std::string_view key, const sdimage::data &bytes, F done) const {
        const auto table = completion<F>();
        hand_over(done, sdimage_cache_store_data_async, get(), key.data(), key.size(), bytes.get(), &table);
    }
    template <class F> void remove_async(std::string_view key, cache_layers layers, F done) const {
        const auto table = completion<F>();
        hand_over(done, sdimage_cache_remove_async, get(), key.data(), key.size(), detail::c(layers), &table);
    }
    template <class F> void clear_async(cache_layers layers, F done) const {
        const auto table = completion<F>();
        hand_over(done, sdimage_cache_clear_async, get(), detail::c(layers), &table);
    }
    template <class F> void remove_expired_async(F done) const {
        const auto table = completion<F>();
        hand_over(done, sdimage_cache_remove_expired_async, get(), &table);
    }

private:
    // The handler of a change.
    template <class F> static sdimage_cache_handler completion() noexcept {
        auto table = detail::empty_table<sdimage_cache_handler>();
        table.completed = [](void *self, sdimage_error *why) {
            const detail::lent<failure> failure_lent(why);
            detail::guarded([&] { detail::state<F>(self)(*failure_lent); });
        };
        return table;
    }
    // Moves a lambda to the heap and passes it to a C function, which destroys it also on failure.
    template <class F, class C, class... A> static void hand_over(F &function, C *call, A... arguments) {
        detail::run(call, arguments..., static_cast<void *>(detail::boxed(std::move(function)).release()),
                    &detail::destroyed<F>);
    }
};

// Watches for memory pressure of the system and then does the same as trim_memory(true); default false.
inline void watch_memory_pressure(bool watch) noexcept {
    sdimage_watch_memory_pressure(watch);
}

} // namespace sdimage

#endif
