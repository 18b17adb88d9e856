// manager.hpp: from a URL to pixels with caches, loaders and coders.
//
//   manager loads = manager::create();
//   image picture = loads.load(request(url).set_thumbnail_size(256, 256)).image();      waits
//   load_future later = loads.load_async(url); … later.get().image();                   a future: load_future.hpp
//   loads.start(request(url), [](const result &got) { … });                             a callback
#ifndef SDIMAGE_MANAGER_HPP
#define SDIMAGE_MANAGER_HPP

#include "downloader.hpp"
#include "getters.hpp"
#include "load_future.hpp"

namespace sdimage {

// Class: single-owner.
class manager_config : public detail::owned<sdimage_manager_config, sdimage_manager_config_unref>,
                       public detail::manager_config_getters<manager_config> {
public:
    using owned::owned;
    manager_config() : owned(detail::made(sdimage_manager_config_new())) {}
    // The C functions of the same names: hooks.h and manager.h.
    manager_config &set_load_hooks(const sdimage::load_hooks &hooks) &noexcept {
        return sdimage_manager_config_set_load_hooks(get(), hooks.get()), *this;
    }
    manager_config &&set_load_hooks(const sdimage::load_hooks &hooks) &&noexcept {
        return std::move(set_load_hooks(hooks));
    }
    manager_config &set_cache(const sdimage::cache &value) &noexcept {
        return sdimage_manager_config_set_cache(get(), value.get()), *this;
    }
    manager_config &&set_cache(const sdimage::cache &value) &&noexcept { return std::move(set_cache(value)); }
    manager_config &set_transformer(const sdimage::transformer &value) &noexcept {
        return sdimage_manager_config_set_transformer(get(), value.get()), *this;
    }
    manager_config &&set_transformer(const sdimage::transformer &value) &&noexcept {
        return std::move(set_transformer(value));
    }
    manager_config &set_loader(const sdimage::loader &value) &noexcept {
        return sdimage_manager_config_set_loader(get(), value.get()), *this;
    }
    manager_config &&set_loader(const sdimage::loader &value) &&noexcept { return std::move(set_loader(value)); }
    manager_config &set_dispatcher(const sdimage::dispatcher &value) &noexcept {
        return sdimage_manager_config_set_dispatcher(get(), value.get()), *this;
    }
    manager_config &&set_dispatcher(const sdimage::dispatcher &value) &&noexcept {
        return std::move(set_dispatcher(value));
    }
    manager_config &set_freshness(sdimage::freshness value) &noexcept {
        return sdimage_manager_config_set_freshness(get(), detail::c(value)), *this;
    }
    manager_config &&set_freshness(sdimage::freshness value) &&noexcept { return std::move(set_freshness(value)); }
    manager_config &set_ignore_signatures(bool ignore) &noexcept {
        return sdimage_manager_config_set_ignore_signatures(get(), ignore), *this;
    }
    manager_config &&set_ignore_signatures(bool ignore) &&noexcept { return std::move(set_ignore_signatures(ignore)); }
    manager_config &set_failed_url_retry_after(std::int64_t seconds) &noexcept {
        return sdimage_manager_config_set_failed_url_retry_after(get(), seconds), *this;
    }
    manager_config &&set_failed_url_retry_after(std::int64_t seconds) &&noexcept {
        return std::move(set_failed_url_retry_after(seconds));
    }
    // Receives the FINAL of every load: void(const result &). On the library's callback thread, one at a time.
    template <class F> manager_config &set_observer(F observe) & {
        auto table = detail::empty_table<sdimage_load_observer>();
        table.load_ended = [](void *self, const sdimage_result *ended) {
            const detail::lent<result> lent(ended);
            detail::guarded([&] { detail::state<F>(self)(*lent); });
        };
        detail::run(sdimage_manager_config_set_observer, get(), &table,
                    static_cast<void *>(detail::boxed(std::move(observe)).release()), &detail::destroyed<F>);
        return *this;
    }
    template <class F> manager_config &&set_observer(F observe) && {
        return std::move(set_observer(std::move(observe)));
    }
};

namespace detail {

// Calls a result callback with (const task &, const result &), or with the result alone.
template <class F> void call_result(F &function, sdimage_task *from, sdimage_result *got) noexcept {
    const lent<task> task_lent(from);
    const lent<result> result_lent(got);
    guarded([&] {
        if constexpr (std::is_invocable_v<F &, const task &, const result &>)
            function(*task_lent, *result_lent);
        else
            function(*result_lent);
    });
}
// Calls a progress callback with (const task &, byte_progress), or with the numbers alone.
template <class F> void call_progress(F &function, sdimage_task *from, byte_progress so_far) noexcept {
    const lent<task> task_lent(from);
    guarded([&] {
        if constexpr (std::is_invocable_v<F &, const task &, byte_progress>)
            function(*task_lent, so_far);
        else
            function(so_far);
    });
}

// The handler of a load whose callbacks are a pair_of<R, P>.
template <class R, class P> sdimage_load_handler load_handler() noexcept {
    auto table = empty_table<sdimage_load_handler>();
    if constexpr (given<R>) {
        table.result = [](void *self, sdimage_task *from, sdimage_result *got) {
            call_result(state<pair_of<R, P>>(self).first, from, got);
        };
    }
    if constexpr (given<P>) {
        table.progress = [](void *self, sdimage_task *from, std::int64_t received, std::int64_t expected) {
            call_progress(state<pair_of<R, P>>(self).second, from, {received, expected});
        };
    }
    return table;
}

// Starts a load by function(handler, state, destroy, &task, &error).
template <class R, class P, class S> task started(R on_result, P on_progress, S &&start) {
    const sdimage_load_handler table = load_handler<R, P>();
    sdimage_task *begun = nullptr;
    sdimage_error *why = nullptr;
    void *state = paired(std::move(on_result), std::move(on_progress)).release();
    const sdimage_status said = start(&table, state, &destroyed<pair_of<R, P>>, &begun, &why);
    if (said < 0) throw error(taken(said, why));
    return task(begun);
}

} // namespace detail

// Class: synchronized. Releasing the last handle closes the manager without waiting.
class manager : public detail::shared<sdimage_manager, sdimage_manager_ref, sdimage_manager_unref> {
public:
    using shared::shared;
    // A manager is created by create(); nullptr is an empty handle.
    manager() = delete;
    static manager create(const manager_config &config = nullptr) {
        return detail::make<manager>(sdimage_manager_new, config.get());
    }
    // A manager with a cache of its own in a folder; without a dispatcher, callbacks run on the library's thread.
    static manager create_in(std::string_view directory, const dispatcher &callbacks = nullptr) {
        return detail::make<manager>(sdimage_manager_new_in, detail::text(directory), callbacks.get());
    }
    // The manager that the process shares.
    static manager shared_one() { return detail::make<manager>(sdimage_manager_get_shared); }

