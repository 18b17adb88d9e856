// Getters: a property that was set is read back, and one that was not has its default.
#include <array>
#include <tuple>

#include "check.hpp"

using namespace sdimage;

static image squares() {
    const std::array<std::uint8_t, 16> pixels{255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};
    return image(2, 2, 8, pixel_format::rgba8, pixels.data());
}

// A JPEG with a gain map (ISO 21496-1, annex C): the file is also its map, and both have the fields in their first
// segment: fractions of 16.
static std::string with_gain_map(const image &picture) {
    std::string segment("\xff\xe2\0\x43urn:iso:std:iso:ts:21496:-1\0\0\0\0\0\x08", 37);
    for (const std::int32_t number : {16, 0, 32, -8, 48, 24, 1, 2})
        for (int shift = 24; shift >= 0; shift -= 8)
            segment += static_cast<char>(number >> shift);
    const std::string file = encode(picture, format::jpeg).text();
    const std::string marked = file.substr(0, 2) + segment + file.substr(2);
    return marked + marked;
}

TEST(a_request_returns_what_was_set) {
    request wanted("http://example.org/a");
    CHECK(wanted.priority() == priority::normal && wanted.source_policy() == source_policy::any);
    CHECK(wanted.cache_key().empty() && !wanted.has_freshness() && !wanted.has_max_retries());
    wanted.set_priority(priority::high).set_source_policy(source_policy::cache_only).set_cache_key("k\0y");
    wanted.set_thumbnail_size(30, 20, scale_mode::aspect_fill).set_progressive().set_progressive_interval_ms(40);
    wanted.set_freshness(freshness::respect).set_max_retries(7).set_timeout_ms(80).set_max_body_bytes(90);
    CHECK(wanted.priority() == priority::high && wanted.source_policy() == source_policy::cache_only);
    CHECK_EQUAL(wanted.cache_key().text(), std::string_view("k"));
    CHECK(wanted.thumbnail_size().width == 30 && wanted.thumbnail_size().height == 20);
    CHECK(wanted.thumbnail_mode() == scale_mode::aspect_fill);
    CHECK(wanted.is_progressive() && wanted.progressive_interval_ms() == 40);
    CHECK(wanted.has_freshness() && wanted.freshness() == freshness::respect);
    CHECK(wanted.has_max_retries() && wanted.max_retries() == 7);
    CHECK(wanted.timeout_ms() == 80 && wanted.max_body_bytes() == 90);
    wanted.set_encode_options(encode_options().set_quality(0.25));
    CHECK_EQUAL(wanted.encode_options().quality(), 0.25);
    CHECK(wanted.set_encode_format(format::bmp).encode_format() == format::bmp);
}

TEST(objects_that_are_not_set_differ_from_none) {
    request wanted("http://example.org/");
    CHECK(!wanted.cache() && !wanted.loader() && !wanted.transformer() && !wanted.dispatcher());
    CHECK(!wanted.coder() && !wanted.load_hooks());
    wanted.set_cache(cache());
    CHECK(wanted.cache() && !*wanted.cache());
    const cache memory = cache::open(cache_config().set_memory_only().set_max_memory_count(6));
    const loader files = loader::file();
    const transformer flip = transformer::flip(true, false);
    wanted.set_cache(memory).set_loader(files).set_transformer(flip).set_dispatcher(dispatcher::immediate());
    CHECK(wanted.cache()->memory_limits() == memory.memory_limits());
    CHECK(wanted.loader()->name() == files.name() && wanted.dispatcher() && *wanted.dispatcher());
    CHECK(wanted.transformer()->key() == flip.key());
    CHECK(!wanted.reset_cache().cache());

    manager_config config;
    CHECK(!config.cache() && !config.loader());
    config.set_cache(memory).set_loader(files).set_freshness(freshness::respect).set_failed_url_retry_after(9);
    CHECK(config.cache()->memory_limits() == memory.memory_limits() && config.loader().name() == files.name());
    CHECK(config.freshness() == freshness::respect && config.failed_url_retry_after() == 9);
}

