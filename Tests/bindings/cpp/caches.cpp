// Caches: built-in, chained and custom; blocking and asynchronous.
#include <fstream>
#include <map>
#include <mutex>

#include "check.hpp"

using namespace sdimage;

static cache on_disk(const std::string &where) {
    return cache::open(cache_config().set_directory(where));
}

TEST(a_cache_keeps_bytes_and_pictures) {
    const cache kept = on_disk(folder());
    const std::string bytes = picture("badge.png");
    kept.store("a", data(bytes_view(bytes)));
    CHECK_EQUAL(kept.data("a").length(), bytes.size());
    CHECK_EQUAL(kept.try_data("none").why().code(), status::not_found);
    CHECK((kept.contains("a") & cache_layers::disk) == cache_layers::disk);
    CHECK(!kept.memory_image("a"));
    CHECK_EQUAL(kept.image("a").width(), 400u);
    CHECK(kept.memory_image("a") && kept.contains("a") == (cache_layers::disk | cache_layers::memory));
    kept.store("b", decode(bytes));
    CHECK_EQUAL(kept.disk_totals().count, std::uint64_t(2));
    kept.set_extended_data("a", data(bytes_view("x", 1)));
    CHECK_EQUAL(kept.extended_data("a").text(), std::string("x"));
    std::ifstream file(kept.path("a"), std::ios::binary);
    CHECK(file.get() == 0x89);
    kept.unpin(kept.path("a"));
    CHECK_EQUAL(kept.statistics().disk_count, std::uint64_t(2));
    CHECK(kept.statistics().disk_stores > 0);
    CHECK(kept.statistics_to_json().find("\"disk\"") != std::string::npos);
    const cache_verification found = kept.verify();
    CHECK(found.is_sound() && found.entry_count() == 2 && found.keys().empty());
    CHECK(found.to_json().find("\"sound\"") != std::string::npos);
    CHECK(!kept.directory().empty());
    kept.remove("a");
    CHECK(kept.contains("a") == cache_layers::none);
    kept.clear();
    CHECK_EQUAL(kept.disk_totals().count, std::uint64_t(0));
    kept.close();
    CHECK_EQUAL(thrown([&] { kept.store("c", data(bytes_view("x", 1))); }), status::shutdown);
}

TEST(a_cache_is_opened_in_a_folder) {
    const std::string place = folder();
    const cache kept = cache::open(place);
    kept.store("a", data(bytes_view("abc", 3)));
    CHECK_EQUAL(kept.directory().substr(0, place.size()), place);
    kept.close();
    CHECK_EQUAL(cache::open(place.c_str()).data("a").text(), std::string("abc"));
    CHECK(cache::open(nullptr) && cache::open());
    cache::open(place).check();
    CHECK_EQUAL(thrown([] { cache::open("/proc/no/such/place").check(); }), status::cache_unusable);
}

TEST(entries_are_listed_page_by_page) {
    const cache kept = on_disk(folder());
    for (int i = 0; i < 5; i++)
        kept.store("key" + std::to_string(i), data(bytes_view("abc", 3)));
    kept.store("other", data(bytes_view("abc", 3)));
    int found = 0;
    cache_query query;
    query.set_prefix("key").set_order(cache_order::stored);
    for (cache_page page;;) {
        page = kept.list(query, page, 2);
        for (std::size_t i = 0; i < page.count(); i++) {
            CHECK_EQUAL(std::string(page[i].key), "key" + std::to_string(found));
            CHECK_EQUAL(page[i].length, std::uint64_t(3));
            CHECK(page[i].stored_ns > 0 && !page[i].is_file);
            found++;
        }
        if (page.is_last())
            break;
    }
    CHECK_EQUAL(found, 5);
}

TEST(callbacks_of_a_cache_come_once) {
    const cache kept = on_disk(folder());
    std::atomic<int> alive{0};
    std::promise<status> stored, removed, cleared, expired;
    std::promise<std::string> found;
    std::promise<cache_layers> layers;
    std::promise<std::uint64_t> counted_entries;
    auto stored_at = stored.get_future(), removed_at = removed.get_future(), cleared_at = cleared.get_future(),
         expired_at = expired.get_future();
    auto found_at = found.get_future();
    auto layers_at = layers.get_future();
    auto counted_at = counted_entries.get_future();
    kept.store_async("a", data(bytes_view("abc", 3)),
                     [&, own = counted(alive)](const failure &why) { stored.set_value(why.code()); });
    CHECK_EQUAL(wait_for(stored_at), status::ok);
    kept.data_async(
        "a", [&, own = counted(alive)](const data &bytes, const failure &) { found.set_value(data(bytes).text()); });
    CHECK_EQUAL(wait_for(found_at), std::string("abc"));
    kept.contains_async("a", [&](cache_layers where, const failure &) { layers.set_value(where); });
    CHECK(wait_for(layers_at) == cache_layers::disk);
    kept.disk_totals_async([&](cache_totals totals, const failure &) { counted_entries.set_value(totals.count); });
    CHECK_EQUAL(wait_for(counted_at), std::uint64_t(1));
    kept.remove_async("a", cache_layers::all, [&](const failure &why) { removed.set_value(why.code()); });
    CHECK_EQUAL(wait_for(removed_at), status::ok);
    kept.remove_expired_async([&](const failure &why) { expired.set_value(why.code()); });
    CHECK_EQUAL(wait_for(expired_at), status::ok);
    kept.clear_async(cache_layers::all, [&](const failure &why) { cleared.set_value(why.code()); });
    CHECK_EQUAL(wait_for(cleared_at), status::ok);
    CHECK(becomes_true([&] { return alive == 0; }));
    CHECK_EQUAL(thrown([&] { kept.data_async("", [own = counted(alive)](const data &, const failure &) {}); }),
                status::invalid_argument);
    CHECK(becomes_true([&] { return alive == 0; }));
}

