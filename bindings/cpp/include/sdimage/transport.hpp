// transport.hpp: the program's own HTTP client under the roof of the downloader.
#ifndef SDIMAGE_TRANSPORT_HPP
#define SDIMAGE_TRANSPORT_HPP

#include "hooks.hpp"

namespace sdimage {

// One request and its answer. A copy of the handle keeps it; exactly one finish ends it. Class: synchronised; written
// by one thread at a time.
class exchange : public detail::shared<sdimage_exchange, sdimage_exchange_ref, sdimage_exchange_unref> {
public:
    using shared::shared;
    // Throws CANCELLED when nobody waits any more, here and in write.
    void respond(const response &answer) const { detail::run(sdimage_exchange_respond, get(), answer.get()); }
    void write(bytes_view bytes) const { detail::run(sdimage_exchange_write, get(), bytes.data(), bytes.size()); }
    void finish() const noexcept { sdimage_exchange_finish(get(), nullptr); }
    void fail(const failure &why) const noexcept { sdimage_exchange_finish(get(), why.get()); }
    bool is_cancelled() const noexcept { return sdimage_exchange_is_cancelled(get()); }
};

// Class: synchronised.
class transport : public detail::shared<sdimage_transport, sdimage_transport_ref, sdimage_transport_unref> {
public:
    using shared::shared;
};

// To be derived from, for make_transport.
class custom_transport {
public:
    virtual ~custom_transport() = default;
    // Starts an exchange and returns; on a thread that may block for a while. What it throws ends the exchange.
    virtual void start(const request &wanted, const exchange &with) = 0;
    // Nobody waits any more: stop soon, and finish. Any thread, must not block.
    virtual void cancel(const exchange &) {}
};

// A transport made of an object of T, constructed here of `arguments`; for downloader_config::set_transport.
template <class T, class... A> transport make_transport(A &&...arguments) {
    static_assert(std::is_base_of_v<custom_transport, T>);
    sdimage_transport_vtable table{};
    table.size = sizeof table;
    table.start = [](void *self, sdimage_request *wanted, sdimage_exchange *with) {
        const detail::lent<request> request_lent(wanted);
        const detail::lent<exchange> exchange_lent(with);
        try {
            detail::state<T>(self).start(*request_lent, *exchange_lent);
        } catch (...) {
            (*exchange_lent).fail(detail::caught());
        }
        return SDIMAGE_STATUS_OK;
    };
    if constexpr (detail::overrides(&T::cancel, &custom_transport::cancel)) {
        table.cancel = [](void *self, sdimage_exchange *with) {
            const detail::lent<exchange> exchange_lent(with);
            detail::guarded([&] { detail::state<T>(self).cancel(*exchange_lent); });
        };
    }
    auto object = std::make_unique<T>(std::forward<A>(arguments)...);
    return detail::make<transport>(sdimage_transport_new_custom, &table, static_cast<void *>(object.release()),
                                   &detail::destroyed<T>);
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

// The same of a lambda: void(const request &, const exchange &).
template <class S> transport transport_of(S start) {
    return make_transport<detail::lambda_transport<S>>(std::move(start));
}

} // namespace sdimage

#endif
