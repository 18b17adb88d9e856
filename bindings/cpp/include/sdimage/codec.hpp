// codec.hpp: decoding, headers, encoding, progressive and animated images, all from bytes without loading.
#ifndef SDIMAGE_CODEC_HPP
#define SDIMAGE_CODEC_HPP

#include "codec_options.hpp"

namespace sdimage {

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
// Header information of an image, read without decoding pixels. Class: immutable.
class image_info : public detail::shared<sdimage_info, sdimage_info_ref, sdimage_info_unref> {
public:
    using shared::shared;

    // The C functions of the same names: metadata.h.
    sdimage::format format() const noexcept { return static_cast<sdimage::format>(sdimage_info_format(get())); }
    size pixel_size() const noexcept { return sdimage_info_size(get()); }
    size stored_size() const noexcept { return sdimage_info_stored_size(get()); }
    sdimage::orientation orientation() const noexcept {
        return static_cast<sdimage::orientation>(sdimage_info_orientation(get()));
    }
    std::uint32_t frame_count() const noexcept { return sdimage_info_frame_count(get()); }
    std::uint32_t loop_count() const noexcept { return sdimage_info_loop_count(get()); }
    std::uint64_t duration_ms() const noexcept { return sdimage_info_duration_ms(get()); }
    bool has_alpha() const noexcept { return sdimage_info_has_alpha(get()); }
    std::uint32_t bits_per_channel() const noexcept { return sdimage_info_bits_per_channel(get()); }
    std::uint32_t channel_count() const noexcept { return sdimage_info_channel_count(get()); }
    bool is_progressive() const noexcept { return sdimage_info_is_progressive(get()); }
    bool is_hdr() const noexcept { return sdimage_info_is_hdr(get()); }
    std::uint32_t transfer_characteristics() const noexcept { return sdimage_info_transfer_characteristics(get()); }
    bool has_gain_map() const noexcept { return sdimage_info_has_gain_map(get()); }
    double content_headroom() const noexcept { return sdimage_info_content_headroom(get()); }
    bool has_color_profile() const noexcept { return sdimage_info_has_color_profile(get()); }
    double dpi_x() const noexcept { return sdimage_info_dpi_x(get()); }
    double dpi_y() const noexcept { return sdimage_info_dpi_y(get()); }
    // Metadata blocks; empty when absent. Valid as long as this object.
    bytes_view exif() const noexcept { return block(sdimage_info_exif(get())); }
    bytes_view xmp() const noexcept { return block(sdimage_info_xmp(get())); }
    bytes_view color_profile() const noexcept { return block(sdimage_info_color_profile(get())); }
    // Comments, titles and others, by name; a name may occur more than once.
    std::vector<std::pair<std::string, std::string>> texts() const {
        std::vector<std::pair<std::string, std::string>> found;
        for (std::size_t i = 0; i < sdimage_info_text_count(get()); i++)
            found.emplace_back(sdimage_info_text_name(get(), i), sdimage_info_text_value(get(), i));
        return found;
    }
    std::string to_json() const { return std::string(detail::make<data>(sdimage_info_to_json, get()).text()); }

private:
    static bytes_view block(const sdimage_data *data) noexcept {
        return bytes_view(sdimage_data_bytes(data), sdimage_data_length(data));
    }
};

inline image_info info(bytes_view bytes, const decode_options &how = nullptr) {
    return detail::make<image_info>(sdimage_info_new, bytes.data(), bytes.size(), how.get());
}
inline image_info info_of_file(std::string_view path, const decode_options &how = nullptr) {
    return detail::make<image_info>(sdimage_info_new_file, detail::text(path), how.get());
}
// Reports whether a registered coder recognizes the bytes, or encodes the format.
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

// --- Decoding in worker processes (isolation.h).

inline void set_isolation(isolation value) noexcept {
    sdimage_set_isolation(detail::c(value));
}
inline isolation process_isolation() noexcept {
    sdimage_isolation value = SDIMAGE_ISOLATION_DEFAULT;
    sdimage_get_isolation(&value);
    return static_cast<isolation>(value);
}
inline void set_isolation_fallback(bool decode_in_process) noexcept {
    sdimage_set_isolation_fallback(decode_in_process);
}
inline bool has_isolation_fallback() noexcept {
    return sdimage_has_isolation_fallback();
}
inline bool is_sandboxed() noexcept {
    return sdimage_is_sandboxed();
}
inline void end_idle_workers() noexcept {
    sdimage_isolation_end_idle();
}
inline sdimage_isolation_statistics isolation_statistics() {
    sdimage_isolation_statistics found{};
    found.size = sizeof found;
    detail::run(sdimage_isolation_get_statistics, &found);
    return found;
}
inline std::string isolation_statistics_to_json() {
    return std::string(detail::make<data>(sdimage_isolation_statistics_to_json).text());
}

// --- Encoding. `format::unknown` means PNG for images with alpha, and for PQ, HLG or more than 8 bits in the options,
// else JPEG; for files, the format of the file name.

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

// Class: synchronized.
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

// A progressive or animated decode. Class: synchronized, except append.
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