TEST(a_cache_looks_for_requests_and_for_files_that_came_with_the_program) {
    std::atomic<int> alive{0};
    {
        cache_config config;
        config.set_directory(folder()).set_additional_path([own = counted(alive)](std::string_view key) {
            return key == "shipped" ? std::string(std::getenv("PICTURES")) + "/badge.png" : std::string();
        });
        const cache kept = cache::open(config);
        CHECK_EQUAL(kept.image("shipped").width(), 400u);
        std::promise<std::uint32_t> promise;
        std::future<std::uint32_t> width = promise.get_future();
        kept.load(request("shipped").set_thumbnail_size(40, 40),
                  [&](const result &got) { promise.set_value(got.image().width()); });
        CHECK_EQUAL(wait_for(width), 40u);
    }
    CHECK(becomes_true([&] { return alive == 0; }));
}

// A custom cache in a map.
class shelf final : public custom_cache {
  public:
    explicit shelf(std::atomic<int> &alive) : own_(alive) {}
    void query(std::string_view key, const options &, reply answer) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = entries_.find(std::string(key));
        if (found == entries_.end())
            answer.complete();
        else
            answer.complete_with_entry(found->second);
    }
    void store_entry(std::string_view key, const cache_entry &entry, const options &, reply answer) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        entries_[std::string(key)] = cache_entry(entry.data(), entry.metadata());
        answer.complete();
    }
    void remove(std::string_view key, cache_layers, reply answer) override {
        if (key == "held")
            throw error(status::busy, "held");
        const std::lock_guard<std::mutex> lock(mutex_);
        entries_.erase(std::string(key));
        answer.complete();
    }
    void replace_entry(std::string_view key, const cache_entry &before, const cache_entry &entry,
                       reply answer) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = entries_.find(std::string(key));
        if (found != entries_.end() && found->second.metadata().text() == before.metadata().text())
            found->second = cache_entry(entry.data(), entry.metadata());
        answer.complete();
    }
    static constexpr bool is_shared = true;

  private:
    counted own_;
    std::mutex mutex_;
    std::map<std::string, cache_entry> entries_;
};

TEST(a_subclass_is_a_cache_and_works_in_loads_and_chains) {
    std::atomic<int> alive{0};
    {
        const cache own = make_cache<shelf>(alive);
        const manager loads = manager::create(manager_config().set_cache(own));
        CHECK(loads.load(url("badge.png")).source() == image_source::network);
        CHECK(becomes_true([&] { return bool(own.try_data(url("badge.png"))); }));
        CHECK(loads.load(url("badge.png")).source() == image_source::remote);
        own.remove(url("badge.png"));
        CHECK_EQUAL(own.try_data(url("badge.png")).why().code(), status::not_found);
        CHECK_EQUAL(thrown([&] { own.remove("held"); }), status::busy);
        // Not overridden: the library must report that as unsupported.
        CHECK_EQUAL(thrown([&] { own.clear(); }), status::unsupported);
        const cache small = cache::open(cache_config().set_memory_only());
        const cache both = cache::chain({own, small});
        both.chain_set_policy(cache_chain_operation::store, cache_chain_policy::serial);
        both.chain_set_promote(true);
        both.store("x", data(bytes_view("abc", 3)));
        CHECK_EQUAL(own.data("x").text(), std::string("abc"));
        both.chain_remove(small);
        CHECK_EQUAL(thrown([&] { both.chain_remove(small); }), status::not_found);
        cache::tiered(small, own).store("y", data(bytes_view("abc", 3)));
        cache::layered(small, own).store("z", data(bytes_view("abc", 3)));
        CHECK(own.try_data("z"));
        loads.close();
    }
    CHECK(becomes_true([&] { return alive == 0; }));
}