TEST(limits_of_caches_are_tuples) {
    cache_config config;
    config.set_memory_only().set_max_memory_cost(5000).set_max_memory_count(6).set_namespace("cats");
    CHECK(config.is_memory_only() && config.max_memory_cost() == 5000 && config.max_memory_count() == 6);
    CHECK_EQUAL(config.namespace_(), std::string_view("cats"));
    CHECK_EQUAL(cache_config().set_namespace("dogs").namespace_(), std::string("dogs"));
    const cache memory = cache::open(config);
    CHECK(memory.memory_limits() == std::tuple(std::size_t(5000), std::size_t(6)));
    memory.set_memory_limits(7000, 8);
    const auto [bytes, count] = memory.memory_limits();
    CHECK(bytes == 7000 && count == 8);
    CHECK(!memory.last_error() && memory.statistics_to_json().find("\"memory\"") != std::string::npos);

    cache_query query;
    query.set_order(cache_order::used).set_prefix("http:").set_lengths(3, 4);
    CHECK(query.order() == cache_order::used && query.prefix().text() == "http:");
    CHECK(query.lengths() == std::tuple(std::uint64_t(3), std::uint64_t(4)));

    const std::uint64_t in_2100_ns = 4102444800000000000;
    const cache disk = cache::open(folder());
    disk.store("a", data(bytes_view("bytes", 5)));
    disk.set_expiry("a", in_2100_ns);
    CHECK_EQUAL(disk.expiry("a"), in_2100_ns);
    CHECK_EQUAL(thrown([&] { disk.expiry("b"); }), status::not_found);
    disk.set_disk_limits(1000, 60, expire_rule::access);
    CHECK(disk.disk_limits() == std::tuple(std::uint64_t(1000), std::int64_t(60), expire_rule::access));
}

TEST(chains_return_their_members) {
    const cache low = cache::open(cache_config().set_memory_only().set_max_memory_count(6));
    const cache chain = cache::chain({low});
    CHECK(chain.chain_count() == 1 && chain.chain_member(0).memory_limits() == low.memory_limits() &&
          low.chain_count() == 0);
    CHECK_EQUAL(thrown([&] { chain.chain_member(1); }), status::not_found);
    chain.chain_set_policy(cache_chain_operation::store, cache_chain_policy::lowest_only);
    CHECK(chain.chain_policy(cache_chain_operation::store) == cache_chain_policy::lowest_only);
    chain.chain_set_promote(false);
    CHECK(!chain.chain_should_promote());
    const loader files = loader::file();
    CHECK(loader::chain({files}).chain_count() == 1 && loader::chain({files}).chain_member(0).name() == files.name());
}

TEST(a_downloader_configuration_returns_what_was_set) {
    downloader_config config;
    CHECK(config.acceptable_statuses(0) == std::tuple(200, 299));
    config.clear_acceptable_statuses();
    config.set_max_per_host(3).set_retry_delay_ms(10, 20).add_acceptable_statuses(200, 206).set_header("X-Cat", "yes");
    CHECK_EQUAL(config.max_per_host(), 3u);
    CHECK(config.retry_delay_ms() == std::tuple(10u, 20u));
    CHECK(config.acceptable_statuses(0) == std::tuple(200, 206) && !config.acceptable_statuses(1));
    CHECK(config.header("x-cat") == "yes" && !config.header("X-Dog"));
    bool found = false;
    for (const auto &[name, value] : config.headers())
        found = found || (name == "X-Cat" && value == "yes");
    CHECK(found);
    CHECK(!config.has_credential() && config.credential_user().empty() && !config.transport() && !config.hooks());
    const downloader http = downloader::create(config);
    CHECK_EQUAL(http.max_per_host(), 3u);
    response answer(200);
    answer.add_header("A", "1").add_header("B", "2");
    CHECK(answer.headers() == (std::vector<std::pair<std::string, std::string>>{{"A", "1"}, {"B", "2"}}));
}

TEST(metadata_and_options_of_codecs_are_read_back) {
    metadata about = squares().metadata();
    CHECK(!about.cicp() && about.exif().empty() && about.scale() == 1);
    about.set_scale(3).set_format(format::heic).set_cicp(9, 16, 9, true).set_exif(data(bytes_view("Exif", 4)));
    CHECK(about.scale() == 3 && about.format() == format::heic && about.exif().text() == "Exif");
    CHECK(about.cicp() == std::tuple(9u, 16u, 9u, true));
    encode_options how;
    CHECK(!how.webp(webp_parameter::method));
    how.set_transfer_characteristics(transfer_characteristics::pq).set_bits_per_channel(12);
    CHECK(how.transfer_characteristics() == transfer_characteristics::pq && how.bits_per_channel() == 12);
    how.set_max_content_light_level(1000).set_max_frame_average_light_level(400);
    CHECK(how.max_content_light_level() == 1000 && how.max_frame_average_light_level() == 400);
    how.set_webp(webp_parameter::method, 4).set_chroma(chroma::yuv444).set_max_pixel_size(5, 6);
    CHECK(how.webp(webp_parameter::method) == 4.0 && how.chroma() == chroma::yuv444);
    CHECK(how.max_pixel_size().width == 5 && how.max_pixel_size().height == 6);
    decode_options options;
    CHECK(!options.has_scale() && options.set_scale(2).has_scale());
    const image again = decode(encode(squares(), format::png).bytes(), options);
    CHECK_EQUAL(again.decode_options().scale(), 2.0);
    CHECK(!squares().decode_options());
}

