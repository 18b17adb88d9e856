// transport.hpp: HTTP clients of the program for use by the downloader.
#ifndef SDIMAGE_TRANSPORT_HPP
#define SDIMAGE_TRANSPORT_HPP

#include "hooks.hpp"

namespace sdimage {

// One request and its response. Copy the handle to hold the exchange; exactly one finish ends it. Class: synchronized;
// written by one thread at a time.
class exchange : public detail::shared<sdimage_exchange, sdimage_exchange_ref, sdimage_exchange_unref> {
public:
    using shared::shared;
    // Throws CANCELLED when no caller is waiting any longer, here and in write.
    void respond(const response &answer) const { detail::run(sdimage_exchange_respond, get(), answer.get()); }
    void write(bytes_view bytes) const { detail::run(sdimage_exchange_write, get(), bytes.data(), bytes.size()); }
    void finish() const noexcept { sdimage_exchange_finish(get(), nullptr); }
    // An empty failure, caused by a refused allocation, leaves the exchange unchanged: releasing it is a failure too.
    void fail(const failure &why) const noexcept {
        if (why) sdimage_exchange_finish(get(), why.get());
    }
    bool is_cancelled() const noexcept { return sdimage_exchange_is_cancelled(get()); }
};

// Class: synchronized.
class transport : public detail::shared<sdimage_transport, sdimage_transport_ref, sdimage_transport_unref> {
public:
    using shared::shared;
};

// Base class for make_transport.
class custom_transport {
public:
    virtual ~custom_transport() = default;
    // Starts an exchange and returns; runs on a thread that may block for a while. A thrown exception ends the
    // exchange.
    virtual void start(const request &wanted, const exchange &with) = 0;
    // No caller is waiting any longer: stop soon, and finish. Any thread, must not block.
    virtual void cancel(const exchange &) {}
};

// A transport backed by an object of T, which is constructed here from `arguments`; for
// downloader_config::set_transport.
template <class T, class... A> transport make_transport(A &&...arguments) {
    static_assert(std::is_base_of_v<custom_transport, T>);
    auto table = detail::empty_table<sdimage_transport_vtable>();
    table.start = [](void *self, sdimage_request *wanted, sdimage_exchange *with) {
        return detail::into<exchange>(
            with, [&](const exchange &to) { detail::state<T>(self).start(*detail::lent<request>(wanted), to); });
    };
    if constexpr (detail::overrides(&T::cancel, &custom_transport::cancel)) {
        table.cancel = [](void *self, sdimage_exchange *with) {
            detail::guarded([&] { detail::state<T>(self).cancel(*detail::lent<exchange>(with)); });
        };
    }
    return detail::handed_over<transport>(std::make_unique<T>(std::forward<A>(arguments)...),
                                          sdimage_transport_new_custom, &table);
}

namespace detail {
template <class S> class lambda_transport final : public custom_transport {
public:
    explicit lambda_transport(S start) : start_(std::move(start)) {}
    void start(const request &wanted, const exchange &with) override { start_(wanted, with); }

private:
    S start_;
};
} // namespace detail

// The same from a lambda: void(const request &, const exchange &).
template <class S> transport transport_of(S start) {
    return make_transport<detail::lambda_transport<S>>(std::move(start));
}

} // namespace sdimage

#endif
