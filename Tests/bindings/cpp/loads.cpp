// Loads: waiting, futures, callbacks, events, cancellation; threads of callbacks; exceptions in callbacks.
#include <poll.h>

#include <thread>

#include "check.hpp"

using namespace sdimage;

static request badge() {
    return request(url("badge.png"));
}
// The origin responds only when it ends.
static request slow() {
    return request(url("aurora.jpg?fault=hang"));
}

TEST(a_load_waits_and_memory_answers_the_second_time) {
    const manager loads = in_memory();
    const result first = loads.load(badge().set_thumbnail_size(64, 64));
    CHECK_EQUAL(first.image().width(), 64u);
    CHECK(first.source() == image_source::network && name(first.source()) == "network");
    CHECK(first.kind() == delivery_kind::final);
    CHECK_EQUAL(first.transactions().size(), std::size_t(1));
    CHECK_EQUAL(first.transactions()[0].http_status, 200);
    CHECK(first.transactions()[0].time_ns[int(transaction_phase::total)] > 0);
    CHECK_EQUAL(first.response().header("content-type").value_or(""), std::string("image/png"));
    CHECK(first.time_ns(stage::total) > 0);
    const result second = loads.load(badge().set_thumbnail_size(64, 64));
    CHECK(second.source() == image_source::memory);
    CHECK(second.image().pixels().data() == first.image().pixels().data());
    CHECK_EQUAL(loads.cache_key(badge()), url("badge.png"));
    CHECK_EQUAL(loads.entry_key(badge()), url("badge.png"));
    CHECK_EQUAL(loads.entry_key(badge().set_thumbnail_size(64, 64)),
                url("badge.png") + "\x1fThumbnail({64.000000,64.000000},1)");
}

TEST(a_failed_load_throws_with_the_status_of_the_answer) {
    const manager loads = in_memory();
    try {
        loads.load(url("none.png"));
        CHECK(false);
    } catch (const error &why) {
        CHECK_EQUAL(why.code(), status::http_status);
        CHECK_EQUAL(why.http_status(), 404);
        CHECK_EQUAL(std::string(why.url()), url("none.png"));
    }
    const outcome<result> again = loads.try_load(request(url("none.png")));
    CHECK_EQUAL(again.why().code(), status::failed_url);
    // The message has the cause.
    CHECK(std::string(again.why().message()).find("HTTP status 404") != std::string::npos);
    loads.forget_failed(url("none.png"));
    CHECK_EQUAL(loads.try_load(request(url("none.png"))).why().code(), status::http_status);
    loads.forget_failed();
    const result nothing = loads.load(badge().set_source_policy(source_policy::cache_only));
    CHECK(!nothing.image() && !nothing.why());
}

TEST(a_scheme_without_a_loader_is_forbidden) {
    CHECK_EQUAL(thrown([] { in_memory().load("ftp://host/a.png"); }), status::scheme_forbidden);
}

TEST(a_thumbnail_on_disk_tells_the_size_of_its_file) {
    const cache both = cache::open(folder());
    const manager loads = manager::create(manager_config().set_cache(both));
    const auto small = [] { return badge().set_thumbnail_size(64, 64).set_wait_for_store(true); };
    const size whole = loads.load(small()).image().source_size();
    CHECK(whole.width == 400);
    both.clear(cache_layers::memory);
    const result again = loads.load(small());
    CHECK(again.source() == image_source::disk);
    CHECK(again.image().source_size().width == whole.width && again.image().source_size().height == whole.height);
}

TEST(futures_of_loads_are_ready_with_their_results) {
    const manager loads = in_memory();
    std::vector<load_future> all;
    for (const char *name : {"badge.png", "aurora.jpg", "leaf.webp", "orbits.gif"})
        all.push_back(loads.load_async(request(url(name)).set_thumbnail_size(32, 32)));
    for (load_future &one : all)
        CHECK(one.get().image().width() <= 32);
    load_future missing = loads.load_async(request(url("none.png")));
    CHECK_EQUAL(thrown([&] { missing.get(); }), status::http_status);
    std::future<result> bare = loads.load_async(badge()).release();
    CHECK_EQUAL(wait_for(bare).image().width(), 400u);
}

TEST(a_cancelled_future_throws_cancelled) {
    const manager loads = in_memory();
    load_future one = loads.load_async(slow());
    CHECK(!one.is_ready());
    one.cancel();
    CHECK_EQUAL(thrown([&] { one.get(); }), status::cancelled);
    CHECK(one.load().is_finished());
}

