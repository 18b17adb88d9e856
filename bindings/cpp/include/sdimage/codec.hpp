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