TEST(renditions_have_headroom_and_a_gain_map) {
    decode_options options;
    CHECK(options.dynamic_range() == dynamic_range::sdr && options.display_headroom() == 0);
    options.set_dynamic_range(dynamic_range::automatic).set_display_headroom(1.5);
    CHECK(options.dynamic_range() == dynamic_range::automatic && options.display_headroom() == 1.5);
    CHECK_EQUAL(decode_options().set_transfer_characteristics(transfer_characteristics::hlg).transfer_characteristics(),
                transfer_characteristics::hlg);
    CHECK_EQUAL(decode_options().set_display_headroom(-1).display_headroom(), 0.0);

    const std::string file = with_gain_map(squares());
    const image base = decode(file);
    CHECK(base.headroom() == 0 && base.content_headroom() == 0 && !base.gain_map() && !squares().gain_map());
    const image fitting = decode(file, options);
    CHECK(fitting.pixel_format() == pixel_format::rgba_float && fitting.is_hdr());
    CHECK(fitting.headroom() == 1.5 && fitting.content_headroom() == 2);
    const image bright = decode(file, decode_options().set_dynamic_range(dynamic_range::hdr));
    CHECK(bright.headroom() == 2 && bright.content_headroom() == 2);

    const gain_map map = bright.gain_map();
    CHECK(map && map == bright.gain_map() && map.base_headroom() == 0 && map.alternate_headroom() == 2);
    for (const std::uint32_t channel : {0u, 1u, 2u}) {
        CHECK(map.minimum(channel) == -0.5 && map.maximum(channel) == 3 && map.gamma(channel) == 1.5);
        CHECK(map.base_offset(channel) == 0.0625 && map.alternate_offset(channel) == 0.125);
    }
    CHECK(map.maximum(3) == 0 && !map.is_linear());
    const image samples = bright.gain_map().image();
    CHECK(samples == map.image() && samples.width() == 2 && samples.pixel_format() == pixel_format::rgb8);
}

TEST(gain_maps_are_kept_applied_and_written) {
    const image kept = decode(with_gain_map(squares()), decode_options().set_keep_gain_map(true));
    CHECK(kept.pixel_format() == pixel_format::rgb8 && kept.decode_options().should_keep_gain_map());
    CHECK(kept.apply_gain_map(1).headroom() == 1 && kept.apply_gain_map(9).headroom() == 2);
    CHECK(kept.apply_gain_map(0) == kept && kept.metadata().gain_map() == kept.gain_map());
    const image bare = kept.with_metadata(kept.metadata().set_gain_map(nullptr));
    CHECK(!bare.gain_map() && !bare.metadata().gain_map());
    CHECK_EQUAL(thrown([&] { bare.apply_gain_map(1); }), status::unsupported);

    const data parameters = kept.gain_map().parameters();
    const gain_map map(squares().convert(pixel_format::gray8), parameters.bytes());
    CHECK(map.alternate_headroom() == 2 && map.maximum(1) == 3);
    const image made = bare.with_metadata(bare.metadata().set_gain_map(map));
    CHECK(!encode_options().should_embed_gain_map() &&
          encode_options().set_embed_gain_map(true).should_embed_gain_map());
    const data written = encode(made, format::jpeg, encode_options().set_embed_gain_map(true));
    CHECK_EQUAL(decode(written.bytes(), decode_options().set_dynamic_range(dynamic_range::hdr)).headroom(), 2.0);

    CHECK_EQUAL(thrown([&] { gain_map(squares(), parameters.bytes()); }), status::invalid_argument);
    CHECK_EQUAL(thrown([&] { gain_map::apple(kept, parameters.bytes()); }), status::bad_data);
    const std::array<float, 8> light{4, 4, 4, 1, 2, 2, 2, 1};
    const image hdr(2, 1, sizeof light, pixel_format::rgba_float, light.data());
    const std::array<std::uint8_t, 2> grays{255, 255};
    CHECK_EQUAL(gain_map::between(image(2, 1, 2, pixel_format::gray8, grays.data()), hdr).alternate_headroom(), 2.0);
}

