// custom_cache.hpp: custom caches, usable wherever a built-in one is.
#ifndef SDIMAGE_CUSTOM_CACHE_HPP
#define SDIMAGE_CUSTOM_CACHE_HPP

#include "cache.hpp"

namespace sdimage {

// Base class for make_cache. Functions with a reply start work and return; the reply is completed once, at any time.
// Functions that a class does not override are NULL in the table; the library then knows that this cache does not
// support them. Overrides must be public.
class custom_cache {
public:
    virtual ~custom_cache() = default;
    // Required. A thrown exception becomes the error of the reply, here and below.
    virtual void remove(std::string_view key, cache_layers layers, reply answer) = 0;
    // The memory part. Inline: any thread, must not block.
    virtual image memory_image(std::string_view) { return {}; }
    virtual void set_memory_image(std::string_view, const image &) {}
    // Complete with data or an entry, or plainly when there is none.
    virtual void query(std::string_view, const options &, reply answer) { answer.complete(); }
    // Override one of the two.
    virtual void store(std::string_view, const data &, const options &, reply answer) { answer.complete(); }
    virtual void store_entry(std::string_view, const cache_entry &, const options &, reply answer) {
        answer.complete();
    }
    // Complete with any data when the entry exists outside of memory, else plainly.
    virtual void contains(std::string_view, reply answer) { answer.complete(); }
    virtual void clear(cache_layers, reply answer) { answer.complete(); }
    // For caches that several processes share: the lease, the exclusive right to fetch from the origin.
    virtual void lease(std::string_view, std::uint64_t, const options &, reply answer) { answer.complete(); }
    virtual void end_lease(std::string_view) {}
    // Compare-and-swap: replaces the first entry by the second if the first is still stored; completed plainly.
    virtual void replace_entry(std::string_view, const cache_entry &, const cache_entry &, reply answer) {
        answer.complete();
    }
    // A class hides this constant if other users or machines read its entries. The cache then receives no private
    // responses.
    static constexpr bool is_shared = false;
};

namespace detail {

inline std::string_view key_of(const void *key, std::size_t length) noexcept {
    return {static_cast<const char *>(key), length};
}

// Runs a function that receives a reply; a thrown exception completes the reply with an error.
template <class F> void replied(sdimage_reply *object, F &&body) noexcept {
    const reply answer(object);
    try {
        body(answer);
    } catch (...) {
        answer.complete_with_error(caught());
    }
}

template <class T> void set_memory(sdimage_cache_vtable &table) {
    if constexpr (overrides(&T::memory_image, &custom_cache::memory_image)) {
        table.memory_image = [](void *self, const void *key, std::size_t length) -> sdimage_image * {
            return guarded(static_cast<sdimage_image *>(nullptr),
                           [&] { return state<T>(self).memory_image(key_of(key, length)).release(); });
        };
    }
    if constexpr (overrides(&T::set_memory_image, &custom_cache::set_memory_image)) {
        table.set_memory_image = [](void *self, const void *key, std::size_t length, sdimage_image *picture) {
            const lent<image> image_lent(picture);
            guarded([&] { state<T>(self).set_memory_image(key_of(key, length), *image_lent); });
        };
    }
}

template <class T> void set_storing(sdimage_cache_vtable &table) {
    if constexpr (overrides(&T::store, &custom_cache::store)) {
        table.store = [](void *self, const void *key, std::size_t length, sdimage_data *bytes,
                         const sdimage_options *values, sdimage_reply *answer) {
            const lent<data> data_lent(bytes);
            const lent<options> options_lent(values);
            replied(answer,
                    [&](const reply &to) { state<T>(self).store(key_of(key, length), *data_lent, *options_lent, to); });
        };
    }
    if constexpr (overrides(&T::store_entry, &custom_cache::store_entry)) {
        table.store_entry = [](void *self, const void *key, std::size_t length, sdimage_cache_entry *entry,
                               const sdimage_options *values, sdimage_reply *answer) {
            const lent<cache_entry> entry_lent(entry);
            const lent<options> options_lent(values);
            replied(answer, [&](const reply &to) {
                state<T>(self).store_entry(key_of(key, length), *entry_lent, *options_lent, to);
            });
        };
    }
    table.remove = [](void *self, const void *key, std::size_t length, sdimage_cache_layers layers,
                      sdimage_reply *answer) {
        replied(answer, [&](const reply &to) {
            state<T>(self).remove(key_of(key, length), static_cast<cache_layers>(layers), to);
        });
    };
    if constexpr (overrides(&T::clear, &custom_cache::clear)) {
        table.clear = [](void *self, sdimage_cache_layers layers, sdimage_reply *answer) {
            replied(answer, [&](const reply &to) { state<T>(self).clear(static_cast<cache_layers>(layers), to); });
        };
    }
}

template <class T> void set_asking(sdimage_cache_vtable &table) {
    if constexpr (overrides(&T::query, &custom_cache::query)) {
        table.query = [](void *self, const void *key, std::size_t length, const sdimage_options *values,
                         sdimage_reply *answer) {
            const lent<options> options_lent(values);
            replied(answer, [&](const reply &to) { state<T>(self).query(key_of(key, length), *options_lent, to); });
        };
    }
    if constexpr (overrides(&T::contains, &custom_cache::contains)) {
        table.contains = [](void *self, const void *key, std::size_t length, sdimage_reply *answer) {
            replied(answer, [&](const reply &to) { state<T>(self).contains(key_of(key, length), to); });
        };
    }
    if constexpr (overrides(&T::lease, &custom_cache::lease)) {
        table.lease = [](void *self, const void *key, std::size_t length, std::uint64_t newer_than_ns,
                         const sdimage_options *values, sdimage_reply *answer) {
            const lent<options> options_lent(values);
            replied(answer, [&](const reply &to) {
                state<T>(self).lease(key_of(key, length), newer_than_ns, *options_lent, to);
            });
        };
    }
    if constexpr (overrides(&T::end_lease, &custom_cache::end_lease)) {
        table.end_lease = [](void *self, const void *key, std::size_t length) {
            guarded([&] { state<T>(self).end_lease(key_of(key, length)); });
        };
    }
}

template <class T> void set_replacing(sdimage_cache_vtable &table) {
    if constexpr (overrides(&T::replace_entry, &custom_cache::replace_entry)) {
        table.replace_entry = [](void *self, const void *key, std::size_t length, sdimage_cache_entry *before,
                                 sdimage_cache_entry *entry, sdimage_reply *answer) {
            const lent<cache_entry> before_lent(before);
            const lent<cache_entry> entry_lent(entry);
            replied(answer, [&](const reply &to) {
                state<T>(self).replace_entry(key_of(key, length), *before_lent, *entry_lent, to);
            });
        };
    }
}

} // namespace detail

// A cache backed by an object of T, which is constructed here from `arguments`.
template <class T, class... A> cache make_cache(A &&...arguments) {
    static_assert(std::is_base_of_v<custom_cache, T>);
    auto table = detail::empty_table<sdimage_cache_vtable>();
    detail::set_memory<T>(table);
    detail::set_storing<T>(table);
    detail::set_asking<T>(table);
    detail::set_replacing<T>(table);
    table.is_shared = T::is_shared;
    return detail::handed_over<cache>(std::make_unique<T>(std::forward<A>(arguments)...), sdimage_cache_new_custom,
                                      &table);
}

} // namespace sdimage

#endif
