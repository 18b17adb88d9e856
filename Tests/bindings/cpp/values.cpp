// Handles, errors, bytes, images, transformers: everything that needs neither threads nor network.
#include <array>
#include <cstring>
#include <fstream>
#include <numeric>
#include <vector>

#include "check.hpp"

using namespace sdimage;

static image gradient(std::uint32_t width, std::uint32_t height) {
    unwritten_image fresh = image::uninitialized(width, height, pixel_format::rgb8);
    for (std::uint32_t y = 0; y < height; y++) {
        for (std::uint32_t x = 0; x < 3 * width; x++)
            fresh.pixels[y * fresh.stride + x] = static_cast<std::uint8_t>(x + y);
    }
    return fresh.image;
}

TEST(the_version_of_the_library_is_that_of_the_headers) {
    CHECK_EQUAL(version_number(),
                std::uint32_t(SDIMAGE_VERSION_MAJOR * 1000000 + SDIMAGE_VERSION_MINOR * 1000 + SDIMAGE_VERSION_PATCH));
    CHECK(!version().empty());
}

template <class F> static bool refuses_a_nul(F call) {
    try {
        call();
    } catch (const std::invalid_argument &) {
        return true;
    }
    return false;
}

TEST(text_with_a_nul_is_refused) {
    const std::string_view text("a\0b", 3);
    request request("http://example.org/");
    CHECK(refuses_a_nul([&] { request.set_header(text, "c"); }));
    CHECK(refuses_a_nul([&] { request.set_header("a", text); }));
    CHECK(refuses_a_nul([&] { decode_file(text); }));
    CHECK(refuses_a_nul([&] { cache_config().set_directory(text); }));
    CHECK(refuses_a_nul([&] { cache_config().set_namespace(text); }));
    CHECK(!refuses_a_nul([&] { request.set_header("a", "b"); }));
}

