// Custom coders, sources, progressive decoders.
#include <cstring>

#include "check.hpp"

using namespace sdimage;

// A test format: "LAMP" and a byte of brightness for each frame of one pixel.
class lamp_picture final : public custom_picture {
  public:
    void update(bytes_view bytes, bool) override { lit_.assign(bytes.begin() + 4, bytes.end()); }
    image current() override { return lit_.empty() ? image() : frame(0); }
    std::uint32_t frame_count() override { return static_cast<std::uint32_t>(lit_.size()); }
    std::uint32_t loop_count() override { return 3; }
    std::uint32_t duration_ms(std::uint32_t) override { return 40; }
    image frame(std::uint32_t index) override { return image(1, 1, 1, pixel_format::gray8, &lit_.at(index)); }

  private:
    std::vector<std::uint8_t> lit_;
};

class lamp_coder : public custom_coder {
  public:
    bool can_decode(bytes_view bytes) override {
        return bytes.size() >= 4 && bytes.subspan(0, 4).data() && !std::memcmp(bytes.data(), "LAMP", 4);
    }
    image decode(bytes_view bytes, const decode_options &how) override {
        if (bytes.size() < 5)
            throw error(status::truncated, "the lamp is dark");
        const std::uint8_t lit = static_cast<std::uint8_t>(how.options().int64("lamp.lit", bytes[4]));
        return image(1, 1, 1, pixel_format::gray8, &lit);
    }
    std::unique_ptr<custom_picture> open(const decode_options &) override { return std::make_unique<lamp_picture>(); }
    bool can_encode(format wanted) override { return wanted == format::raw; }
    data encode(const image &picture, format, const encode_options &) override {
        return data(bytes_view(std::string("LAMP") + static_cast<char>(picture.row(0)[0])));
    }
};

TEST(a_subclass_is_a_coder_that_decodes_encodes_and_moves) {
    const coder lamps = make_coder<lamp_coder>("lamp");
    CHECK_EQUAL(lamps.name(), std::string_view("lamp"));
    CHECK(!can_decode(std::string("LAMPabc")));
    lamps.add();
    const std::vector<coder> all = coder::registered();
    CHECK_EQUAL(all.front().name(), std::string_view("lamp"));
    const image moving = decode(std::string("LAMPabc"));
    CHECK_EQUAL(moving.frame_count(), 3u);
    CHECK_EQUAL(moving.loop_count(), 3u);
    CHECK_EQUAL(moving.duration_ms(), std::uint64_t(120));
    CHECK_EQUAL(int(moving.frame(2).row(0)[0]), int('c'));
    CHECK(!decode(std::string("LAMPa")).is_animated());
    CHECK_EQUAL(thrown([] { decode(std::string("LAMP")); }), status::truncated);
    CHECK_EQUAL(encode(moving, format::raw).text(), std::string("LAMPa"));
    decode_options how;
    how.set_options(options().set_int64("lamp.lit", 9));
    how.set_first_frame_only(true);
    CHECK_EQUAL(int(decode(std::string("LAMPa"), how).row(0)[0]), 9);
    lamps.remove();
    CHECK_EQUAL(thrown([&] { lamps.remove(); }), status::not_found);
    CHECK_EQUAL(thrown([] { decode(std::string("LAMPabc")); }), status::not_an_image);
}

TEST(a_coder_of_lambdas_says_what_it_throws) {
    std::atomic<int> alive{0};
    {
        const coder picky = coder_of(
            "picky", [kept = counted(alive)](bytes_view bytes) { return bytes.size() == 3; },
            [](bytes_view, const decode_options &) -> image { throw std::bad_alloc(); });
        const decoder one = decoder::create({}, picky);
        CHECK_EQUAL(thrown([&] {
                        one.append(std::string("abc"), true);
                        one.image();
                    }),
                    status::no_memory);
        // Functions that a coder does not override are NULL in its table.
        CHECK(!can_encode(format::raw));
    }
    CHECK(becomes_true([&] { return alive == 0; }));
}

