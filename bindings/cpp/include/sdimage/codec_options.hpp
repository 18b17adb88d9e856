// codec_options.hpp: options for decoding and encoding, and the limits of coders.
#ifndef SDIMAGE_CODEC_OPTIONS_HPP
#define SDIMAGE_CODEC_OPTIONS_HPP

#include "getters.hpp"
#include "image.hpp"

namespace sdimage {

// The limits of the operation that a coder works for. Borrowed from the options that the coder receives; may be empty.
// Any thread.
class work_budget {
public:
    explicit work_budget(const sdimage_work_budget *of = nullptr) noexcept : of_(of) {}
    // Throws CANCELLED, or TIMEOUT once the time limit is exceeded. Call it at least every 50 ms of work.
    void check() const { require(sdimage_work_budget_check(of_)); }
    // Like check, and counts bytes of input that were read. Throws TOO_LARGE for far more than the input holds.
    void spend(std::size_t bytes) const { require(sdimage_work_budget_spend(of_, bytes)); }
    // Returns UINT32_MAX if there is no time limit.
    std::uint32_t remaining_ms() const noexcept { return sdimage_work_budget_remaining_ms(of_); }

private:
    static void require(sdimage_status code) {
        if (code != SDIMAGE_STATUS_OK) throw error(static_cast<status>(code), "the operation must end");
    }
    const sdimage_work_budget *of_;
};

// Options for decoding. Class: single-owner.
class decode_options : public detail::owned<sdimage_decode_options, sdimage_decode_options_unref>,
                       public detail::decode_options_getters<decode_options> {
public:
    using owned::owned;
    decode_options() : owned(detail::made(sdimage_decode_options_new())) {}
    // The C functions of the same names: decode.h.
    decode_options &set_pixel_format(sdimage::pixel_format value) &noexcept {
        return sdimage_decode_options_set_pixel_format(get(), detail::c(value)), *this;
    }
    decode_options &&set_pixel_format(sdimage::pixel_format value) &&noexcept {
        return std::move(set_pixel_format(value));
    }
    decode_options &set_dynamic_range(sdimage::dynamic_range value) &noexcept {
        return sdimage_decode_options_set_dynamic_range(get(), detail::c(value)), *this;
    }
    decode_options &&set_dynamic_range(sdimage::dynamic_range value) &&noexcept {
        return std::move(set_dynamic_range(value));
    }
    decode_options &set_display_headroom(double stops) &noexcept {
        return sdimage_decode_options_set_display_headroom(get(), stops), *this;
    }
    decode_options &&set_display_headroom(double stops) &&noexcept { return std::move(set_display_headroom(stops)); }
    decode_options &set_keep_gain_map(bool keep_gain_map) &noexcept {
        return sdimage_decode_options_set_keep_gain_map(get(), keep_gain_map), *this;
    }
    decode_options &&set_keep_gain_map(bool keep_gain_map) &&noexcept {
        return std::move(set_keep_gain_map(keep_gain_map));
    }
    decode_options &set_transfer_characteristics(sdimage::transfer_characteristics value) &noexcept {
        return sdimage_decode_options_set_transfer_characteristics(get(), detail::c(value)), *this;
    }
    decode_options &&set_transfer_characteristics(sdimage::transfer_characteristics value) &&noexcept {
        return std::move(set_transfer_characteristics(value));
    }
    decode_options &set_isolation(sdimage::isolation value) &noexcept {
        return sdimage_decode_options_set_isolation(get(), detail::c(value)), *this;
    }
    decode_options &&set_isolation(sdimage::isolation value) &&noexcept { return std::move(set_isolation(value)); }
    decode_options &set_first_frame_only(bool first_frame_only) &noexcept {
        return sdimage_decode_options_set_first_frame_only(get(), first_frame_only), *this;
    }
    decode_options &&set_first_frame_only(bool first_frame_only) &&noexcept {
        return std::move(set_first_frame_only(first_frame_only));
    }
    decode_options &set_apply_orientation(bool apply) &noexcept {
        return sdimage_decode_options_set_apply_orientation(get(), apply), *this;
    }
    decode_options &&set_apply_orientation(bool apply) &&noexcept { return std::move(set_apply_orientation(apply)); }
    decode_options &set_convert_to_srgb(bool convert) &noexcept {
        return sdimage_decode_options_set_convert_to_srgb(get(), convert), *this;
    }
    decode_options &&set_convert_to_srgb(bool convert) &&noexcept { return std::move(set_convert_to_srgb(convert)); }
    decode_options &set_limit_bytes(std::size_t limit_bytes) &noexcept {
        return sdimage_decode_options_set_limit_bytes(get(), limit_bytes), *this;
    }
    decode_options &&set_limit_bytes(std::size_t limit_bytes) &&noexcept {
        return std::move(set_limit_bytes(limit_bytes));
    }
    decode_options &set_format_hint(format value) &noexcept {
        return sdimage_decode_options_set_format_hint(get(), detail::c(value)), *this;
    }
    decode_options &&set_format_hint(format value) &&noexcept { return std::move(set_format_hint(value)); }
    decode_options &set_scale(double scale) &noexcept { return sdimage_decode_options_set_scale(get(), scale), *this; }
    decode_options &&set_scale(double scale) &&noexcept { return std::move(set_scale(scale)); }
    decode_options &set_accept_partial(bool accept) &noexcept {
        return sdimage_decode_options_set_accept_partial(get(), accept), *this;
    }
    decode_options &&set_accept_partial(bool accept) &&noexcept { return std::move(set_accept_partial(accept)); }
    decode_options &set_early_thumbnail(bool early) &noexcept {
        return sdimage_decode_options_set_early_thumbnail(get(), early), *this;
    }
    decode_options &&set_early_thumbnail(bool early) &&noexcept { return std::move(set_early_thumbnail(early)); }
    decode_options &set_max_pixels(std::uint64_t pixels) &noexcept {
        return sdimage_decode_options_set_max_pixels(get(), pixels), *this;
    }
    decode_options &&set_max_pixels(std::uint64_t pixels) &&noexcept { return std::move(set_max_pixels(pixels)); }
    decode_options &set_max_bytes(std::size_t bytes) &noexcept {
        return sdimage_decode_options_set_max_bytes(get(), bytes), *this;
    }
    decode_options &&set_max_bytes(std::size_t bytes) &&noexcept { return std::move(set_max_bytes(bytes)); }
    decode_options &set_max_work_ms(std::uint32_t milliseconds) &noexcept {
        return sdimage_decode_options_set_max_work_ms(get(), milliseconds), *this;
    }
    decode_options &&set_max_work_ms(std::uint32_t milliseconds) &&noexcept {
        return std::move(set_max_work_ms(milliseconds));
    }
    decode_options &set_options(const sdimage::options &values) &noexcept {
        return sdimage_decode_options_set_options(get(), values.get()), *this;
    }
    decode_options &&set_options(const sdimage::options &values) &&noexcept { return std::move(set_options(values)); }
    size thumbnail_size() const noexcept { return sdimage_decode_options_thumbnail_size(get()); }
    sdimage::pixel_format pixel_format() const noexcept {
        return static_cast<sdimage::pixel_format>(sdimage_decode_options_pixel_format(get()));
    }
    bool should_apply_orientation() const noexcept { return sdimage_decode_options_should_apply_orientation(get()); }
    bool should_convert_to_srgb() const noexcept { return sdimage_decode_options_should_convert_to_srgb(get()); }
    bool is_first_frame_only() const noexcept { return sdimage_decode_options_is_first_frame_only(get()); }
    double scale() const noexcept { return sdimage_decode_options_scale(get()); }
    bool should_accept_partial() const noexcept { return sdimage_decode_options_should_accept_partial(get()); }
    std::size_t limit_bytes() const noexcept { return sdimage_decode_options_limit_bytes(get()); }
    std::uint64_t max_pixels() const noexcept { return sdimage_decode_options_max_pixels(get()); }
    std::size_t max_bytes() const noexcept { return sdimage_decode_options_max_bytes(get()); }
    std::uint32_t max_work_ms() const noexcept { return sdimage_decode_options_max_work_ms(get()); }
    // For coders: valid as long as these options.
    sdimage::work_budget work_budget() const noexcept {
        return sdimage::work_budget(sdimage_decode_options_work_budget(get()));
    }
    decode_options &set_thumbnail_size(std::uint32_t width, std::uint32_t height,
                                       scale_mode mode = scale_mode::aspect_fit) &noexcept {
        return sdimage_decode_options_set_thumbnail_size(get(), width, height, detail::c(mode)), *this;
    }
    decode_options &&set_thumbnail_size(std::uint32_t width, std::uint32_t height,
                                        scale_mode mode = scale_mode::aspect_fit) &&noexcept {
        return std::move(set_thumbnail_size(width, height, mode));
    }
    scale_mode thumbnail_mode() const noexcept {
        return static_cast<scale_mode>(sdimage_decode_options_thumbnail_mode(get()));
    }
    // The values for coders, read-only; empty when there are none.
    sdimage::options options() const noexcept {
        return retain<sdimage::options>(sdimage_decode_options_options(get()));
    }
};

// Options for encoding. Class: single-owner.
class encode_options : public detail::owned<sdimage_encode_options, sdimage_encode_options_unref>,
                       public detail::encode_options_getters<encode_options> {
public:
    using owned::owned;
    encode_options() : owned(detail::made(sdimage_encode_options_new())) {}
    // For coders: valid as long as these options.
    sdimage::work_budget work_budget() const noexcept {
        return sdimage::work_budget(sdimage_encode_options_work_budget(get()));
    }
    // The C functions of the same names: encode.h.
    encode_options &set_quality(double quality) &noexcept {
        return sdimage_encode_options_set_quality(get(), quality), *this;
    }
    encode_options &&set_quality(double quality) &&noexcept { return std::move(set_quality(quality)); }
    encode_options &set_lossless(bool lossless) &noexcept {
        return sdimage_encode_options_set_lossless(get(), lossless), *this;
    }
    encode_options &&set_lossless(bool lossless) &&noexcept { return std::move(set_lossless(lossless)); }
    encode_options &set_effort(std::uint32_t effort) &noexcept {
        return sdimage_encode_options_set_effort(get(), effort), *this;
    }
    encode_options &&set_effort(std::uint32_t effort) &&noexcept { return std::move(set_effort(effort)); }
    encode_options &set_background_color(color value) &noexcept {
        return sdimage_encode_options_set_background_color(get(), value), *this;
    }
    encode_options &&set_background_color(color value) &&noexcept { return std::move(set_background_color(value)); }
    encode_options &set_max_pixel_size(std::uint32_t width, std::uint32_t height) &noexcept {
        return sdimage_encode_options_set_max_pixel_size(get(), width, height), *this;
    }
    encode_options &&set_max_pixel_size(std::uint32_t width, std::uint32_t height) &&noexcept {
        return std::move(set_max_pixel_size(width, height));
    }
    encode_options &set_max_file_size(std::size_t bytes) &noexcept {
        return sdimage_encode_options_set_max_file_size(get(), bytes), *this;
    }
    encode_options &&set_max_file_size(std::size_t bytes) &&noexcept { return std::move(set_max_file_size(bytes)); }
    encode_options &set_max_work_ms(std::uint32_t milliseconds) &noexcept {
        return sdimage_encode_options_set_max_work_ms(get(), milliseconds), *this;
    }
    encode_options &&set_max_work_ms(std::uint32_t milliseconds) &&noexcept {
        return std::move(set_max_work_ms(milliseconds));
    }
    encode_options &set_embed_thumbnail(bool embed) &noexcept {
        return sdimage_encode_options_set_embed_thumbnail(get(), embed), *this;
    }
    encode_options &&set_embed_thumbnail(bool embed) &&noexcept { return std::move(set_embed_thumbnail(embed)); }
    encode_options &set_embed_gain_map(bool embed) &noexcept {
        return sdimage_encode_options_set_embed_gain_map(get(), embed), *this;
    }
    encode_options &&set_embed_gain_map(bool embed) &&noexcept { return std::move(set_embed_gain_map(embed)); }
    encode_options &set_transfer_characteristics(sdimage::transfer_characteristics value) &noexcept {
        return sdimage_encode_options_set_transfer_characteristics(get(), detail::c(value)), *this;
    }
    encode_options &&set_transfer_characteristics(sdimage::transfer_characteristics value) &&noexcept {
        return std::move(set_transfer_characteristics(value));
    }
    encode_options &set_bits_per_channel(std::uint32_t bits) &noexcept {
        return sdimage_encode_options_set_bits_per_channel(get(), bits), *this;
    }
    encode_options &&set_bits_per_channel(std::uint32_t bits) &&noexcept {
        return std::move(set_bits_per_channel(bits));
    }
    encode_options &set_max_content_light_level(std::uint32_t level) &noexcept {
        return sdimage_encode_options_set_max_content_light_level(get(), level), *this;
    }
    encode_options &&set_max_content_light_level(std::uint32_t level) &&noexcept {
        return std::move(set_max_content_light_level(level));
    }
    encode_options &set_max_frame_average_light_level(std::uint32_t level) &noexcept {
        return sdimage_encode_options_set_max_frame_average_light_level(get(), level), *this;
    }
    encode_options &&set_max_frame_average_light_level(std::uint32_t level) &&noexcept {
        return std::move(set_max_frame_average_light_level(level));
    }
    encode_options &set_first_frame_only(bool first_frame_only) &noexcept {
        return sdimage_encode_options_set_first_frame_only(get(), first_frame_only), *this;
    }
    encode_options &&set_first_frame_only(bool first_frame_only) &&noexcept {
        return std::move(set_first_frame_only(first_frame_only));
    }
    encode_options &set_loop_count(std::uint32_t loop_count) &noexcept {
        return sdimage_encode_options_set_loop_count(get(), loop_count), *this;
    }
    encode_options &&set_loop_count(std::uint32_t loop_count) &&noexcept {
        return std::move(set_loop_count(loop_count));
    }
    encode_options &set_progressive(bool progressive) &noexcept {
        return sdimage_encode_options_set_progressive(get(), progressive), *this;
    }
    encode_options &&set_progressive(bool progressive) &&noexcept { return std::move(set_progressive(progressive)); }
    encode_options &set_chroma(sdimage::chroma value) &noexcept {
        return sdimage_encode_options_set_chroma(get(), detail::c(value)), *this;
    }
    encode_options &&set_chroma(sdimage::chroma value) &&noexcept { return std::move(set_chroma(value)); }
    encode_options &set_restart_markers(bool restart_markers) &noexcept {
        return sdimage_encode_options_set_restart_markers(get(), restart_markers), *this;
    }
    encode_options &&set_restart_markers(bool restart_markers) &&noexcept {
        return std::move(set_restart_markers(restart_markers));
    }
    encode_options &set_max_colors(std::uint32_t colors) &noexcept {
        return sdimage_encode_options_set_max_colors(get(), colors), *this;
    }
    encode_options &&set_max_colors(std::uint32_t colors) &&noexcept { return std::move(set_max_colors(colors)); }
    encode_options &set_dithering(double amount) &noexcept {
        return sdimage_encode_options_set_dithering(get(), amount), *this;
    }
    encode_options &&set_dithering(double amount) &&noexcept { return std::move(set_dithering(amount)); }
    encode_options &set_webp(webp_parameter parameter, double value) &noexcept {
        return sdimage_encode_options_set_webp(get(), detail::c(parameter), value), *this;
    }
    encode_options &&set_webp(webp_parameter parameter, double value) &&noexcept {
        return std::move(set_webp(parameter, value));
    }
    encode_options &set_exif(const data &value) &noexcept {
        return sdimage_encode_options_set_exif(get(), value.get()), *this;
    }
    encode_options &&set_exif(const data &value) &&noexcept { return std::move(set_exif(value)); }
    encode_options &set_xmp(const data &value) &noexcept {
        return sdimage_encode_options_set_xmp(get(), value.get()), *this;
    }
    encode_options &&set_xmp(const data &value) &&noexcept { return std::move(set_xmp(value)); }
    encode_options &set_options(const sdimage::options &values) &noexcept {
        return sdimage_encode_options_set_options(get(), values.get()), *this;
    }
    encode_options &&set_options(const sdimage::options &values) &&noexcept { return std::move(set_options(values)); }
    // The values for coders, read-only; empty when there are none.
    sdimage::options options() const noexcept {
        return retain<sdimage::options>(sdimage_encode_options_options(get()));
    }
    double quality() const noexcept { return sdimage_encode_options_quality(get()); }
    bool is_lossless() const noexcept { return sdimage_encode_options_is_lossless(get()); }
    std::uint32_t effort() const noexcept { return sdimage_encode_options_effort(get()); }
    bool should_embed_thumbnail() const noexcept { return sdimage_encode_options_should_embed_thumbnail(get()); }
    color background_color() const noexcept { return sdimage_encode_options_background_color(get()); }
    bool is_first_frame_only() const noexcept { return sdimage_encode_options_is_first_frame_only(get()); }
    std::uint32_t loop_count(const image &value) const noexcept {
        return sdimage_encode_options_loop_count(get(), value.get());
    }
    data exif() const noexcept { return retain<data>(sdimage_encode_options_exif(get())); }
    data xmp() const noexcept { return retain<data>(sdimage_encode_options_xmp(get())); }
};

} // namespace sdimage

#endif
