// Animations, players, views, targets, prefetchers.
#include <mutex>

#include "check.hpp"

using namespace sdimage;

static image orbits() {
    return decode(picture("orbits.gif"));
}

// Frames of one pixel with increasing brightness.
class dimmer final : public custom_frames {
  public:
    explicit dimmer(std::atomic<int> &alive) : own_(alive) {}
    std::uint32_t frame_count() override { return 3; }
    image frame(std::uint32_t index) override {
        const auto lit = static_cast<std::uint8_t>(index * 100);
        return image(1, 1, 1, pixel_format::gray8, &lit);
    }
    std::uint32_t duration_ms(std::uint32_t) override { return 10; }

  private:
    counted own_;
};

TEST(frames_of_the_program_are_played) {
    std::atomic<int> alive{0};
    {
        const frame_provider frames = make_frames<dimmer>(alive);
        CHECK_EQUAL(frames.frame_count(), 3u);
        CHECK_EQUAL(int(frames.frame(1).row(0)[0]), 100);
        CHECK_EQUAL(thrown([&] { frames.frame(3); }), status::invalid_argument);
        CHECK_EQUAL(thrown([&] { frames.data(); }), status::not_found);
        CHECK_EQUAL(frames.image().frame_count(), 3u);
        const frame_provider inverted = frames.transformed(transformer::filter("CIColorInvert"));
        CHECK_EQUAL(int(inverted.frame(0).row(0)[0]), 255);
        std::vector<int> seen;
        int rounds = 0;
        const player plays = player::of(
            frames, [&](const player &, std::uint32_t, const image &frame) { seen.push_back(frame.row(0)[0]); },
            [&](const player &, std::uint32_t count) { rounds = int(count); });
        plays.set_decode_when_due(true);
        plays.start();
        for (int i = 0; i < 4; i++)
            plays.tick(10000000);
        CHECK(seen.size() >= 3 && seen[0] == 0 && seen[1] == 100 && seen[2] == 200);
        CHECK_EQUAL(rounds, 1);
        CHECK(plays.is_playing() && plays.shown_frames() >= 3);
    }
    CHECK(becomes_true([&] { return alive == 0; }));
}

TEST(a_player_of_an_image_seeks_and_has_settings) {
    const player plays = player::of(orbits());
    plays.seek(5);
    CHECK_EQUAL(plays.frame_index(), 5u);
    CHECK_EQUAL(plays.frame().width(), 320u);
    plays.set_rate(2);
    plays.set_mode(playback_mode::bounce);
    CHECK_EQUAL(plays.rate(), 2.0);
    CHECK(plays.mode() == playback_mode::bounce);
    CHECK_EQUAL(thrown([&] { plays.seek(99); }), status::invalid_argument);
    CHECK_EQUAL(thrown([] { player::of(decode(picture("badge.png"))); }), status::invalid_argument);
    plays.set_clock(player_clock::descriptor);
    CHECK(plays.descriptor() >= 0);
    set_frame_budget(32 << 20);
    CHECK_EQUAL(frame_budget(), std::size_t(32 << 20));
    CHECK_EQUAL(frame_budget_statistics().limit, std::uint64_t(32 << 20));
    CHECK(frame_budget_statistics_to_json().find("\"limit\"") != std::string::npos);
}

TEST(a_view_shows_stills_and_plays_what_moves) {
    std::atomic<int> shown{0}, alive{0};
    {
        const animated_view view = animated_view::create(
            [&, own = counted(alive)](const animated_view &, const image &now) { shown += now ? 1 : 100; });
        view.set_image(decode(picture("badge.png")));
        CHECK_EQUAL(shown.load(), 1);
        CHECK(!view.player());
        view.set_image(orbits());
        CHECK(view.player() && view.is_animating());
        view.set_visible(false);
        CHECK(!view.is_animating());
        view.set_image({});
        CHECK(shown >= 100 && !view.image());
    }
    CHECK(becomes_true([&] { return alive == 0; }));
}

