// prefetcher.hpp: images loaded before they are needed.
#ifndef SDIMAGE_PREFETCHER_HPP
#define SDIMAGE_PREFETCHER_HPP

#include "getters.hpp"
#include "manager.hpp"

namespace sdimage {

// A prefetch list in progress. Class: synchronized.
class prefetch_group
    : public detail::shared<sdimage_prefetch_group, sdimage_prefetch_group_ref, sdimage_prefetch_group_unref> {
public:
    using shared::shared;
    // Waits until the whole list is finished; throws TIMEOUT.
    void wait(std::uint32_t timeout_ms = forever_ms) const {
        detail::run(sdimage_prefetch_group_wait, get(), timeout_ms);
    }
    // The C functions of the same names: prefetcher.h.
    void cancel() const noexcept { sdimage_prefetch_group_cancel(get()); }
    bool is_finished() const noexcept { return sdimage_prefetch_group_is_finished(get()); }
    bool is_cancelled() const noexcept { return sdimage_prefetch_group_is_cancelled(get()); }
    std::size_t total_count() const noexcept { return sdimage_prefetch_group_total_count(get()); }
    std::size_t finished_count() const noexcept { return sdimage_prefetch_group_finished_count(get()); }
    std::size_t skipped_count() const noexcept { return sdimage_prefetch_group_skipped_count(get()); }
    std::string url(std::size_t index) const {
        return std::string(detail::make<data>(sdimage_prefetch_group_get_url, get(), index).text());
    }
    // The failed entries in the order of failure: index in the list, and reason.
    std::vector<std::pair<std::size_t, failure>> failures() const {
        std::vector<std::pair<std::size_t, failure>> all;
        std::size_t index = 0;
        sdimage_error *why = nullptr;
        while (sdimage_prefetch_group_get_failure(get(), all.size(), &index, &why, nullptr) == SDIMAGE_STATUS_OK)
            all.emplace_back(index, failure(std::exchange(why, nullptr)));
        return all;
    }
};

// Base class for prefetcher::start. Called on the prefetcher's dispatcher, in order and serialized.
class prefetch_handler {
public:
    virtual ~prefetch_handler() = default;
    // The URL at `index` has finished, with or without an error.
    virtual void fetched(const prefetch_group &, std::size_t, const result &) {}
    virtual void progress(const prefetch_group &, std::size_t, std::size_t) {}
    // The last call, exactly once: the number of finished URLs, the number of those without an image; and CANCELLED or
    // empty.
    virtual void completed(const prefetch_group &, std::size_t, std::size_t, const failure &) {}
};

// Base class for prefetcher::set_handler. Called for all groups together.
class prefetcher_handler {
public:
    virtual ~prefetcher_handler() = default;
    virtual void fetched(std::string_view, std::size_t, std::size_t) {}
    virtual void idle(std::size_t, std::size_t) {}
};

namespace detail {
// A handler with only completed, from a lambda: (finished, skipped, const failure &).
template <class F> class lambda_prefetch final : public prefetch_handler {
public:
    explicit lambda_prefetch(F done) : done_(std::move(done)) {}
    void completed(const prefetch_group &, std::size_t finished, std::size_t skipped, const failure &why) override {
        done_(finished, skipped, why);
    }

private:
    F done_;
};

inline sdimage_prefetch_handler prefetch_table() noexcept {
    auto table = empty_table<sdimage_prefetch_handler>();
    table.fetched = [](void *self, sdimage_prefetch_group *group, std::size_t index, sdimage_result *got) {
        guarded(
            [&] { state<prefetch_handler>(self).fetched(*lent<prefetch_group>(group), index, *lent<result>(got)); });
    };
    table.progress = [](void *self, sdimage_prefetch_group *group, std::size_t finished, std::size_t total) {
        guarded([&] { state<prefetch_handler>(self).progress(*lent<prefetch_group>(group), finished, total); });
    };
    table.completed = [](void *self, sdimage_prefetch_group *group, std::size_t finished, std::size_t skipped,
                         sdimage_error *why) {
        guarded([&] {
            state<prefetch_handler>(self).completed(*lent<prefetch_group>(group), finished, skipped,
                                                    *lent<failure>(why));
        });
    };
    return table;
}

// URLs in the form that C takes; valid as long as the strings.
struct url_list {
    std::vector<const char *> texts;
    std::vector<std::size_t> lengths;