template <class E> static std::string printed(E value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

TEST(enums_are_printed_as_words) {
    CHECK_EQUAL(printed(status::not_found), std::string("not_found"));
    CHECK_EQUAL(printed(scale_mode::aspect_fit), std::string("aspect_fit"));
    CHECK_EQUAL(printed(format::unknown), std::string("unknown"));
    CHECK_EQUAL(printed(chroma::yuv420), std::string("420"));
    CHECK_EQUAL(printed(blend_mode::xor_), std::string("xor"));
    CHECK_EQUAL(printed(cache_layers::disk), std::string("disk"));
    CHECK_EQUAL(printed(cache_layers::disk | cache_layers::memory), std::string("all"));
    CHECK_EQUAL(printed(corners::top_left | corners::bottom_right), std::string("top_left|bottom_right"));
    CHECK_EQUAL(printed(corners::all), std::string("all"));
    CHECK_EQUAL(printed(static_cast<format>(77)), std::string("77"));
    CHECK_EQUAL(printed(static_cast<corners>(17)), std::string("top_left|16"));
}

TEST(adopted_bytes_are_shared_by_copies_and_destroyed_once) {
    std::atomic<int> alive{0};
    const std::string bytes = "abc";
    {
        data first = data::adopt(bytes_view(bytes), counted(alive));
        CHECK_EQUAL(alive.load(), 1);
        data second = first;
        CHECK(first == second);
        CHECK(second.bytes().data() == reinterpret_cast<const std::uint8_t *>(bytes.data()));
        first = {};
        CHECK_EQUAL(alive.load(), 1);
        data third = std::move(second);
        CHECK(!second && third.text() == "abc");
        third = std::move(*&third);
        CHECK_EQUAL(third.length(), std::size_t(3));
    }
    CHECK(becomes_true([&] { return alive == 0; }));
}

TEST(a_container_becomes_data_without_a_copy) {
    std::vector<std::uint8_t> bytes(100000, 7);
    const void *place = bytes.data();
    const data moved = data::adopt(std::move(bytes));
    CHECK(moved.bytes().data() == place);
    CHECK_EQUAL(moved.length(), std::size_t(100000));
}

TEST(a_failure_is_an_exception_with_its_code_and_message) {
    try {
        decode(std::string("<html>"));
        CHECK(false);
    } catch (const error &why) {
        CHECK_EQUAL(why.code(), status::not_an_image);
        CHECK(!why.message().empty());
        CHECK_EQUAL(std::string(why.what()), "NOT_AN_IMAGE: " + std::string(why.message()));
    }
    try {
        decode_file("/no/such/file");
        CHECK(false);
    } catch (const error &why) {
        CHECK_EQUAL(why.code(), status::not_found);
        CHECK_EQUAL(why.system_error(), ENOENT);
        CHECK(!why.is_transient());
    }
}

TEST(an_outcome_has_a_value_or_says_why_not) {
    const outcome<image> none = try_decode(std::string());
    CHECK(!none);
    CHECK_EQUAL(none.why().code(), status::empty_data);
    CHECK_EQUAL(thrown([&] { none.value(); }), status::empty_data);
    const outcome<image> some = try_decode(picture("badge.png"));
    CHECK(some && !some.why());
    CHECK_EQUAL(some->width(), 400u);
    CHECK(!try_decode_file("/no/such/file"));
}

TEST(an_error_of_ones_own_keeps_one_line) {
    const failure own(status::busy, "later");
    CHECK_EQUAL(own.code(), status::busy);
    CHECK_EQUAL(own.message(), std::string_view("later"));
    CHECK(own.is_transient());
    CHECK_EQUAL(status_name(status::too_large), std::string_view("TOO_LARGE"));
}

TEST(options_carry_values_and_objects) {
    std::atomic<int> alive{0};
    {
        options bag;
        bag.set_string("s", "text").set_int64("i", -5).set_double("d", 0.5).set_bool("b", true);
        bag.set_data("x", data(bytes_view("ab", 2))).set_object("o", counted(alive));
        CHECK_EQUAL(bag.count(), std::size_t(6));
        CHECK_EQUAL(bag.string("s"), std::string_view("text"));
        CHECK_EQUAL(bag.string("none", "other"), std::string_view("other"));
        CHECK_EQUAL(bag.int64("i"), -5);
        CHECK_EQUAL(bag.real("d"), 0.5);
        CHECK(bag.boolean("b") && bag.has("o") && bag.object<counted>("o"));
        CHECK_EQUAL(bag.data("x").text(), std::string("ab"));
        request wanted("x:");
        wanted.set_options(bag);
        bag = options();
        CHECK_EQUAL(alive.load(), 1);
        CHECK_EQUAL(wanted.options().int64("i"), -5);
        bag.remove("s");
    }
    CHECK(becomes_true([&] { return alive == 0; }));
}

TEST(pixels_are_seen_without_a_copy) {
    const image picture = gradient(5, 4);
    CHECK_EQUAL(picture.row_bytes(), std::size_t(15));
    CHECK_EQUAL(picture.pixels().size(), 3 * picture.stride() + 15);
    CHECK(picture.row(2).data() == picture.pixels().data() + 2 * picture.stride());
    CHECK_EQUAL(int(picture.row(3)[14]), 17);
    CHECK(picture.row(4).empty());
    const color color = picture.color_at(1, 1);
    CHECK_EQUAL(color.red, 4 / 255.0);
    CHECK_EQUAL(thrown([&] { picture.color_at(5, 0); }), status::invalid_argument);
}

TEST(pixels_of_the_program_are_copied_or_adopted) {
    std::atomic<int> alive{0};
    std::array<std::uint8_t, 16> bytes{};
    std::iota(bytes.begin(), bytes.end(), std::uint8_t(0));
    const image copied(2, 2, 8, pixel_format::rgba8, bytes.data());
    {
        const image adopted = image::adopt(2, 2, 8, pixel_format::rgba8, bytes.data(), counted(alive));
        CHECK(adopted.pixels().data() == bytes.data());
        bytes[0] = 200;
        CHECK_EQUAL(int(copied.row(0)[0]), 0);
    }
    CHECK(becomes_true([&] { return alive == 0; }));
    CHECK_EQUAL(thrown([&] { image::adopt(0, 2, 8, pixel_format::rgba8, bytes.data(), counted(alive)); }),
                status::invalid_argument);
    CHECK(becomes_true([&] { return alive == 0; }));
}

TEST(a_picture_is_encoded_and_decoded_again) {
    const image picture = gradient(16, 9);
    const data bytes = encode(picture, format::png);
    CHECK(sniff(bytes.bytes()) == format::png);
    CHECK(can_decode(bytes.bytes()) && can_encode(format::webp));
    const image again = decode(bytes.bytes());
    for (std::uint32_t y = 0; y < 9; y++)
        CHECK(!std::memcmp(again.row(y).data(), picture.row(y).data(), 48));
    CHECK(again.format() == format::png && name(again.format()) == "png" && mime_type(again.format()) == "image/png");
    const image_info header = info(bytes.bytes());
    CHECK(header.format() == format::png && header.pixel_size().width == 16 && header.stored_size().height == 9);
    CHECK(header.frame_count() == 1 && header.bits_per_channel() == 8 && header.dpi_x() == 0);
    CHECK(header.exif().empty() && header.texts().empty());
    CHECK(header.to_json().find("\"width\"") != std::string::npos);
    const std::string file = folder() + "/a.bmp";
    encode_file(picture, file);
    CHECK(decode_file(file).format() == format::bmp);
    CHECK(format_of_name("a.JPG") == format::jpeg);
    CHECK_EQUAL(try_encode(picture, format::pdf).why().code(), status::unsupported);
}

TEST(options_of_decoding_and_encoding_count) {
    decode_options how;
    how.set_thumbnail_size(100, 100).set_pixel_format(pixel_format::bgra8_premultiplied);
    CHECK_EQUAL(how.thumbnail_size().width, 100u);
    const image small = decode(picture("aurora.jpg"), how);
    CHECK_EQUAL(small.width(), 100u);
    CHECK_EQUAL(small.height(), 63u);
    CHECK(small.pixel_format() == pixel_format::bgra8_premultiplied && small.is_thumbnail());
    CHECK_EQUAL(small.source_size().width, 1000u);
    encode_options tiny;
    tiny.set_quality(0.1).set_max_pixel_size(20, 20);
    CHECK_EQUAL(decode(encode(small, format::jpeg, tiny).bytes()).width(), 20u);
    CHECK_EQUAL(tiny.quality(), 0.1);
}

TEST(metadata_make_another_image_of_the_same_pixels) {
    const image picture = gradient(4, 4);
    metadata about = picture.metadata();
    about.set_scale(2).set_extended_data(data(bytes_view("note", 4)));
    const image noted = picture.with_metadata(about);
    CHECK_EQUAL(noted.scale(), 2.0);
    CHECK_EQUAL(noted.extended_data().text(), std::string("note"));
    CHECK(noted.pixels().data() == picture.pixels().data());
    CHECK(!picture.extended_data());
}

TEST(transformers_change_pictures_and_have_keys) {
    const image picture = gradient(40, 20);
    CHECK_EQUAL(picture.resize(10, 10, scale_mode::aspect_fill).width(), 10u);
    CHECK_EQUAL(picture.crop({0, 0, 10, 5}).height(), 5u);
    CHECK(picture.round_corner(5).has_alpha());
    const image round = picture.transform(transformer::round_corner_fraction(0.5));
    CHECK(round.color_at(0, 0).alpha == 0 && round.color_at(20, 10).alpha == 1);
    CHECK_EQUAL(picture.rotate(1.5707963267948966, true).width(), 20u);
    CHECK_EQUAL(int(picture.flip(false, true).row(0)[0]), 19);
    options strong;
    strong.set_double("intensity", 0.5);
    CHECK_EQUAL(picture.filter("CISepiaTone", strong).width(), 40u);
    CHECK(picture.filter("CIColorInvert").row(0)[0] == 255);
    const transformer steps[] = {transformer::resize(8, 8), transformer::flip(true, false)};
    const transformer both = transformer::pipeline(steps);
    CHECK_EQUAL(std::string(both.key()), std::string(steps[0].key()) + "-" + std::string(steps[1].key()));
    CHECK_EQUAL(picture.transform(both).width(), 8u);
    CHECK_EQUAL(thrown([&] { transformer::blur(-1); }), status::invalid_argument);
    CHECK(filter_names().size() > 5);
    CHECK(filter_describe(filter_names()[0]).front() == '{');
    // The key is the same in every language: all corners are all bits.
    sdimage_transformer *by_c = nullptr;
    sdimage_transformer_new_round_corner(5, SDIMAGE_CORNERS_ALL, 0, nullptr, &by_c, nullptr);
    CHECK_EQUAL(transformer::round_corner(5).key(), transformer(by_c).key());
}

TEST(a_lambda_is_a_transformer_and_what_it_throws_an_error) {
    std::atomic<int> alive{0};
    {
        const transformer same =
            transformer_of("same", [kept = counted(alive)](const image &picture) { return picture; });
        const image picture = gradient(3, 3);
        CHECK(picture.transform(same).pixels().data() == picture.pixels().data());
        CHECK_EQUAL(same.key(), std::string_view("same"));
        const transformer fails =
            transformer_of("fails", [](const image &) -> image { throw error(status::too_large, "not with me"); });
        const outcome<image> none = picture.try_transform(fails);
        CHECK_EQUAL(none.why().code(), status::too_large);
        CHECK_EQUAL(none.why().message(), std::string("not with me"));
        const transformer breaks =
            transformer_of("breaks", [](const image &) -> image { throw std::runtime_error("oh"); });
        CHECK_EQUAL(picture.try_transform(breaks).why().message(), std::string("oh"));
    }
    CHECK(becomes_true([&] { return alive == 0; }));
    CHECK_EQUAL(thrown([&] { transformer_of("", [kept = counted(alive)](const image &given) { return given; }); }),
                status::invalid_argument);
    CHECK(becomes_true([&] { return alive == 0; }));
}

TEST(placeholders_are_drawn_from_a_few_bytes) {
    const image picture = gradient(30, 20);
    const std::string hash = blurhash(picture, 3, 2);
    CHECK_EQUAL(hash.size(), std::size_t(4 + 2 * 6));
    CHECK_EQUAL(blurhash_decode(hash, 15, 10).width(), 15u);
    CHECK_EQUAL(thumbhash_decode(thumbhash(picture).bytes()).width(), 32u);
    CHECK_EQUAL(thrown([] { blurhash_decode("?", 1, 1); }), status::bad_data);
}

TEST(spans_are_made_of_anything_contiguous) {
    std::vector<int> numbers{1, 2, 3};
    const span<const int> all(numbers);
    CHECK_EQUAL(all.subspan(1).size(), std::size_t(2));
    CHECK_EQUAL(all.subspan(2, 9)[0], 3);
    CHECK(all.subspan(7).empty());
    const int row[] = {4, 5};
    CHECK_EQUAL(span<const int>(row).size(), std::size_t(2));
    CHECK_EQUAL(bytes_view(std::string_view("xyz")).text(), std::string_view("xyz"));
    CHECK_EQUAL(bytes_view(std::vector<std::byte>(4)).size(), std::size_t(4));
}

static void write_file(const std::string &path, const data &bytes) {
    std::ofstream(path, std::ios::binary) << bytes.text();
}

TEST(a_programs_own_pictures_are_found_by_name) {
    const std::string place = folder();
    write_file(place + "/cat.png", encode(gradient(10, 4), format::png));
    write_file(place + "/cat@2x.png", encode(gradient(20, 8), format::png));
    const resources icons = resources::create(place);
    const image small = icons.image("cat");
    CHECK_EQUAL(small.width(), 10u);
    CHECK(icons.image("cat.png") == small);
    icons.set_scales({2, 1});
    const image large = icons.image("cat");
    CHECK_EQUAL(large.width(), 20u);
    CHECK_EQUAL(large.scale(), 2.0);
    icons.clear();
    CHECK(icons.image("cat") != large);
    CHECK_EQUAL(icons.try_image("dog").why().code(), status::not_found);
    CHECK_EQUAL(thrown([&] { icons.image("../cat"); }), status::invalid_argument);
    CHECK_EQUAL(thrown([&] { icons.image(std::string_view("cat\0dog", 7)); }), status::invalid_argument);
    CHECK_EQUAL(thrown([&] { icons.set_scales({0.5}); }), status::invalid_argument);
    CHECK_EQUAL(thrown([&] { resources::create(place + "/none"); }), status::not_found);
}
