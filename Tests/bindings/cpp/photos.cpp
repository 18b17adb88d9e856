// The header of the photo library plug-in, on a folder and on a custom library.
#include <fstream>

#include <sdimage/plugins/photos_source.hpp>

#include "check.hpp"

using namespace sdimage;

static std::string album() {
    const std::string name = folder();
    for (const char *file : {"badge.png", "aurora.jpg"})
        std::ofstream(name + "/" + file, std::ios::binary) << picture(file);
    return name;
}

static manager with_photos(const photos::library &library) {
    photos::loader_config config;
    config.add_library(library);
    return manager::create(manager_config().set_cache(cache()).set_loader(photos::make_loader(config)));
}

TEST(photos_of_a_folder_are_found_filtered_and_loaded) {
    photos::library_config config;
    config.set_index_folder(folder()).set_watch(false);
    const photos::library library = photos::library::open(album(), config);
    std::uint64_t seen = 0;
    library.scan([&](std::uint64_t found, std::uint64_t) {
        seen = found;
        return true;
    });
    CHECK_EQUAL(seen, std::uint64_t(2));
    photos::fetch_options by_name;
    by_name.set_order(photos::order::name, false).set_media(photos::media::image);
    const photos::list all = library.fetch(by_name);
    CHECK_EQUAL(all.size(), std::size_t(2));
    CHECK_EQUAL(std::string(all[0].name()), std::string("aurora.jpg"));
    CHECK_EQUAL(all[1].pixel_size().width, 400u);
    CHECK(all[1].media() == photos::media::image && all[1].format() == format::png);
    std::atomic<int> alive{0};
    {
        photos::fetch_options only;
        only.set_filter([own = counted(alive)](const photos::asset &one) { return one.format() == format::jpeg; });
        CHECK_EQUAL(library.fetch(only).total(), std::size_t(1));
    }
    CHECK(becomes_true([&] { return alive == 0; }));
    const std::string identifier(all[1].identifier());
    CHECK_EQUAL(photos::identifier_of_url(all[1].url()), identifier);
    CHECK_EQUAL(photos::url_of_identifier(identifier), all[1].url());
    CHECK(photos::asset::of(all[1].request()) == all[1]);
    CHECK_EQUAL(thrown([&] { library.find("none"); }), status::photos_not_found);
    const manager loads = with_photos(library);
    CHECK_EQUAL(loads.load(library.find(identifier).request().set_thumbnail_size(50, 50)).image().width(), 50u);
}

TEST(enums_of_a_plug_in_are_combined_and_printed) {
    std::ostringstream out;
    out << photos::order::name << ' ' << photos::content::aspect_fill << ' '
        << (photos::media::image | photos::media::video);
    CHECK_EQUAL(out.str(), std::string("name aspect_fill image|video"));
}

// One photo, drawn on request.
TEST(options_of_the_photo_library_are_read_back) {
    photos::fetch_options which;
    which.set_media(photos::media::image | photos::media::video).set_order(photos::order::name, true).set_page(5, 6);
    which.set_album("trips", true).set_rating(3);
    CHECK(which.media() == (photos::media::image | photos::media::video) && which.order() == photos::order::name);
    CHECK(which.is_order_descending() && which.is_album_nested() && which.album() == "trips" && which.rating() == 3);
    CHECK(which.page() == std::tuple(std::size_t(5), std::size_t(6)));
    photos::request_options how;
    how.set_target(30, 40);
    CHECK(how.target() == photos::target::box && how.target_size().height == 40);
    options bag;
    CHECK(!photos::get_request_options(bag) && !photos::get_fetch_options(bag) && !photos::get_asset(bag));
    photos::set_request_options(bag, how);
    photos::set_fetch_options(bag, which);
    CHECK_EQUAL(photos::get_request_options(bag).target_size().width, 30u);
    CHECK_EQUAL(photos::get_fetch_options(bag).rating(), 3);
    photos::loader_config config;
    config.set_fetch_options(which).set_images_only(false).set_max_file_bytes(7000);
    CHECK(config.fetch_options().rating() == 3 && !config.is_images_only() && config.max_file_bytes() == 7000);
    photos::asset_config one("one");
    one.set_name("a.jpg").add_album("trips").set_pixel_size(3, 4).set_dates(5, 6).set_format(format::jpeg);
    CHECK(one.name() == "a.jpg" && one.album(0) == "trips" && one.album(1).empty() && one.format() == format::jpeg);
    CHECK(one.pixel_size().height == 4 && one.dates() == std::tuple(std::int64_t(5), std::int64_t(6)));
    photos::set_asset(bag, one.make());
    CHECK(photos::get_asset(bag).name() == "a.jpg");
}

class phone final : public photos::custom_library {
  public:
    explicit phone(std::atomic<int> &alive) : own_(alive) {}
    void fetch(std::string_view identifier, const photos::fetch_options &, photos::asset_reply answer) override {
        if (identifier == "broken")
            throw error(status::photos_not_authorized, "locked");
        photos::asset_config config(identifier);
        config.set_pixel_size(8, 8).set_name("drawn");
        answer.complete(identifier == "one" ? config.make() : photos::asset());
    }
    void image(const photos::asset &, size, const photos::request_options &, const load_sink &sink) override {
        unwritten_image fresh = sdimage::image::uninitialized(8, 8, pixel_format::gray8);
        for (std::size_t i = 0; i < fresh.stride * 8; i++)
            fresh.pixels[i] = 9;
        sink.finish_with_image(fresh.image);
    }

  private:
    counted own_;
};

TEST(a_library_of_the_program_answers_by_name) {
    std::atomic<int> alive{0};
    {
        const photos::library library = photos::make_library<phone>("phone", alive);
        CHECK_EQUAL(library.name(), std::string_view("phone"));
        const manager loads = with_photos(library);
        CHECK_EQUAL(loads.load(photos::url_of_identifier("one")).image().width(), 8u);
        CHECK_EQUAL(loads.try_load(request(photos::url_of_identifier("two"))).why().code(), status::photos_not_found);
        CHECK_EQUAL(loads.try_load(request(photos::url_of_identifier("broken"))).why().code(),
                    status::photos_not_authorized);
        loads.close();
    }
    CHECK(becomes_true([&] { return alive == 0; }));
}