TEST(a_target_shows_a_placeholder_and_then_the_picture) {
    std::atomic<int> alive{0};
    {
        const dispatcher queue = dispatcher::pollable();
        queue.bind_current_thread();
        const manager loads = in_memory();
        std::vector<std::uint32_t> widths;
        const target cell = target::create(
            loads,
            [&, own = counted(alive)](std::string_view, const image &picture, const result &) {
                widths.push_back(picture ? picture.width() : 0);
            },
            queue);
        target_options options;
        options.set_blurhash("LEHV6nWB2yk8pyo0adR*.7kCMdnj", 32, 24);
        bool ended = false;
        const task load = cell.load(request(url("badge.png")), options, [&](const result &) { ended = true; });
        CHECK(load && cell.task() == load);
        CHECK_EQUAL(cell.url(), url("badge.png"));
        CHECK(becomes_true([&] {
            queue.drain();
            return ended;
        }));
        CHECK_EQUAL(widths.size(), std::size_t(2));
        CHECK(widths[0] == 32 && widths[1] == 400);
        CHECK_EQUAL(cell.latest_key(), std::string("image"));
        CHECK_EQUAL(load.progress().received, std::int64_t(picture("badge.png").size()));
        CHECK_EQUAL(load.progress().expected, load.progress().received);
        CHECK_EQUAL(thrown([&] {
                        cell.close();
                        cell.load(request(url("leaf.webp")));
                    }),
                    status::shutdown);
    }
    CHECK(becomes_true([&] { return alive == 0; }));
}

class fading final : public animated_widget {
  public:
    explicit fading(std::string &log) : log_(log) {}
    void set_image(std::string_view, const image &picture, const result &) override {
        log_ += picture ? "set " : "clear ";
    }
    void transition_prepare(std::string_view, transition, std::uint32_t, const image &, const result &) override {
        log_ += "prepare ";
    }
    void transition_animate(std::string_view, transition kind, std::uint32_t, const image &) override {
        log_ += kind == transition::fade ? "fade " : "? ";
    }

  private:
    std::string &log_;
};

TEST(a_widget_with_transitions_is_told_when_they_run) {
    const dispatcher queue = dispatcher::pollable();
    queue.bind_current_thread();
    const manager loads = in_memory();
    std::string log;
    const target cell = target::create(loads, std::make_unique<fading>(log), queue);
    bool ended = false;
    target_options options;
    options.set_transition(transition::fade, 1);
    cell.load(request(url("badge.png")), options, [&](const result &) { ended = true; });
    CHECK(becomes_true([&] {
        queue.drain();
        return ended;
    }));
    CHECK_EQUAL(log, std::string("clear prepare set fade "));
}

// A widget that is its own target.
class cell final : public widget_target<animated_widget> {
  public:
    cell(const manager &with, const dispatcher &where, std::string &log) : widget_target(with, where), log_(log) {}
    void set_image(std::string_view key, const image &picture, const result &) override {
        log_ += std::string(key) + (picture ? " set " : " clear ");
    }
    void transition_animate(std::string_view, transition kind, std::uint32_t, const image &) override {
        log_ += kind == transition::fade ? "fade " : "? ";
    }

  private:
    std::string &log_;
};

TEST(a_widget_is_its_own_target) {
    const dispatcher queue = dispatcher::pollable();
    queue.bind_current_thread();
    const manager loads = in_memory();
    std::string log;
    status ended = status::ok;
    {
        cell own(loads, queue, log);
        bool is_shown = false;
        own.load(request(url("badge.png")), target_options().set_transition(transition::fade, 1),
                 [&](const result &) { is_shown = true; });
        CHECK(becomes_true([&] {
            queue.drain();
            return is_shown;
        }));
        CHECK_EQUAL(log, std::string("image clear image set fade "));
        CHECK_EQUAL(own.url(), url("badge.png"));
        // The destructor ends this load; no function of the widget is called afterwards.
        const task last = own.load(request(url("aurora.jpg?fault=hang")), nullptr,
                                   [&](const result &got) { ended = got.why().code(); });
        own.set_priority(priority::low);
        CHECK(last.priority() == priority::low);
        log.clear();
    }
    CHECK(becomes_true([&] {
        queue.drain();
        return ended == status::cancelled && loads.running_count() == 0;
    }));
    CHECK(log.empty());
}

// Closes while its members live, because its handlers use them.
class labeled final : public widget_target<> {
  public:
    labeled(const manager &with, const dispatcher &where, std::vector<std::string> &log)
        : widget_target(with, where), log_(log) {}
    ~labeled() override { close(); }
    void set_image(std::string_view, const image &, const result &) override {}
    void show(const std::string &url) {
        load(request(url), nullptr,
             [this](const result &got) { log_.push_back(text_ + std::string(status_name(got.why().code()))); });
    }

  private:
    std::string text_ = "a text that is too long to be stored inside of its object: ";
    std::vector<std::string> &log_;
};

TEST(a_widget_that_closes_in_its_destructor_has_members_in_its_handlers) {
    const dispatcher queue = dispatcher::pollable();
    queue.bind_current_thread();
    const manager loads = in_memory();
    std::vector<std::string> log;
    {
        labeled own(loads, queue, log);
        own.show(url("aurora.jpg?fault=hang"));
    }
    CHECK(becomes_true([&] {
        queue.drain();
        return log.size() == 1 && loads.running_count() == 0;
    }));
    CHECK_EQUAL(log[0], std::string("a text that is too long to be stored inside of its object: CANCELLED"));
}