    explicit url_list(span<const std::string> urls) {
        for (const std::string &url : urls) {
            texts.push_back(url.data());
            lengths.push_back(url.size());
        }
    }
};

// Starts a list with a function that ends with handler, user_data and destroy; the handler may be empty.
template <class F, class... A>
prefetch_group begun(std::unique_ptr<prefetch_handler> handler, F *function, A... arguments) {
    const sdimage_prefetch_handler table = prefetch_table();
    const sdimage_prefetch_handler *given = handler ? &table : nullptr;
    return handed_over<prefetch_group>(std::move(handler), function, arguments..., given);
}
} // namespace detail

// Class: synchronized.
class prefetcher : public detail::shared<sdimage_prefetcher, sdimage_prefetcher_ref, sdimage_prefetcher_unref>,
                   public detail::prefetcher_getters<prefetcher> {
public:
    using shared::shared;
    // An empty manager means a private one; an empty dispatcher means the callback thread of the library.
    static prefetcher create(const manager &with = nullptr, const dispatcher &where = {}) {
        return detail::make<prefetcher>(sdimage_prefetcher_new, with.get(), where.get());
    }
    static prefetcher shared_one() { return detail::make<prefetcher>(sdimage_prefetcher_get_shared); }
    // The C functions of the same names: prefetcher.h.
    void set_max_concurrent(std::uint32_t count) const noexcept { sdimage_prefetcher_set_max_concurrent(get(), count); }
    std::uint32_t max_concurrent() const noexcept { return sdimage_prefetcher_max_concurrent(get()); }
    void set_request(const sdimage::request &value) const noexcept {
        sdimage_prefetcher_set_request(get(), value.get());
    }
    void cancel_all() const noexcept { sdimage_prefetcher_cancel_all(get()); }

    // Starts a list. `how` replaces the prefetcher's own request. The group is empty when the list is.
    prefetch_group start(span<const std::string> urls, std::unique_ptr<prefetch_handler> handler,
                         const sdimage::request &how = nullptr) const {
        const detail::url_list list(urls);
        return detail::begun(std::move(handler), sdimage_prefetcher_start, get(), list.texts.data(),
                             list.lengths.data(), list.texts.size(), how.get());
    }
    prefetch_group start(span<const std::string> urls) const { return start(urls, nullptr); }
    // Calls done(finished, skipped, const failure &) once.
    template <class F, class = std::enable_if_t<std::is_invocable_v<F &, std::size_t, std::size_t, const failure &>>>
    prefetch_group start(span<const std::string> urls, F done, const sdimage::request &how = nullptr) const {
        return start(urls, std::make_unique<detail::lambda_prefetch<F>>(std::move(done)), how);
    }
    // Replaces the handler; empty removes it.
    void set_handler(std::unique_ptr<prefetcher_handler> handler) const {
        auto table = detail::empty_table<sdimage_prefetcher_handler>();
        table.fetched = [](void *self, const char *url, std::size_t finished, std::size_t total) {
            detail::guarded(
                [&] { detail::state<prefetcher_handler>(self).fetched(detail::view(url), finished, total); });
        };
        table.idle = [](void *self, std::size_t total, std::size_t skipped) {
            detail::guarded([&] { detail::state<prefetcher_handler>(self).idle(total, skipped); });
        };
        const sdimage_prefetcher_handler *given = handler ? &table : nullptr;
        detail::run(sdimage_prefetcher_set_handler, get(), given, static_cast<void *>(handler.release()),
                    &detail::destroyed<prefetcher_handler>);
    }
};

} // namespace sdimage

#endif
