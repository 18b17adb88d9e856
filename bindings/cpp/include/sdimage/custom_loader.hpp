// custom_loader.hpp: custom loaders, and the sink that they write into.
#ifndef SDIMAGE_CUSTOM_LOADER_HPP
#define SDIMAGE_CUSTOM_LOADER_HPP

#include "getters.hpp"
#include "request.hpp"

namespace sdimage {

// The output of a loader. Copy the handle to hold the sink while the work continues elsewhere. Exactly one finish ends
// the load; releasing the last handle without one is an error of the load. Class: synchronized; written by one thread
// at a time.
class load_sink : public detail::shared<sdimage_load_sink, sdimage_load_sink_ref, sdimage_load_sink_unref>,
                  public detail::load_sink_getters<load_sink> {
public:
    using shared::shared;
    // Appends bytes. Throws CANCELLED when no caller is waiting any longer, TOO_LARGE, NO_MEMORY.
    void write(bytes_view bytes) const { detail::run(sdimage_load_sink_write, get(), bytes.data(), bytes.size()); }
    // The same without exceptions.
    status try_write(bytes_view bytes) const noexcept {
        return static_cast<status>(sdimage_load_sink_write(get(), bytes.data(), bytes.size(), nullptr));
    }
    // Completes the load with the bytes written; fail completes it with an error.
    void finish() const noexcept { sdimage_load_sink_finish(get(), nullptr); }
    // An empty failure, caused by a refused allocation, leaves the sink unchanged: releasing it is an error of the
    // load.
    void fail(const failure &why) const noexcept {
        if (why) sdimage_load_sink_finish(get(), why.get());
    }
    void fail(status code, std::string_view message) const { fail(failure(code, message)); }
    // The C functions of the same names: loader.h.
    void set_expected_length(std::uint64_t length) const noexcept {
        sdimage_load_sink_set_expected_length(get(), length);
    }
    void restart() const noexcept { sdimage_load_sink_restart(get()); }
    void finish_with_data(const data &value) const noexcept { sdimage_load_sink_finish_with_data(get(), value.get()); }
    void finish_with_image(const image &value) const noexcept {
        sdimage_load_sink_finish_with_image(get(), value.get());
    }
    void finish_with_encoded(const data &value, const decode_options &options) const noexcept {
        sdimage_load_sink_finish_with_encoded(get(), value.get(), options.get());
    }
    void show(const image &value) const noexcept { sdimage_load_sink_show(get(), value.get()); }
    void report_progress(std::int64_t received, std::int64_t expected) const noexcept {
        sdimage_load_sink_report_progress(get(), received, expected);
    }
    void set_storable(bool storable) const noexcept { sdimage_load_sink_set_storable(get(), storable); }
    bool is_cancelled() const noexcept { return sdimage_load_sink_is_cancelled(get()); }
};

// Base class for make_loader. The library handles what a class does not override. Overrides must be public.
// Destroyed after its last call and the end of its last sink.
class custom_loader {
public:
    virtual ~custom_loader() = default;
    // Inline: any thread, must not block. Accepts every request unless overridden.
    virtual bool can_load(const request &) { return true; }
    // Starts fetching and returns; runs on a thread that may block for a while. A thrown exception ends the load.
    virtual void load(const request &wanted, const load_sink &sink) = 0;
    // No caller is waiting any longer: stop soon, then finish the sink. Any thread, must not block.
    virtual void cancel(const load_sink &) {}
    // Reports whether loads of one URL may share one outcome. Inline.
    virtual bool can_share(const request &) { return true; }
    // Decides if a failure is remembered; the library decides by the error unless overridden. Inline.
    virtual bool should_remember_failure(const request &, const failure &) { return false; }
};

namespace detail {
template <class T> void set_loading(sdimage_loader_vtable &table) {
    table.can_load = [](void *self, const sdimage_request *wanted) {
        return guarded(false, [&] { return state<T>(self).can_load(*lent<request>(wanted)); });
    };
    table.load = [](void *self, const sdimage_request *wanted, sdimage_load_sink *into) {
        return detail::into<load_sink>(
            into, [&](const load_sink &sink) { state<T>(self).load(*lent<request>(wanted), sink); });
    };
    if constexpr (overrides(&T::cancel, &custom_loader::cancel)) {
        table.cancel = [](void *self, sdimage_load_sink *into) {
            guarded([&] { state<T>(self).cancel(*lent<load_sink>(into)); });
        };
    }
    if constexpr (overrides(&T::can_share, &custom_loader::can_share)) {
        table.can_share = [](void *self, const sdimage_request *wanted) {
            return guarded(false, [&] { return state<T>(self).can_share(*lent<request>(wanted)); });
        };
    }
    if constexpr (overrides(&T::should_remember_failure, &custom_loader::should_remember_failure)) {
        table.should_remember_failure = [](void *self, const sdimage_request *wanted, const sdimage_error *why) {
            return guarded(false, [&] {
                return state<T>(self).should_remember_failure(*lent<request>(wanted), *lent<failure>(why));
            });
        };
    }
}
} // namespace detail

// A loader backed by an object of T, which is constructed here from `arguments`.
template <class T, class... A> loader make_loader(std::string_view name, A &&...arguments) {
    static_assert(std::is_base_of_v<custom_loader, T>);
    auto table = detail::empty_table<sdimage_loader_vtable>();
    detail::set_loading<T>(table);
    const detail::text called(name);
    return detail::handed_over<loader>(std::make_unique<T>(std::forward<A>(arguments)...), sdimage_loader_new_custom,
                                       called.get(), &table);
}

namespace detail {
template <class C, class L> class lambda_loader final : public custom_loader {
public:
    lambda_loader(C can, L load) : can_(std::move(can)), load_(std::move(load)) {}
    bool can_load(const request &wanted) override { return can_(wanted); }
    void load(const request &wanted, const load_sink &sink) override { load_(wanted, sink); }

private:
    C can_;
    L load_;
};
} // namespace detail

// The same from two lambdas: bool(const request &) and void(const request &, const load_sink &).
template <class C, class L> loader loader_of(std::string_view name, C can_load, L load) {
    return make_loader<detail::lambda_loader<C, L>>(name, std::move(can_load), std::move(load));
}

} // namespace sdimage

#endif