TEST(a_prefetcher_counts_what_it_fetched) {
    const manager loads = in_memory();
    const prefetcher ahead = prefetcher::create(loads);
    ahead.set_max_concurrent(2);
    std::promise<std::pair<std::size_t, std::size_t>> promise;
    auto done = promise.get_future();
    const std::vector<std::string> urls{url("badge.png"), url("leaf.webp"), url("none.png")};
    const prefetch_group group = ahead.start(urls, [&](std::size_t finished, std::size_t skipped, const failure &why) {
        if (!why)
            promise.set_value({finished, skipped});
    });
    const auto counts = wait_for(done);
    CHECK_EQUAL(counts.first, std::size_t(3));
    CHECK_EQUAL(counts.second, std::size_t(1));
    group.wait();
    CHECK_EQUAL(group.url(2), url("none.png"));
    CHECK_EQUAL(group.failures().size(), std::size_t(1));
    CHECK_EQUAL(group.failures()[0].first, std::size_t(2));
    CHECK(loads.load(url("badge.png")).source() == image_source::memory);
    CHECK(!ahead.start(std::vector<std::string>()));
}

class idle_handler final : public prefetcher_handler {
  public:
    explicit idle_handler(std::promise<std::size_t> &idle) : idle_(idle) {}
    void idle(std::size_t total, std::size_t) override { idle_.set_value(total); }

  private:
    std::promise<std::size_t> &idle_;
};

TEST(a_prefetcher_reports_when_it_is_idle) {
    const prefetcher ahead = prefetcher::create(in_memory());
    std::promise<std::size_t> promise;
    auto idle = promise.get_future();
    ahead.set_handler(std::make_unique<idle_handler>(promise));
    ahead.start(std::vector<std::string>{url("badge.png"), url("leaf.webp")});
    CHECK_EQUAL(wait_for(idle), std::size_t(2));
    ahead.set_handler(nullptr);
}

TEST(a_batch_fills_an_array_and_names_what_is_missing) {
    const manager loads = in_memory();
    const std::vector<std::string> urls{url("badge.png"), url("none.png"), url("leaf.webp")};
    batch_options options(16, 16);
    options.set_scale_mode(scale_mode::aspect_fit).set_background_color({1, 1, 1, 1});
    CHECK_EQUAL(options.array_size(3), std::size_t(3 * 16 * 16 * 3));
    std::vector<std::uint8_t> pixels(options.array_size(3), 77);
    {
        const batch begun = load_batch(loads, options, urls, pixels);
        begun.wait();
        CHECK_EQUAL(begun.failures().size(), std::size_t(1));
        CHECK_EQUAL(begun.failures()[0].first, std::size_t(1));
        CHECK_EQUAL(begun.failures()[0].second.http_status(), 404);
    }
    const image first = loads.load(request(url("badge.png"))).image();
    CHECK_EQUAL(first.width(), 400u);
    const std::size_t size = 16 * 16 * 3;
    const auto changed = [&](std::size_t place) {
        for (std::size_t i = 0; i < size; i++) {
            if (pixels[place * size + i] != 77)
                return true;
        }
        return false;
    };
    CHECK(changed(0) && !changed(1) && changed(2));
    CHECK_EQUAL(thrown([&] { load_batch(loads, options, urls, span<std::uint8_t>(pixels.data(), 5)); }),
                status::invalid_argument);
}

TEST(a_batch_that_goes_writes_no_more) {
    const manager loads = in_memory();
    batch_options options(16, 16);
    auto pixels = std::make_unique<std::vector<std::uint8_t>>(options.array_size(2));
    {
        const std::vector<std::string> urls{url("badge.png"), url("leaf.webp?fault=hang")};
        const batch begun = load_batch(loads, options, urls, *pixels);
        CHECK(!begun.is_finished());
    }
    pixels = nullptr;
    CHECK(becomes_true([&] { return loads.running_count() == 0; }));
}

TEST(memory_is_asked_without_a_load) {
    const manager loads = in_memory();
    CHECK(!loads.find(request(url("badge.png"))));
    loads.load(url("badge.png"));
    CHECK_EQUAL(loads.find(request(url("badge.png"))).image().width(), 400u);
}

TEST(a_thumbnail_may_cover_its_box) {
    decode_options how;
    how.set_thumbnail_size(100, 100, scale_mode::aspect_fill);
    CHECK(how.thumbnail_mode() == scale_mode::aspect_fill);
    CHECK_EQUAL(decode(picture("aurora.jpg"), how).height(), 100u);
}