TEST(the_priority_of_a_load_changes) {
    const manager loads = in_memory();
    const task load = loads.start_for_events(slow().set_priority(priority::low));
    CHECK(load.priority() == priority::low);
    load.set_priority(priority::high);
    CHECK(load.priority() == priority::high);
    load.cancel();
    CHECK(load.priority() == priority::high);
}

TEST(a_manager_waits_for_all_loads) {
    std::atomic<int> finals{0};
    const manager loads = manager::create_in(folder());
    for (const char *name : {"badge.png", "aurora.jpg", "leaf.webp"})
        loads.start(request(url(name)), [&](const result &) { ++finals; });
    loads.wait_all();
    CHECK_EQUAL(finals.load(), 3);
    CHECK(loads.cache().contains(url("badge.png")) != cache_layers::none);
    CHECK_EQUAL(loads.loader().name(), std::string("chain"));
    const task hanging = loads.start_for_events(slow());
    CHECK_EQUAL(thrown([&] { loads.wait_all(0); }), status::timeout);
    hanging.cancel();
}

TEST(a_loader_alone_fetches_bytes) {
    const downloader http = downloader::create();
    CHECK_EQUAL(http.load(badge()).data().length(), picture("badge.png").size());
    CHECK_EQUAL(thrown([&] { http.load(request(url("none.png"))); }), status::http_status);
    CHECK_EQUAL(thrown([&] { http.load(nullptr); }), status::invalid_argument);
    std::promise<std::size_t> ended;
    std::future<std::size_t> size = ended.get_future();
    http.start(badge(), [&](const result &got) { ended.set_value(got.data().length()); });
    CHECK_EQUAL(wait_for(size), picture("badge.png").size());
}

TEST(header_fields_are_set_omitted_and_restored) {
    const downloader http = downloader::create(downloader_config().set_header("X-Own", "1"));
    CHECK_EQUAL(http.header("x-own").value_or(""), std::string("1"));
    http.set_header("X-Own", std::nullopt);
    http.set_header("X-Other", "2");
    CHECK(!http.header("X-Own"));
    CHECK_EQUAL(http.headers().back().first + "=" + http.headers().back().second, std::string("X-Other=2"));
    CHECK_EQUAL(thrown([&] { http.set_header("a b", "c"); }), status::invalid_request);
    request wanted = request(url("badge.png")).set_header("Accept", std::nullopt);
    CHECK(wanted.has_header("accept") && !wanted.header("Accept"));
    CHECK(!wanted.reset_header("Accept").has_header("Accept"));
}

TEST(requests_are_made_of_paths) {
    CHECK_EQUAL(request::file("/a b.png").url(), std::string("file:///a%20b.png"));
    CHECK_EQUAL(url_escape("a/b?"), std::string("a%2Fb%3F"));
    const request wanted = request("data:,").set_pixel_format(pixel_format::bgra8_premultiplied);
    CHECK(wanted.pixel_format() == pixel_format::bgra8_premultiplied);
}

TEST(flushing_completes_what_is_still_being_encoded) {
    const cache kept = cache::open(cache_config().set_directory(folder()));
    const manager loads = manager::create(manager_config().set_cache(kept));
    std::vector<std::string> keys;
    for (const char *name : {"badge.png", "aurora.jpg", "leaf.webp"}) {
        request small(url(name));
        small.set_thumbnail_size(64, 64);
        loads.load(small);
        keys.push_back(loads.entry_key(small));
    }
    loads.flush(120000);
    kept.clear(cache_layers::memory);
    for (const std::string &key : keys)
        CHECK(kept.contains(key) == cache_layers::disk);
    loads.close();
    loads.flush();
    kept.close();
    CHECK_EQUAL(thrown([&] { loads.flush(); }), status::shutdown);
}

