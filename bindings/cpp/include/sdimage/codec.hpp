// codec.hpp: decoding, headers, encoding, progressive and animated images, all from bytes without loading.
#ifndef SDIMAGE_CODEC_HPP
#define SDIMAGE_CODEC_HPP

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
class decode_options : public detail::owned<sdimage_decode_options, sdimage_decode_options_unref> {
public:
    using owned::owned;
    decode_options() : owned(detail::made(sdimage_decode_options_new())) {}
    // The C functions of the same names: decode.h.
    decode_options &set_pixel_format(sdimage::pixel_format value) noexcept {
        sdimage_decode_options_set_pixel_format(get(), detail::c(value));
        return *this;
    }
    decode_options &set_first_frame_only(bool first_frame_only) noexcept {
        sdimage_decode_options_set_first_frame_only(get(), first_frame_only);
        return *this;
    }
    decode_options &set_apply_orientation(bool apply) noexcept {
        sdimage_decode_options_set_apply_orientation(get(), apply);
        return *this;
    }
    decode_options &set_convert_to_srgb(bool convert) noexcept {
        sdimage_decode_options_set_convert_to_srgb(get(), convert);
        return *this;
    }
    decode_options &set_limit_bytes(std::size_t limit_bytes) noexcept {
        sdimage_decode_options_set_limit_bytes(get(), limit_bytes);
        return *this;
    }
    decode_options &set_format_hint(format value) noexcept {
        sdimage_decode_options_set_format_hint(get(), detail::c(value));
        return *this;
    }
    decode_options &set_scale(double scale) noexcept {
        sdimage_decode_options_set_scale(get(), scale);
        return *this;
    }
    decode_options &set_accept_partial(bool accept) noexcept {
        sdimage_decode_options_set_accept_partial(get(), accept);
        return *this;
    }
    decode_options &set_early_thumbnail(bool early) noexcept {
        sdimage_decode_options_set_early_thumbnail(get(), early);
        return *this;
    }
    decode_options &set_max_pixels(std::uint64_t pixels) noexcept {
        sdimage_decode_options_set_max_pixels(get(), pixels);
        return *this;
    }
    decode_options &set_max_bytes(std::size_t bytes) noexcept {
        sdimage_decode_options_set_max_bytes(get(), bytes);
        return *this;
    }
    decode_options &set_max_work_ms(std::uint32_t milliseconds) noexcept {
        sdimage_decode_options_set_max_work_ms(get(), milliseconds);
        return *this;
    }
    decode_options &set_options(const sdimage::options &values) noexcept {
        sdimage_decode_options_set_options(get(), values.get());
        return *this;
    }
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
                                       scale_mode mode = scale_mode::aspect_fit) noexcept {
        sdimage_decode_options_set_thumbnail_size(get(), width, height, detail::c(mode));
        return *this;
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
class encode_options : public detail::owned<sdimage_encode_options, sdimage_encode_options_unref> {
public:
    using owned::owned;
    encode_options() : owned(detail::made(sdimage_encode_options_new())) {}
    // For coders: valid as long as these options.
    sdimage::work_budget work_budget() const noexcept {
        return sdimage::work_budget(sdimage_encode_options_work_budget(get()));
    }
    // The C functions of the same names: encode.h.
    encode_options &set_quality(double quality) noexcept {
        sdimage_encode_options_set_quality(get(), quality);
        return *this;
    }
    encode_options &set_lossless(bool lossless) noexcept {
        sdimage_encode_options_set_lossless(get(), lossless);
        return *this;
    }
    encode_options &set_effort(std::uint32_t effort) noexcept {
        sdimage_encode_options_set_effort(get(), effort);
        return *this;
    }
    encode_options &set_background_color(color value) noexcept {
        sdimage_encode_options_set_background_color(get(), value);
        return *this;
    }
    encode_options &set_max_pixel_size(std::uint32_t width, std::uint32_t height) noexcept {
        sdimage_encode_options_set_max_pixel_size(get(), width, height);
        return *this;
    }
    encode_options &set_max_file_size(std::size_t bytes) noexcept {
        sdimage_encode_options_set_max_file_size(get(), bytes);
        return *this;
    }
    encode_options &set_max_work_ms(std::uint32_t milliseconds) noexcept {
        sdimage_encode_options_set_max_work_ms(get(), milliseconds);
        return *this;
    }
    encode_options &set_embed_thumbnail(bool embed) noexcept {
        sdimage_encode_options_set_embed_thumbnail(get(), embed);
        return *this;
    }
    encode_options &set_first_frame_only(bool first_frame_only) noexcept {
        sdimage_encode_options_set_first_frame_only(get(), first_frame_only);
        return *this;
    }
    encode_options &set_loop_count(std::uint32_t loop_count) noexcept {
        sdimage_encode_options_set_loop_count(get(), loop_count);
        return *this;
    }
    encode_options &set_progressive(bool progressive) noexcept {
        sdimage_encode_options_set_progressive(get(), progressive);
        return *this;
    }
    encode_options &set_chroma(chroma value) noexcept {
        sdimage_encode_options_set_chroma(get(), detail::c(value));
        return *this;
    }
    encode_options &set_restart_markers(bool restart_markers) noexcept {
        sdimage_encode_options_set_restart_markers(get(), restart_markers);
        return *this;
    }
    encode_options &set_max_colors(std::uint32_t colors) noexcept {
        sdimage_encode_options_set_max_colors(get(), colors);
        return *this;
    }
    encode_options &set_dithering(double amount) noexcept {
        sdimage_encode_options_set_dithering(get(), amount);
        return *this;
    }
    encode_options &set_webp(webp_parameter parameter, double value) noexcept {
        sdimage_encode_options_set_webp(get(), detail::c(parameter), value);
        return *this;
    }
    encode_options &set_exif(const data &value) noexcept {
        sdimage_encode_options_set_exif(get(), value.get());
        return *this;
    }
    encode_options &set_xmp(const data &value) noexcept {
        sdimage_encode_options_set_xmp(get(), value.get());
        return *this;
    }
    encode_options &set_options(const sdimage::options &values) noexcept {
        sdimage_encode_options_set_options(get(), values.get());
        return *this;
    }
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

// --- Decoding. Empty options mean the defaults.

// Detects the format by its signature alone.
inline format sniff(bytes_view bytes) noexcept {
    return static_cast<format>(sdimage_sniff(bytes.data(), bytes.size()));
}

inline image decode(bytes_view bytes, const decode_options &how = nullptr) {
    return detail::make<image>(sdimage_decode, bytes.data(), bytes.size(), how.get());
}
inline outcome<image> try_decode(bytes_view bytes, const decode_options &how = nullptr) noexcept {
    return detail::attempt<image>(sdimage_decode, bytes.data(), bytes.size(), how.get());
}
inline image decode_file(std::string_view path, const decode_options &how = nullptr) {
    return detail::make<image>(sdimage_decode_file, detail::text(path), how.get());
}
inline outcome<image> try_decode_file(const char *path, const decode_options &how = nullptr) noexcept {
    return detail::attempt<image>(sdimage_decode_file, path, how.get());
}
// The properties in the header, as a JSON object; decodes no pixels.
inline std::string info(bytes_view bytes) {
    return std::string(detail::make<data>(sdimage_info, bytes.data(), bytes.size()).text());
}
// A metadata block; the try_ form reports NOT_FOUND when there is none.
inline data read_metadata(bytes_view bytes, metadata_kind kind) {
    return detail::make<data>(sdimage_read_metadata, bytes.data(), bytes.size(), detail::c(kind));
}
inline outcome<data> try_read_metadata(bytes_view bytes, metadata_kind kind) noexcept {
    return detail::attempt<data>(sdimage_read_metadata, bytes.data(), bytes.size(), detail::c(kind));
}
// Reports whether a registered coder recognises the bytes, or encodes the format.
inline bool can_decode(bytes_view bytes) noexcept {
    return sdimage_can_decode(bytes.data(), bytes.size());
}
inline bool can_encode(format wanted) noexcept {
    return sdimage_can_encode(detail::c(wanted));
}
// The process-wide byte limit for programs that scale large images down.
inline std::size_t default_limit_bytes() noexcept {
    return sdimage_default_limit_bytes();
}
inline void set_default_limit_bytes(std::size_t bytes) noexcept {
    sdimage_set_default_limit_bytes(bytes);
}

// --- Encoding. `format::unknown` means PNG for images with alpha, else JPEG; for files, the format of the file name.

inline data encode(const image &picture, format wanted = format::unknown, const encode_options &how = nullptr) {
    return detail::make<data>(sdimage_encode, picture.get(), detail::c(wanted), how.get());
}
inline outcome<data> try_encode(const image &picture, format wanted, const encode_options &how = nullptr) noexcept {
    return detail::attempt<data>(sdimage_encode, picture.get(), detail::c(wanted), how.get());
}
inline void encode_file(const image &picture, std::string_view path, format wanted = format::unknown,
                        const encode_options &how = nullptr) {
    detail::run(sdimage_encode_file, picture.get(), detail::text(path), detail::c(wanted), how.get());
}
inline format format_of_name(std::string_view name) {
    return static_cast<format>(sdimage_format_of_name(detail::text(name)));
}

// --- Random access to encoded bytes (decode.h; custom sources: sys/source.h).

// Class: synchronised.
class source : public detail::shared<sdimage_source, sdimage_source_ref, sdimage_source_unref> {
public:
    using shared::shared;
    static source file(std::string_view path) {
        return detail::make<source>(sdimage_source_new_file, detail::text(path));
    }
    static source of(const data &bytes) { return detail::make<source>(sdimage_source_new_data, bytes.get()); }
    // `read(offset, span<std::uint8_t>)` fills as much as it can, at least one byte, and returns the number of bytes.
    // It is called from several threads.
    template <class F> static source custom(std::uint64_t length, F read) {
        auto table = detail::empty_table<sdimage_source_vtable>();
        table.read = [](void *self, std::uint64_t offset, void *buffer, std::size_t wanted, std::size_t *count,
                        sdimage_error **why) {
            return detail::answered(why, [&] {
                *count =
                    detail::state<F>(self)(offset, span<std::uint8_t>(static_cast<std::uint8_t *>(buffer), wanted));
            });
        };
        return detail::make<source>(sdimage_source_new_custom, length, &table,
                                    static_cast<void *>(detail::boxed(std::move(read)).release()),
                                    &detail::destroyed<F>);
    }

    std::uint64_t size() const noexcept { return sdimage_source_size(get()); }
    // Returns the number of bytes read, which is smaller only at the end.
    std::size_t read(std::uint64_t offset, span<std::uint8_t> into) const {
        std::size_t count = 0;
        detail::run(sdimage_source_read, get(), offset, static_cast<void *>(into.data()), into.size(), &count);
        return count;
    }
};

class coder;

// A progressive or animated decode. Class: synchronised, except append.
class decoder : public detail::shared<sdimage_decoder, sdimage_decoder_ref, sdimage_decoder_unref> {
public:
    using shared::shared;
    // Defined in coder.hpp: a decoder to be fed, and one that reads a source. An empty coder selects one by the bytes.
    static decoder create(const decode_options &how, const coder &by);
    static decoder create(const decode_options &how = nullptr) {
        return detail::make<decoder>(sdimage_decoder_new, how.get(), nullptr);
    }
    static decoder of(const source &bytes, const decode_options &how, const coder &by);
    static decoder of(const source &bytes, const decode_options &how = nullptr) {
        return detail::make<decoder>(sdimage_decoder_new_source, bytes.get(), how.get(), nullptr);
    }

    // Appends bytes. Returns ok, or end when more bytes would change nothing.
    status append(bytes_view bytes, bool finished = false) const {
        return detail::run(sdimage_decoder_append, get(), bytes.data(), bytes.size(), finished);
    }
    // The best image so far; empty while there is none.
    sdimage::image image() const { return detail::make<sdimage::image>(sdimage_decoder_get_image, get()); }
    // The C functions of the same names: decode.h.
    sdimage::size size() const noexcept { return sdimage_decoder_size(get()); }
    std::uint32_t frame_count() const noexcept { return sdimage_decoder_frame_count(get()); }
    std::uint32_t loop_count() const noexcept { return sdimage_decoder_loop_count(get()); }
    std::uint32_t frame_duration_ms(std::uint32_t index) const noexcept {
        return sdimage_decoder_frame_duration_ms(get(), index);
    }
    sdimage::image frame(std::uint32_t index) const {
        return detail::make<sdimage::image>(sdimage_decoder_get_frame, get(), index);
    }
    // All bytes appended so far.
    sdimage::data data() const { return detail::make<sdimage::data>(sdimage_decoder_get_data, get()); }
};

} // namespace sdimage

#endif