    // Blocks. Throws a load_error if there is no image, except after a cache-only load that found nothing: its result
    // has no image.
    result load(const request &wanted) const {
        failure why;
        result got = ended(wanted, why);
        if (why && got) throw load_error(std::move(got));
        if (why) throw error(std::move(why));
        return got;
    }
    result load(std::string_view url) const { return load(request(url)); }
    // The result that memory can provide at once; empty if a load would need more work.
    result find(const request &wanted) const { return detail::make<result>(sdimage_manager_find, get(), wanted.get()); }
    // The same as load without exceptions.
    outcome<result> try_load(const request &wanted) const noexcept {
        failure why;
        result got = ended(wanted, why);
        if (why) return why;
        return got;
    }
    // Returns a future of the FINAL. It completes on the library's callback thread unless the request or the manager
    // names a dispatcher. If this thread has to drain that dispatcher, the future never becomes ready while this thread
    // waits. The callback receives the progress like that of start.
    template <class P = detail::nothing> load_future load_async(const request &wanted, P on_progress = {}) const {
        detail::promised keeps;
        std::future<result> future = keeps.promise.get_future();
        std::shared_ptr<detail::completion> end = keeps.end;
        task begun = start(wanted, std::move(keeps), std::move(on_progress));
        return {std::move(future), std::move(begun), std::move(end)};
    }
    template <class P = detail::nothing> load_future load_async(std::string_view url, P on_progress = {}) const {
        return load_async(request(url), std::move(on_progress));
    }
    // Starts a load and returns. The callbacks run on the load's dispatcher, in order and serialized: PARTIAL and
    // CACHED results, then exactly one FINAL; and progress as bytes arrive. They take (const task &, const result &)
    // and (const task &, byte_progress), or the same without the task.
    template <class R, class P = detail::nothing>
    task start(const request &wanted, R on_result, P on_progress = {}) const {
        return detail::started(std::move(on_result), std::move(on_progress),
                               [&](auto *table, void *state, auto destroy, auto **begun, auto **why) {
                                   return sdimage_manager_load(get(), wanted.get(), table, state, destroy, begun, why);
                               });
    }
    // Starts a load without callbacks: results come from the task, or as events of a pollable dispatcher with this
    // token.
    task start_for_events(const request &wanted, void *token = nullptr) const {
        sdimage_task *begun = nullptr;
        detail::run(sdimage_manager_load, get(), wanted.get(), nullptr, token, nullptr, &begun);
        return task(begun);
    }
    // The cache key of a load of the request, in its printed form; entry_key identifies the entry exactly.
    std::string cache_key(const request &wanted) const {
        return std::string(detail::make<data>(sdimage_manager_get_cache_key, get(), wanted.get()).text());
    }
    std::string entry_key(const request &wanted) const {
        return std::string(detail::make<data>(sdimage_manager_get_entry_key, get(), wanted.get()).text());
    }
    // Forgets all failed URLs unless one is given.
    void forget_failed(std::string_view url) const noexcept {
        sdimage_manager_forget_failed(get(), url.data(), url.size());
    }
    void forget_failed() const noexcept { sdimage_manager_forget_failed(get(), nullptr, 0); }
    // Waits until the stores of finished loads are committed, queued encodes included; throws TIMEOUT.
    void flush(std::uint32_t timeout_ms = forever_ms) const { detail::run(sdimage_manager_flush, get(), timeout_ms); }
    // Waits until no load is under way and the last callbacks have returned; throws TIMEOUT.
    void wait_all(std::uint32_t timeout_ms = forever_ms) const {
        detail::run(sdimage_manager_wait_all, get(), timeout_ms);
    }
    // Ends running loads with SHUTDOWN and waits for the last callbacks; throws TIMEOUT.
    void close(std::uint32_t timeout_ms = forever_ms) const { detail::run(sdimage_manager_close, get(), timeout_ms); }
    // The C functions of the same names: manager.h.
    sdimage::cache cache() const noexcept { return detail::copied<sdimage::cache>(sdimage_manager_get_cache, get()); }
    sdimage::loader loader() const noexcept {
        return detail::copied<sdimage::loader>(sdimage_manager_get_loader, get());
    }
    void cancel_all() const noexcept { sdimage_manager_cancel_all(get()); }
    std::size_t running_count() const noexcept { return sdimage_manager_running_count(get()); }
    void set_offline(bool offline) const noexcept { sdimage_manager_set_offline(get(), offline); }
    bool is_offline() const noexcept { return sdimage_manager_is_offline(get()); }

private:
    // Loads and waits. `why` is set if there is no image; the result is empty if the load was refused.
    result ended(const request &wanted, failure &why) const noexcept {
        sdimage_result *got = nullptr;
        sdimage_error *reason = nullptr;
        const sdimage_status said = sdimage_manager_load_sync(get(), wanted.get(), &got, &reason);
        result kept(got);
        failure given = said < 0 ? detail::taken(said, reason) : failure();
        if (given && !(kept && kept.image())) why = std::move(given);
        return kept;
    }
};

template <class R, class P> task cache::load(const request &wanted, R on_result, P on_progress) const {
    return detail::started(std::move(on_result), std::move(on_progress),
                           [&](auto *table, void *state, auto destroy, auto **begun, auto **why) {
                               return sdimage_cache_load(get(), wanted.get(), table, state, destroy, begun, why);
                           });
}

inline result loader::load(const request &wanted) const {
    sdimage_result *got = nullptr;
    sdimage_error *reason = nullptr;
    const sdimage_status said = sdimage_loader_load_sync(get(), wanted.get(), &got, &reason);
    result kept(got);
    if (said >= 0) return kept;
    failure why = detail::taken(said, reason);
    if (kept) throw load_error(std::move(kept));
    throw error(std::move(why));
}
template <class R, class P> task loader::start(const request &wanted, R on_result, P on_progress) const {
    return detail::started(std::move(on_result), std::move(on_progress),
                           [&](auto *table, void *state, auto destroy, auto **begun, auto **why) {
                               return sdimage_loader_load(get(), wanted.get(), table, state, destroy, begun, why);
                           });
}

// The default for managers created from now on without one; empty restores the library's own.
inline void set_default_cache(const cache &shared) noexcept {
    sdimage_set_default_cache(shared.get());
}
inline void set_default_loader(const loader &shared) noexcept {
    sdimage_set_default_loader(shared.get());
}
// The default that was set; empty for none.
inline cache default_cache() noexcept {
    return detail::copied<cache>(sdimage_get_default_cache);
}
inline loader default_loader() noexcept {
    return detail::copied<loader>(sdimage_get_default_loader);
}

// --- The process.

// Versions, formats, limits and state of the library. Class: immutable. Its functions are those of diagnostics.h.
class diagnosis : public detail::shared<sdimage_diagnosis, sdimage_diagnosis_ref, sdimage_diagnosis_unref>,
                  public detail::diagnosis_getters<diagnosis> {
public:
    using shared::shared;

    static diagnosis create() { return detail::make<diagnosis>(sdimage_diagnosis_new); }
    bool can_decode(format wanted) const noexcept { return sdimage_diagnosis_can_decode(get(), detail::c(wanted)); }
    bool can_encode(format wanted) const noexcept { return sdimage_diagnosis_can_encode(get(), detail::c(wanted)); }
    std::uint32_t thread_count() const noexcept { return sdimage_diagnosis_thread_count(get()); }
    std::string to_json() const { return std::string(detail::make<data>(sdimage_diagnosis_to_json, get()).text()); }
};

// The diagnostics for a bug report, as JSON.
inline std::string doctor() {
    return diagnosis::create().to_json();
}
// Releases unused pixel memory; with `empty_caches` also empties the memory part of every cache.
inline void trim_memory(bool empty_caches) noexcept {
    sdimage_trim_memory(empty_caches);
}
// The metrics of the process in the Prometheus text format.
inline std::string metrics() {
    return std::string(detail::make<data>(sdimage_metrics).text());
}

// Sends messages up to a level to write(log_level, std::string_view). Any thread, several at once; must not block.
template <class F> void set_log_handler(log_level level, F write) {
    auto table = detail::empty_table<sdimage_log_handler>();
    table.message = [](void *self, sdimage_log_level of, const char *text) {
        detail::guarded([&] { detail::state<F>(self)(static_cast<log_level>(of), detail::view(text)); });
    };
    detail::run(sdimage_log_set_handler, detail::c(level), &table,
                static_cast<void *>(detail::boxed(std::move(write)).release()), &detail::destroyed<F>);
}
// Writes a line to the log.
inline void write_log(log_level level, const std::string &text) noexcept {
    sdimage_log_write(detail::c(level), text.c_str());
}
inline void clear_log_handler() noexcept {
    sdimage_log_set_handler(SDIMAGE_LOG_LEVEL_OFF, nullptr, nullptr, nullptr, nullptr);
}

} // namespace sdimage

#endif