class square final : public custom_coder {
  public:
    bool can_decode(bytes_view bytes) override { return bytes.text() == "square"; }
    bool can_decode_format(format wanted) override { return wanted == format::raw; }
    image decode(bytes_view, const decode_options &) override { return drawn(8, 8); }
    image render(bytes_view, const decode_options &, size wanted) override {
        return drawn(wanted.width, wanted.height);
    }
    void info(bytes_view, metadata &about) override { about.set_source_size(8, 8); }

  private:
    static image drawn(std::uint32_t width, std::uint32_t height) {
        unwritten_image fresh = image::uninitialized(width, height, pixel_format::gray8);
        std::memset(fresh.pixels, 0, fresh.stride * height);
        return fresh.image;
    }
};

TEST(a_vector_coder_draws_at_any_size) {
    const coder squares = make_coder<square>("square");
    squares.add();
    const image small = decode(std::string("square"));
    CHECK(small.is_vector());
    CHECK_EQUAL(small.render(64, 32).width(), 64u);
    CHECK_EQUAL(info(std::string("square")).pixel_size().width, 8u);
    CHECK_EQUAL(decode(std::string("unknown"), decode_options().set_format_hint(format::raw)).width(), 8u);
    squares.remove();
}

TEST(a_decoder_shows_a_picture_while_it_grows) {
    const std::string bytes = picture("aurora.jpg");
    const decoder growing = decoder::create();
    CHECK(!growing.image());
    const status first = growing.append(bytes_view(bytes.data(), bytes.size() / 2));
    CHECK_EQUAL(first, status::ok);
    CHECK(growing.image().is_incremental());
    CHECK_EQUAL(growing.size().width, 1000u);
    growing.append(bytes_view(bytes.data() + bytes.size() / 2, bytes.size() - bytes.size() / 2), true);
    CHECK(!growing.image().is_incremental());
    CHECK_EQUAL(growing.data().length(), bytes.size());
    CHECK_EQUAL(thrown([] { decoder::create().append(std::string("no picture at all"), true); }), status::not_an_image);
}

TEST(a_source_is_read_where_it_is_needed) {
    const std::string bytes = picture("badge.png");
    std::atomic<int> alive{0};
    std::atomic<int> reads{0};
    {
        const source host =
            source::custom(bytes.size(), [&, kept = counted(alive)](std::uint64_t offset, span<std::uint8_t> into) {
                reads++;
                return bytes.copy(reinterpret_cast<char *>(into.data()), into.size(), offset);
            });
        CHECK_EQUAL(decoder::of(host).image().width(), 400u);
        CHECK(reads > 0);
        const source memory = source::of(data(bytes_view(bytes)));
        std::uint8_t magic[3];
        CHECK_EQUAL(memory.read(1, magic), std::size_t(3));
        CHECK_EQUAL(bytes_view(magic, 3).text(), std::string_view("PNG"));
        CHECK_EQUAL(source::file(std::string(std::getenv("PICTURES")) + "/badge.png").size(),
                    std::uint64_t(bytes.size()));
    }
    CHECK(becomes_true([&] { return alive == 0; }));
    const source broken = source::custom(
        10, [](std::uint64_t, span<std::uint8_t>) -> std::size_t { throw error(status::io_error, "gone"); });
    CHECK_EQUAL(thrown([&] { decoder::of(broken); }), status::io_error);
}

TEST(built_in_coders_have_names) {
    CHECK_EQUAL(coder::builtin("jpeg").name(), std::string("jpeg"));
    CHECK_EQUAL(thrown([] { coder::builtin("none"); }), status::not_found);
    const std::size_t limit = default_limit_bytes();
    set_default_limit_bytes(1 << 20);
    CHECK_EQUAL(default_limit_bytes(), std::size_t(1 << 20));
    set_default_limit_bytes(limit);
    CHECK(load_plugins().size() >= 5);
}