TEST(colors_sizes_and_formats_are_computed) {
    CHECK_EQUAL(color_to_hex({1, 0, 0, 1}), std::string("#ff0000ff"));
    CHECK_EQUAL(color_from_hex("#0f0").green, 1.0);
    CHECK_EQUAL(thrown([] { color_from_hex("green"); }), status::invalid_argument);
    const std::vector<color> all = squares().colors_in(0, 0, 2, 2);
    CHECK(all.size() == 4 && all[1].green == 1 && all[2].blue == 1);
    CHECK_EQUAL(thrown([] { squares().colors_in(1, 0, 2, 1); }), status::invalid_argument);
    CHECK_EQUAL(thrown([] { squares().colors_in(0, 0, UINT32_MAX, UINT32_MAX); }), status::invalid_argument);
    CHECK(squares().limit_bytes(4).width() == 1 && squares().limit_bytes(16).width() == 2);
    CHECK(scaled({100, 50}, {10, 10}).height == 5 && scaled({4, 4}, {8, 8}, scale_mode::aspect_fit, true).width == 8);
    CHECK(extension(format::jpeg) == "jpg" && extension(format::unknown).empty());
    CHECK(format_of_mime_type("image/JPEG; q=1") == format::jpeg && format_of_mime_type("a") == format::unknown);
}

TEST(filters_describe_their_parameters) {
    const auto sepia = filter_named("CISepiaTone");
    CHECK(sepia && !sepia->summary.empty() && !sepia->parameters.empty());
    CHECK(filter_named(sepia->name)->aliases == sepia->aliases && !filter_named("none"));
    const filter_parameter first = sepia->parameters[0];
    CHECK(!first.name.empty() && first.minimum <= first.initial && first.initial <= first.maximum);
}

TEST(the_process_and_widgets_return_their_settings) {
    const diagnosis found = diagnosis::create();
    CHECK(found.can_encode(format::png) && !found.can_encode(format::raw));
    CHECK_EQUAL(found.can_encode(format::heic), can_encode(format::heic));
    CHECK(found.processor_count() > 0 && !found.simd_level().empty() && !diagnosis::create().simd_level().empty());
    CHECK(found.library_count() > 0 && !found.library_name(0).empty());
    CHECK(found.library_name(found.library_count()).empty());
    CHECK(frame_budget_statistics_to_json().front() == '{');
    CHECK(process_isolation() == isolation::none && !has_isolation_fallback() && !is_sandboxed());
    set_isolation(isolation::risky);
    set_isolation_fallback(true);
    CHECK(process_isolation() == isolation::risky && has_isolation_fallback());
    set_isolation(isolation::none);
    set_isolation_fallback(false);
    CHECK(decode_options().set_isolation(isolation::all).isolation() == isolation::all);
    end_idle_workers();
    CHECK_EQUAL(isolation_statistics().running, std::uint64_t(0));
    CHECK(isolation_statistics_to_json().front() == '{');
    CHECK(!default_loader());
    const loader files = loader::file();
    set_default_loader(files);
    const std::string name = default_loader().name();
    set_default_loader(nullptr);
    CHECK_EQUAL(name, files.name());
    CHECK(!default_loader() && !default_cache());
    const resources icons = resources::create(folder());
    icons.set_scales({2, 1});
    CHECK(icons.scales() == (std::vector<double>{2, 1}));
}

TEST(targets_views_and_batches_return_their_settings) {
    const image shown = squares();
    target_options how;
    CHECK(!how.placeholder() && how.blurhash().empty());
    how.set_key("left").set_placeholder(shown).set_transition(transition::fade, 30);
    CHECK(how.key() == "left" && how.placeholder() == shown && how.transition() == transition::fade);
    CHECK_EQUAL(how.transition_duration_ms(), 30u);
    how.set_thumbhash(bytes_view("hash!", 5));
    CHECK_EQUAL(how.thumbhash().text(), std::string_view("hash!"));

    const manager loads = manager::create(manager_config().set_cache(cache()));
    const target slots = target::create(loads, [](std::string_view, const image &, const result &) {});
    const animated_view view = animated_view::create([](const animated_view &, const image &) {});
    CHECK(!slots.view() && slots.priority() == priority::normal);
    slots.set_view(view, "left");
    CHECK(slots.view("left") == view && !slots.view());
    CHECK(std::get<0>(view.clock()) == std::get<0>(animated_view::create([](const auto &, const auto &) {}).clock()));
    CHECK(!std::get<1>(view.clock()) && !view.transformer() && !view.has_loop_limit());

    batch_options options(4, 4);
    options.set_pixel_format(pixel_format::rgb8).set_strides(16, 80).set_request(request("x:").set_timeout_ms(3));
    CHECK(options.pixel_format() == pixel_format::rgb8 && options.request().timeout_ms() == 3);
    CHECK(options.strides() == std::tuple(std::size_t(16), std::size_t(80)));
    const prefetcher ahead = prefetcher::create(loads);
    ahead.set_request(request("x:").set_max_retries(2));
    CHECK_EQUAL(ahead.request().max_retries(), 2u);
}