TEST(callbacks_hear_of_progress_parts_and_one_end) {
    const std::string bytes = picture("aurora.jpg");
    std::promise<void> shown, ended;
    std::future<void> part = shown.get_future(), end = ended.get_future();
    // Sends the second half after the first was shown.
    const loader halves = loader_of(
        "halves", [](const request &) { return true; },
        [&](const request &, const load_sink &sink) {
            sink.set_expected_length(bytes.size());
            sink.write(bytes_view(bytes.data(), bytes.size() / 2));
            wait_for(part);
            sink.write(bytes_view(bytes.data() + bytes.size() / 2, bytes.size() - bytes.size() / 2));
            sink.finish();
        });
    const manager loads = in_memory();
    std::atomic<int> parts{0}, finals{0};
    std::atomic<std::int64_t> expected{0};
    const task load = loads.start(
        request("halves:a").set_loader(halves).set_progressive().set_progressive_interval_ms(1),
        [&](const task &from, const result &got) {
            if (got.kind() == delivery_kind::partial) {
                if (parts++ == 0 && got.image().is_incremental())
                    shown.set_value();
            } else {
                finals += from.is_finished();
                ended.set_value();
            }
        },
        [&](byte_progress so_far) { expected = so_far.expected; });
    wait_for(end);
    CHECK(parts > 0);
    CHECK_EQUAL(finals.load(), 1);
    CHECK_EQUAL(expected.load(), std::int64_t(bytes.size()));
    CHECK_EQUAL(load.progress().received, expected.load());
    CHECK_EQUAL(load.result().image().width(), 1000u);
}

TEST(what_a_callback_captures_is_destroyed_once) {
    std::atomic<int> alive{0};
    const manager loads = in_memory();
    loads
        .start(
            badge(), [kept = counted(alive)](const result &) {}, [kept = counted(alive)](byte_progress) {})
        .wait();
    CHECK(becomes_true([&] { return alive == 0; }));
    const task cancelled = loads.start(slow(), [kept = counted(alive)](const result &) {});
    CHECK(alive > 0);
    cancelled.cancel_and_wait(120000);
    CHECK(becomes_true([&] { return alive == 0; }));
    loads.close();
    CHECK_EQUAL(thrown([&] { loads.start(badge(), [kept = counted(alive)](const result &) {}); }), status::shutdown);
    CHECK(becomes_true([&] { return alive == 0; }));
    CHECK_EQUAL(thrown([&] { loads.load(badge()); }), status::shutdown);
}

static std::promise<std::string> *heard = nullptr;

TEST(an_exception_of_a_callback_goes_to_the_handler) {
    std::promise<std::string> promise;
    std::future<std::string> told = promise.get_future();
    heard = &promise;
    const unhandled_exception_fn before = on_unhandled_exception([](std::exception_ptr what) {
        try {
            std::rethrow_exception(what);
        } catch (const std::exception &error) {
            heard->set_value(error.what());
        }
    });
    const manager loads = in_memory();
    loads.start(badge(), [](const result &) { throw std::logic_error("of the program"); });
    CHECK_EQUAL(wait_for(told), std::string("of the program"));
    on_unhandled_exception(before);
    CHECK_EQUAL(loads.load(badge()).image().width(), 400u);
}

TEST(a_pollable_dispatcher_is_drained_or_gives_events) {
    const dispatcher queue = dispatcher::pollable();
    const manager loads = in_memory();
    const std::thread::id here = std::this_thread::get_id();
    bool called = false;
    loads.start(badge().set_dispatcher(queue), [&](const result &) { called = std::this_thread::get_id() == here; });
    pollfd watched{queue.descriptor(), POLLIN, 0};
    while (!called) {
        CHECK_EQUAL(poll(&watched, 1, 120000), 1);
        queue.drain();
    }
    int token = 0;
    const task load = loads.start_for_events(request(url("leaf.webp")).set_dispatcher(queue), &token);
    for (;;) {
        CHECK_EQUAL(poll(&watched, 1, 120000), 1);
        const event next = queue.next_event();
        if (!next || next.kind() == callback_kind::progress)
            continue;
        CHECK(next.token() == &token && next.task() == load && next.result().image());
        break;
    }
    CHECK(!queue.next_event());
}

TEST(a_host_dispatcher_posts_and_an_immediate_one_answers_at_once) {
    std::promise<std::function<void()>> posted;
    std::future<std::function<void()>> post = posted.get_future();
    const manager loads = in_memory();
    std::atomic<int> alive{0};
    {
        const dispatcher loop = dispatcher::custom(
            [&posted, kept = counted(alive)](auto run) { posted.set_value(run); }, [] { return false; });
        std::atomic<bool> called{false};
        const task load = loads.start(badge().set_dispatcher(loop), [&](const result &) { called = true; });
        load.wait();
        const std::function<void()> run = wait_for(post);
        CHECK(!called);
        run();
        CHECK(called);
    }
    CHECK(becomes_true([&] { return alive == 0; }));
    bool at_once = false;
    loads.start(badge().set_dispatcher(dispatcher::immediate()), [&](const result &) { at_once = true; });
    CHECK(at_once);
}

