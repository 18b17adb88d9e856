// Loads as futures: alone, with progress, together; times of results and exceptions.
#include "check.hpp"

using namespace sdimage;

// An empty handle has to be requested.
static_assert(!std::is_default_constructible_v<manager>);
static_assert(std::is_constructible_v<manager, std::nullptr_t>);

TEST(a_url_is_loaded_as_a_future_with_progress) {
    const std::int64_t length = std::int64_t(picture("aurora.jpg").size());
    const manager loads = in_memory();
    std::atomic<std::int64_t> received{0}, expected{0};
    std::atomic<int> alive{0};
    const auto note = [&](byte_progress so_far) {
        if (so_far.received > 0)
            expected = so_far.expected;
        received = so_far.received;
    };
    load_future one =
        loads.load_async(url("aurora.jpg"), [&, own = counted(alive)](byte_progress so_far) { note(so_far); });
    CHECK_EQUAL(one.get().image().width(), 1000u);
    CHECK_EQUAL(one.progress().received, length);
    CHECK_EQUAL(one.progress().expected, length);
    CHECK(becomes_true([&] { return alive == 0; }));
    // The result may take the place of a progress that waits for its callback, so only a load that is held must report.
    received = 0;
    load_future held = loads.load_async(url("aurora.jpg?gate=1&kbps=100"), note);
    CHECK(becomes_true([&] { return received > 0 && received < length; }));
    CHECK_EQUAL(expected.load(), length);
    held.cancel();
    CHECK(thrown([&] { held.get(); }) == status::cancelled);
    const std::string again = url("aurora.jpg");
    CHECK(loads.load_async(again).get().source() == image_source::memory);
}

TEST(a_future_is_not_awaited_in_a_callback) {
    const manager loads = in_memory();
    std::promise<std::vector<status>> told;
    std::promise<void> is_told;
    loads.start(request(url("badge.png")), [&](const result &) {
        load_future inner = loads.load_async(url("leaf.webp"));
        told.set_value({thrown([&] { inner.wait(); }), thrown([&] { inner.get(); })});
        CHECK(inner.valid());
        inner.cancel();
        is_told.set_value();
    });
    auto codes = told.get_future();
    CHECK(wait_for(codes) == std::vector<status>(2, status::would_deadlock));
    auto end = is_told.get_future();
    wait_for(end);
    load_future ready = loads.load_async(url("leaf.webp"));
    ready.wait();
    CHECK(ready.is_ready() && ready.get().image());
    CHECK(!ready.valid());
}

TEST(loads_are_awaited_together) {
    const manager loads = in_memory();
    std::vector<load_future> all;
    for (const char *name : {"badge.png", "none.png", "leaf.webp"})
        all.push_back(loads.load_async(url(name)));
    all.emplace_back();
    auto together = when_all(std::move(all));
    all = wait_for(together);
    CHECK_EQUAL(all.size(), std::size_t(4));
    CHECK(all[0].is_ready() && all[1].is_ready() && all[2].is_ready() && !all[3].valid());
    CHECK_EQUAL(all[0].get().image().width(), 400u);
    CHECK_EQUAL(thrown([&] { all[1].get(); }), status::http_status);
    CHECK(all[2].get().image());
    auto nothing = when_all({});
    CHECK(wait_for(nothing).empty());
}

TEST(loads_that_are_cancelled_or_ended_before_are_awaited_too) {
    const manager loads = in_memory();
    std::vector<load_future> all;
    all.push_back(loads.load_async(url("badge.png")));
    all[0].wait();
    all.push_back(loads.load_async(url("aurora.jpg?fault=hang")));
    const task slow = all[1].load();
    auto together = when_all(std::move(all));
    CHECK(together.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
    slow.cancel();
    all = wait_for(together);
    CHECK(all[0].get().image());
    CHECK_EQUAL(thrown([&] { all[1].get(); }), status::cancelled);
}

TEST(results_and_exceptions_have_the_times_of_their_load) {
    const manager loads = in_memory();
    const stage_times times = loads.load(url("badge.png")).times();
    CHECK(times.total > std::chrono::nanoseconds(0) && times.load > std::chrono::nanoseconds(0));
    CHECK(times.decode > std::chrono::nanoseconds(0) && times.load < times.total);
    CHECK(times.store == std::chrono::nanoseconds(0));
    int caught = 0;
    const auto check = [&](const load_error &why, status code) {
        CHECK_EQUAL(why.code(), code);
        CHECK(why.times().total > std::chrono::nanoseconds(0));
        CHECK_EQUAL(why.times().total.count(), std::int64_t(why.result().time_ns(stage::total)));
        caught++;
    };
    try {
        loads.load(url("none.png"));
    } catch (const load_error &why) {
        check(why, status::http_status);
        CHECK_EQUAL(why.result().transactions().size(), std::size_t(1));
        CHECK_EQUAL(why.result().response().status(), 404);
    }
    load_future other = loads.load_async(url("nothing.png"));
    try {
        other.get();
    } catch (const load_error &why) {
        check(why, status::http_status);
    }
    loads.start_for_events(request(url("nowhere.png"))).wait();
    const task last = loads.start_for_events(request(url("nowhere.png")).set_retry_failed(true));
    last.wait();
    try {
        last.result().value();
    } catch (const load_error &why) {
        check(why, status::http_status);
    }
    CHECK_EQUAL(caught, 3);
    loads.close();
    // A refused load has no result.
    bool refused = false;
    try {
        loads.load_async(url("badge.png"));
    } catch (const load_error &) {
    } catch (const error &why) {
        refused = why.code() == status::shutdown;
    }
    CHECK(refused);
}
