// task.hpp: a load in progress, the dispatcher of its callbacks, and events for programs without callbacks.
#ifndef SDIMAGE_TASK_HPP
#define SDIMAGE_TASK_HPP

#include "result.hpp"

namespace sdimage {

// No time limit, for calls that wait.
inline constexpr std::uint32_t forever_ms = UINT32_MAX;

// Progress of a load in bytes; -1 = unknown.
struct byte_progress {
    std::int64_t received;
    std::int64_t expected;
};

// A load in progress. Releasing the handle does not cancel it. Class: synchronized.
class task : public detail::shared<sdimage_task, sdimage_task_ref, sdimage_task_unref> {
public:
    using shared::shared;
    // Waits for the final result. Throws TIMEOUT, and WOULD_DEADLOCK on a thread of the library.
    void wait(std::uint32_t timeout_ms = forever_ms) const { detail::run(sdimage_task_wait, get(), timeout_ms); }
    byte_progress progress() const noexcept {
        byte_progress so_far{};
        sdimage_task_progress(get(), &so_far.received, &so_far.expected);
        return so_far;
    }
    // The user_data of a load that the C function started, or the token of start_for_events.
    void *token() const noexcept { return sdimage_task_token(get()); }
    // The C functions of the same names: task.h.
    void cancel() const noexcept { sdimage_task_cancel(get()); }
    void cancel_and_wait(std::uint32_t timeout_ms) const {
        detail::run(sdimage_task_cancel_and_wait, get(), timeout_ms);
    }
    sdimage::priority priority() const noexcept { return static_cast<sdimage::priority>(sdimage_task_priority(get())); }
    void set_priority(sdimage::priority value) const noexcept { sdimage_task_set_priority(get(), detail::c(value)); }
    bool is_finished() const noexcept { return sdimage_task_is_finished(get()); }
    sdimage::result result() const noexcept { return detail::copied<sdimage::result>(sdimage_task_get_result, get()); }
    sdimage::response response() const noexcept {
        return detail::copied<sdimage::response>(sdimage_task_get_response, get());
    }
};

// The completion of an asynchronous hook: completed once, from any thread, immediately or later. Releasing the last
// reference without completion is the error INTERNAL_ERROR. Class: synchronized.
class reply : public detail::shared<sdimage_reply, sdimage_reply_ref, sdimage_reply_unref> {
public:
    using shared::shared;
    // The C functions of the same names: task.h.
    void complete() const noexcept { sdimage_reply_complete(get()); }
    void complete_with_data(const data &value) const noexcept { sdimage_reply_complete_with_data(get(), value.get()); }
    void complete_with_entry(const cache_entry &entry) const noexcept {
        sdimage_reply_complete_with_entry(get(), entry.get());
    }
    void complete_with_error(const failure &value) const noexcept {
        sdimage_reply_complete_with_error(get(), value.get());
    }
    bool is_cancelled() const noexcept { return sdimage_reply_is_cancelled(get()); }
};

// One delivery of a load, taken from a pollable dispatcher. Class: immutable.
class event : public detail::shared<sdimage_event, sdimage_event_ref, sdimage_event_unref> {
public:
    using shared::shared;
    callback_kind kind() const noexcept { return static_cast<callback_kind>(sdimage_event_callback_kind(get())); }
    sdimage::task task() const noexcept { return retain<sdimage::task>(sdimage_event_task(get())); }
    // Empty for progress.
    sdimage::result result() const noexcept { return retain<sdimage::result>(sdimage_event_result(get())); }
    byte_progress progress() const noexcept { return {sdimage_event_received(get()), sdimage_event_expected(get())}; }
    void *token() const noexcept { return sdimage_event_token(get()); }
};

// Determines where callbacks run. Class: synchronized.
class dispatcher : public detail::shared<sdimage_dispatcher, sdimage_dispatcher_ref, sdimage_dispatcher_unref> {
public:
    using shared::shared;
    // The callback thread of the library; the thread that finishes the load; a queue behind a descriptor.
    static dispatcher library() { return detail::make<dispatcher>(sdimage_dispatcher_new_library); }
    static dispatcher immediate() { return detail::make<dispatcher>(sdimage_dispatcher_new_immediate); }
    static dispatcher pollable() { return detail::make<dispatcher>(sdimage_dispatcher_new_pollable); }

    // An event loop of the program. `post` receives a function object without arguments, to be called exactly once,
    // soon, on the program's thread; `post` must not throw. `is_current` reports whether the calling thread is that
    // thread; without it memory hits are posted too.
    template <class P, class C = detail::nothing> static dispatcher custom(P post, C is_current = {}) {
        using state = detail::pair_of<P, C>;
        auto table = detail::empty_table<sdimage_dispatcher_vtable>();
        table.post = [](void *self, void (*run)(void *), void *argument) {
            detail::guarded([&] { detail::state<state>(self).first([run, argument] { run(argument); }); });
        };
        if constexpr (detail::given<C>) {
            table.is_current = [](void *self) {
                return detail::guarded(false, [&]() -> bool { return detail::state<state>(self).second(); });
            };
        }
        return detail::make<dispatcher>(
            sdimage_dispatcher_new_custom, &table,
            static_cast<void *>(detail::paired(std::move(post), std::move(is_current)).release()),
            &detail::destroyed<state>);
    }

    // The C functions of the same names: dispatcher.h. The descriptor is that of a pollable dispatcher, to be watched
    // for reading; -1 for other kinds.
    int descriptor() const noexcept { return sdimage_dispatcher_descriptor(get()); }
    std::size_t drain() const noexcept { return sdimage_dispatcher_drain(get()); }
    void bind_current_thread() const { detail::run(sdimage_dispatcher_bind_current_thread, get()); }
    // Pollable: the next delivery; empty when nothing is queued.
    event next_event() const { return detail::make<event>(sdimage_dispatcher_next_event, get()); }
};

} // namespace sdimage

#endif