TEST(requests_are_moved_copied_and_read) {
    request first("http://example.org/a.png");
    first.set_header("Accept", "image/png")
        .set_method("POST")
        .set_body(data(bytes_view("{}", 2)))
        .set_priority(priority::high);
    request second = first.copy();
    const request third = std::move(first);
    CHECK(!first && third.url() == "http://example.org/a.png");
    second.set_url("http://example.org/b.png").set_header("Accept", std::nullopt);
    CHECK_EQUAL(third.headers().size(), std::size_t(1));
    CHECK(second.headers().empty() && !second.header("Accept"));
    CHECK_EQUAL(third.header("accept").value_or(""), std::string_view("image/png"));
    CHECK_EQUAL(third.method(), std::string_view("POST"));
    CHECK_EQUAL(third.body().text(), std::string("{}"));
}

TEST(setters_of_temporaries_return_what_can_be_moved) {
    auto small = request(url("badge.png")).set_thumbnail_size(128, 128).set_priority(priority::high);
    static_assert(std::is_same_v<decltype(small), request>);
    static_assert(std::is_same_v<decltype(small.set_progressive()), request &>);
    static_assert(std::is_same_v<decltype(request("").set_progressive()), request &&>);
    const auto how = decode_options().set_pixel_format(pixel_format::rgb8).set_first_frame_only(true);
    small.set_decode_options(how).set_thumbnail_size(64, 32, scale_mode::fill);
    auto config = cache_config().set_memory_only().set_max_memory_count(3);
    auto settings = manager_config().set_cache(cache::open(config)).set_observer([](const result &) {});
    const image picture = manager::create(settings).load(small).image();
    CHECK(picture.width() == 64 && picture.height() == 32 && picture.pixel_format() == pixel_format::rgb8);
    auto bag = options().set_string("a", "b").set_object("c", 7);
    CHECK(bag.string("a") == "b" && *bag.object<int>("c") == 7);
    const auto answer = response(200).set_header("A", "b").add_header("C", "d");
    CHECK_EQUAL(answer.header("c").value_or(""), std::string_view("d"));
}

TEST(the_cache_policy_of_a_request_counts) {
    const manager loads = in_memory();
    const auto once = badge().set_cache_policy(cache_policy::none);
    CHECK(once.cache_policy() == cache_policy::none && badge().cache_policy() == cache_policy::default_);
    loads.load(once);
    CHECK(!loads.find(badge()));
    const auto kept = badge().set_cache_policy(cache_policy::skip_memory_read | cache_policy::skip_disk_read);
    CHECK(loads.load(kept).source() == image_source::network);
    CHECK(loads.load(kept).source() == image_source::network);
    CHECK(loads.find(badge()));
}

TEST(an_observer_hears_of_every_load_and_metrics_count_them) {
    std::promise<std::string> promise;
    std::future<std::string> told = promise.get_future();
    const manager loads = manager::create(manager_config().set_cache(cache()).set_observer(
        [&](const result &ended) { promise.set_value(std::string(ended.url())); }));
    CHECK(!loads.cache());
    loads.load(badge());
    CHECK_EQUAL(wait_for(told), url("badge.png"));
    CHECK(metrics().find("sdimage_loads_total") != std::string::npos);
    CHECK(doctor().find("\"version\"") != std::string::npos);
    CHECK_EQUAL(loads.running_count(), std::size_t(0));
    trim_memory(true);
}

TEST(an_offline_manager_answers_from_caches_only) {
    const manager loads = in_memory();
    loads.load(badge());
    loads.set_offline(true);
    CHECK(loads.is_offline());
    CHECK(loads.load(badge()).source() == image_source::memory);
    CHECK_EQUAL(loads.try_load(request(url("leaf.webp"))).why().code(), status::offline);
}

TEST(messages_go_to_a_handler) {
    std::atomic<int> lines{0}, alive{0};
    set_log_handler(log_level::debug,
                    [&lines, kept = counted(alive)](log_level, std::string_view text) { lines += !text.empty(); });
    in_memory().try_load(request(url("none.png")));
    CHECK(becomes_true([&] { return lines > 0; }));
    clear_log_handler();
    CHECK(becomes_true([&] { return alive == 0; }));
}

TEST(the_shared_manager_uses_the_default_cache) {
    const cache small = cache::open(cache_config().set_memory_only());
    set_default_cache(small);
    const manager shared = manager::shared_one();
    CHECK(shared == manager::shared_one());
    shared.load(badge());
    CHECK(small.memory_image(url("badge.png")));
    shared.close();
    set_default_cache({});
    set_default_loader({});
}
