// load_future.hpp: loads as futures, alone and together.
//
//   std::vector<load_future> all;
//   for (const std::string &url : urls) all.push_back(loads.load_async(url));
//   for (load_future &one : when_all(std::move(all)).get()) show(one.get().image());
#ifndef SDIMAGE_LOAD_FUTURE_HPP
#define SDIMAGE_LOAD_FUTURE_HPP

#include <functional>
#include <future>
#include <mutex>

#include "task.hpp"

namespace sdimage {

namespace detail {

// The end of a load, with functions to be called then. Class: synchronized.
class completion {
public:
    // Calls the function at the end; now, if the load has ended.
    void then(std::function<void()> call) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!is_over_) return waiting_.push_back(std::move(call));
        }
        call();
    }
    void finish() {
        std::vector<std::function<void()>> calls;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            is_over_ = true;
            calls.swap(waiting_);
        }
        for (const std::function<void()> &call : calls)
            call();
    }

private:
    std::mutex mutex_;
    bool is_over_ = false;
    std::vector<std::function<void()>> waiting_;
};

// Completes the promise of a load with its FINAL, or with the error that prevented it. A refused load has no FINAL: the
// destructor then breaks the promise, and ends the load for when_all.
struct promised {
    std::promise<result> promise;
    std::shared_ptr<completion> end = std::make_shared<completion>();

    promised() = default;
    promised(promised &&) noexcept = default;
    promised &operator=(promised &&) = delete;
    ~promised() {
        if (!end) return;
        // Must come first: the load may end only when its future is ready.
        { const std::promise<result> broken = std::move(promise); }
        guarded([&] { end->finish(); });
    }
    void operator()(const result &got) {
        if (got.kind() != delivery_kind::final) return;
        if (got.why() && !got.image())
            promise.set_exception(std::make_exception_ptr(load_error(got)));
        else
            promise.set_value(got);
        end->finish();
    }
};

} // namespace detail

// A load in progress as a future, started by manager::load_async. Destroying it does not cancel the load. get() throws
// the load_error of the load, including CANCELLED. On a thread of the library, such as in a callback, get() and wait()
// throw WOULD_DEADLOCK unless the future is ready.
class load_future {
public:
    load_future() = default;
    load_future(std::future<result> future, task load, std::shared_ptr<detail::completion> end) noexcept
        : future_(std::move(future)), task_(std::move(load)), end_(std::move(end)) {}

    result get() {
        check_thread();
        return future_.get();
    }
    bool valid() const noexcept { return future_.valid(); }
    void wait() const {
        check_thread();
        future_.wait();
    }
    template <class Rep, class Period>
    std::future_status wait_for(const std::chrono::duration<Rep, Period> &time) const {
        return future_.wait_for(time);
    }
    bool is_ready() const { return valid() && future_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
    // Requests cancellation of the load.
    void cancel() const noexcept { task_.cancel(); }
    // Bytes received and expected so far; load_async also takes a callback for them.
    byte_progress progress() const noexcept { return task_.progress(); }
    const task &load() const noexcept { return task_; }
    // The bare future, for code that takes a std::future.
    std::future<result> release() noexcept { return std::move(future_); }

private:
    friend std::future<std::vector<load_future>> when_all(std::vector<load_future> loads);

    // Waits by the task, which throws WOULD_DEADLOCK. The delivery makes the future ready after that.
    void check_thread() const {
        if (valid() && !is_ready()) task_.wait();
    }

    std::future<result> future_;
    task task_;
    std::shared_ptr<detail::completion> end_;
};

// A future of several loads: ready when all of them have ended. It returns them in the given order, and get() of each
// returns its result or throws its error. Copy `load()` of a future to cancel it meanwhile. Not to be awaited on a
// thread of the library: it would never be ready there.
inline std::future<std::vector<load_future>> when_all(std::vector<load_future> loads) {
    struct gathering {
        std::vector<load_future> loads;
        std::promise<std::vector<load_future>> promise;
        // One more than the loads: the last end comes after every load is registered.
        std::atomic<std::size_t> left;
        void count_down() {
            if (left.fetch_sub(1) == 1) promise.set_value(std::move(loads));
        }
    };
    std::vector<std::shared_ptr<detail::completion>> ends;
    for (const load_future &one : loads)
        if (one.end_) ends.push_back(one.end_);
    const auto all = std::make_shared<gathering>();
    all->left = ends.size() + 1;
    all->loads = std::move(loads);
    auto future = all->promise.get_future();
    for (const auto &end : ends)
        end->then([all] { all->count_down(); });
    all->count_down();
    return future;
}

} // namespace sdimage

#endif
