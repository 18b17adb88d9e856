// Custom loaders, transports and hooks.
#include <thread>

#include "check.hpp"

using namespace sdimage;

static manager with_loader(const loader &fetches) {
    return manager::create(
        manager_config().set_cache(cache::open(cache_config().set_memory_only())).set_loader(fetches));
}

// Holds each sink until its load is cancelled.
class waiting_loader final : public custom_loader {
  public:
    waiting_loader(std::promise<void> &started, std::promise<void> &cancelled)
        : started_(started), cancelled_(cancelled) {}
    void load(const request &, const load_sink &sink) override {
        kept_ = sink;
        started_.set_value();
    }
    void cancel(const load_sink &sink) override {
        sink.fail(status::cancelled, "");
        cancelled_.set_value();
    }

  private:
    std::promise<void> &started_;
    std::promise<void> &cancelled_;
    load_sink kept_;
};

// Fails as the URL says, and remembers only timeouts.
class failing_loader final : public custom_loader {
  public:
    void load(const request &wanted, const load_sink &sink) override {
        sink.fail(wanted.url() == "x:slow" ? status::timeout : status::not_found, "no");
    }
    bool should_remember_failure(const request &wanted, const failure &why) override {
        return wanted.url() == "x:slow" && why.code() == status::timeout;
    }
};

TEST(a_loader_decides_which_failures_are_remembered) {
    const manager loads =
        manager::create(manager_config().set_cache(nullptr).set_loader(make_loader<failing_loader>("failing")));
    CHECK_EQUAL(thrown([&] { loads.load("x:slow"); }), status::timeout);
    CHECK_EQUAL(thrown([&] { loads.load("x:slow"); }), status::failed_url);
    CHECK_EQUAL(thrown([&] { loads.load("x:none"); }), status::not_found);
    CHECK_EQUAL(thrown([&] { loads.load("x:none"); }), status::not_found);
}

TEST(a_failure_without_an_error_is_a_failure) {
    const std::string bytes = picture("badge.png");
    // Simulates a failure without memory for an error: all bytes are delivered, but the load fails.
    const loader demo = loader_of(
        "demo", [](const request &) { return true; },
        [&](const request &, const load_sink &sink) {
            sink.write(bytes);
            sink.fail(failure());
        });
    CHECK(!with_loader(demo).try_load(request("demo:badge")));
}

TEST(what_was_given_to_a_loader_is_freed_where_its_name_takes_too_much_memory) {
    std::atomic<int> alive{0};
    const std::string_view endless("x", static_cast<std::size_t>(-1) / 2);
    bool thrown = false;
    try {
        loader_of(
            endless, [own = counted(alive)](const request &) { return true; },
            [](const request &, const load_sink &) {});
    } catch (const std::length_error &) {
        thrown = true;
    }
    CHECK(thrown);
    thrown = false;
    try {
        coder_of(
            endless, [own = counted(alive)](bytes_view) { return true; },
            [](bytes_view, const decode_options &) { return image(); });
    } catch (const std::length_error &) {
        thrown = true;
    }
    CHECK(thrown);
    CHECK_EQUAL(alive.load(), 0);
}

TEST(a_lambda_is_a_loader_and_what_it_throws_the_error_of_the_load) {
    std::atomic<int> alive{0};
    {
        const std::string bytes = picture("badge.png");
        const loader demo = loader_of(
            "demo", [](const request &wanted) { return wanted.url().substr(0, 5) == "demo:"; },
            [&, own = counted(alive)](const request &wanted, const load_sink &sink) {
                if (wanted.url() == "demo:fails")
                    throw error(status::permission_denied, "not for you");
                sink.set_expected_length(bytes.size());
                sink.write(bytes);
                sink.finish();
            });
        CHECK_EQUAL(demo.name(), std::string_view("demo"));
        const manager loads = with_loader(loader::chain({loader::file(), demo}));
        CHECK(loads.load("demo:a").source() == image_source::loader);
        CHECK_EQUAL(loads.load("demo:a").image().width(), 400u);
        const failure why = loads.try_load(request("demo:fails")).why();
        CHECK_EQUAL(why.code(), status::permission_denied);
        CHECK_EQUAL(why.message(), std::string_view("not for you"));
        CHECK_EQUAL(loads.try_load(request("other:a")).why().code(), status::scheme_forbidden);
    }
    CHECK(becomes_true([&] { return alive == 0; }));
}

TEST(a_loader_may_finish_later_on_a_thread_of_its_own) {
    std::thread work;
    const loader later = loader_of(
        "later", [](const request &) { return true; },
        [&](const request &, const load_sink &sink) {
            work = std::thread([sink] {
                sink.report_progress(1, 2);
                sink.finish_with_data(data(bytes_view(picture("badge.png"))));
            });
        });
    CHECK_EQUAL(with_loader(later).load("later:a").image().width(), 400u);
    work.join();
}

TEST(a_subclass_is_a_loader_that_hears_of_cancelling) {
    std::promise<void> begins, ends;
    std::future<void> started = begins.get_future(), cancelled = ends.get_future();
    const manager loads = with_loader(make_loader<waiting_loader>("waiting", begins, ends));
    load_future one = loads.load_async(request("x:y"));
    wait_for(started);
    CHECK_EQUAL(loads.running_count(), std::size_t(1));
    one.cancel();
    CHECK_EQUAL(thrown([&] { one.get(); }), status::cancelled);
    wait_for(cancelled);
}

TEST(a_sink_that_is_dropped_is_an_error) {
    const loader forgets = loader_of(
        "forgets", [](const request &) { return true; }, [](const request &, const load_sink &) {});
    CHECK(!with_loader(forgets).try_load(request("x:y")));
}

TEST(address_ranges_are_added_read_and_cleared) {
    downloader_config config;
    config.set_address_policy(address_policy::public_only)
        .add_allowed_address("10.0.0.0/8")
        .add_allowed_address("[::1]:9000");
    CHECK(config.allowed_addresses() == (std::vector<std::string>{"10.0.0.0/8", "[::1]:9000"}));
    CHECK(config.clear_allowed_addresses().allowed_addresses().empty());
}

TEST(a_downloader_is_steered_while_it_runs) {
    const downloader fetches =
        downloader::create(downloader_config().set_max_total(4).set_user_agent("test/1").set_max_retries(0));
    fetches.set_max_per_host(2);
    fetches.set_execution_order(execution_order::lifo);
    fetches.set_suspended(true);
    const manager loads = with_loader(fetches);
    load_future one = loads.load_async(request(url("badge.png")));
    CHECK(becomes_true([&] { return fetches.transfer_count() == 1; }));
    CHECK(fetches.is_suspended());
    fetches.set_suspended(false);
    CHECK_EQUAL(one.get().image().width(), 400u);
    fetches.invalidate(true);
    CHECK_EQUAL(loads.try_load(request(url("leaf.webp"))).why().code(), status::invalid_request);
}

class signing final : public custom_download_hooks {
  public:
    explicit signing(std::atomic<int> &finished) : finished_(finished) {}
    void modify_request(request wanted, reply answer) override {
        if (wanted.url().find("refused") != std::string_view::npos)
            throw error(status::busy, "no token");
        wanted.set_url(url("badge.png"));
        answer.complete();
    }
    data decrypt(const data &bytes, const response &came) override {
        if (came.status() != 200)
            throw error(status::bad_data, "");
        return bytes;
    }
    void event(const download_event &what) override { finished_ += what.stage() == transfer_stage::finished; }

  private:
    std::atomic<int> &finished_;
};

TEST(download_hooks_change_requests_and_hear_of_events) {
    std::atomic<int> finished{0};
    downloader_config config;
    config.set_hooks(make_download_hooks<signing>(finished));
    const manager loads = with_loader(downloader::create(config));
    CHECK_EQUAL(loads.load(url("elsewhere.png")).image().width(), 400u);
    CHECK(becomes_true([&] { return finished == 1; }));
    CHECK_EQUAL(loads.try_load(request(url("refused.png"))).why().code(), status::invalid_request);
    request plain(url("leaf.webp"));
    plain.set_hooks(download_hooks::fixed(request("").set_header("X-A", "b"), {}));
    CHECK(download_hooks::base64());
}

class naming final : public custom_load_hooks {
  public:
    void process_request(request &wanted) override { wanted.set_thumbnail_size(20, 20); }
    std::string cache_key(const request &wanted) override {
        return std::string(wanted.url().substr(0, wanted.url().find('?')));
    }
    bool should_load(const request &wanted) override { return wanted.url().find("blocked") == std::string_view::npos; }
};

TEST(load_hooks_name_keys_and_refuse_loads) {
    manager_config config;
    config.set_load_hooks(make_load_hooks<naming>()).set_cache(cache::open(cache_config().set_memory_only()));
    const manager loads = manager::create(config);
    CHECK_EQUAL(loads.load(url("badge.png?token=1")).image().width(), 20u);
    CHECK(loads.load(url("badge.png?token=2")).source() == image_source::memory);
    CHECK(!loads.load(url("blocked.png")).image());
}

TEST(a_transport_that_fails_without_an_error_fails) {
    const std::string bytes = picture("badge.png");
    downloader_config config;
    config.set_max_retries(0);
    config.set_transport(transport_of([&](const request &, const exchange &with) {
        with.respond(response(200).set_header("Content-Type", "image/png"));
        with.write(bytes);
        with.fail(failure());
    }));
    CHECK(!with_loader(downloader::create(config)).try_load(request("http://example.org/a.png")));
}

TEST(a_transport_answers_in_place_of_libcurl) {
    downloader_config config;
    config.set_transport(transport_of([](const request &wanted, const exchange &with) {
        if (wanted.url() == "http://example.org/broken")
            throw error(status::tls_failed, "by the transport");
        with.respond(response(200).set_header("Content-Type", "image/png"));
        with.write(picture("badge.png"));
        with.finish();
    }));
    const manager loads = with_loader(downloader::create(config));
    CHECK_EQUAL(loads.load("http://example.org/a.png").image().width(), 400u);
    CHECK_EQUAL(loads.try_load(request("http://example.org/broken")).why().code(), status::tls_failed);
}
