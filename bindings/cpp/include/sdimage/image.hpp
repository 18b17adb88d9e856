// image.hpp: an image: pixels and their properties, and the gain map of an HDR image.
#ifndef SDIMAGE_IMAGE_HPP
#define SDIMAGE_IMAGE_HPP

#include <vector>

#include "data.hpp"
#include "getters.hpp"

namespace sdimage {

class image;
class transformer;

// Names such as "jpeg", "image/jpeg" and "rgba8"; bytes of one pixel. Text is static.
inline std::string_view name(format value) noexcept {
    return sdimage_format_name(detail::c(value));
}
inline std::string_view mime_type(format value) noexcept {
    return sdimage_format_mime_type(detail::c(value));
}
inline std::string_view name(pixel_format value) noexcept {
    return sdimage_pixel_format_name(detail::c(value));
}
inline std::size_t bytes_of(pixel_format value) noexcept {
    return sdimage_pixel_format_bytes(detail::c(value));
}
// The usual extension of file names without a dot; "" for unknown.
inline std::string_view extension(format value) noexcept {
    return sdimage_format_extension(detail::c(value));
}
// The format of a media type, ignoring case and parameters; unknown for others.
inline format format_of_mime_type(std::string_view type) {
    return static_cast<format>(sdimage_format_of_mime_type(detail::text(type)));
}
// A color as "#rrggbbaa"; and from "#rgb", "#rgba", "#rrggbb" and "#rrggbbaa".
inline std::string color_to_hex(color value) {
    char text[SDIMAGE_COLOR_HEX_SIZE];
    sdimage_color_to_hex(value, text);
    return text;
}
inline color color_from_hex(std::string_view text) {
    color found{};
    detail::run(sdimage_color_from_hex, detail::text(text).get(), &found);
    return found;
}
// The size of an image that is scaled to a box; never larger than the image without `scale_up`.
inline size scaled(size pixels, size box, scale_mode mode = scale_mode::aspect_fit, bool scale_up = false) noexcept {
    return sdimage_size_scaled(pixels, box, detail::c(mode), scale_up);
}

// Gains that turn a base image into its other rendition: image::gain_map. Class: immutable.
class gain_map : public detail::shared<sdimage_gain_map, sdimage_gain_map_ref, sdimage_gain_map_unref>,
                 public detail::gain_map_getters<gain_map> {
public:
    using shared::shared;
    // A map of gray8 or rgb8, with parameters in the binary form of ISO 21496-1.
    gain_map(const sdimage::image &samples, bytes_view parameters);
    // A map of Apple's format; `exif` is the EXIF block of the base image.
    static gain_map apple(const sdimage::image &samples, bytes_view exif);
    // The map from an SDR image to its HDR rendition, a linear rgba_float image of the same size.
    static gain_map between(const sdimage::image &sdr, const sdimage::image &hdr);
    // The C function of the same name: gain_map.h.
    sdimage::image image() const noexcept;
};

// An editable copy of the properties of an image. Class: single-owner.
class metadata : public detail::owned<sdimage_metadata, sdimage_metadata_unref>,
                 public detail::metadata_getters<metadata> {
public:
    using owned::owned;
    // The C functions of the same names: metadata.h.
    metadata &set_scale(double scale) &noexcept { return sdimage_metadata_set_scale(get(), scale), *this; }
    metadata &&set_scale(double scale) &&noexcept { return std::move(set_scale(scale)); }
    metadata &set_format(sdimage::format value) &noexcept {
        return sdimage_metadata_set_format(get(), detail::c(value)), *this;
    }
    metadata &&set_format(sdimage::format value) &&noexcept { return std::move(set_format(value)); }
    metadata &set_orientation(sdimage::orientation value) &noexcept {
        return sdimage_metadata_set_orientation(get(), detail::c(value)), *this;
    }
    metadata &&set_orientation(sdimage::orientation value) &&noexcept { return std::move(set_orientation(value)); }
    metadata &set_color_profile(const data &profile) &noexcept {
        return sdimage_metadata_set_color_profile(get(), profile.get()), *this;
    }
    metadata &&set_color_profile(const data &profile) &&noexcept { return std::move(set_color_profile(profile)); }
    metadata &set_cicp(std::uint32_t primaries, std::uint32_t transfer, std::uint32_t matrix,
                       bool full_range) &noexcept {
        return sdimage_metadata_set_cicp(get(), primaries, transfer, matrix, full_range), *this;
    }
    metadata &&set_cicp(std::uint32_t primaries, std::uint32_t transfer, std::uint32_t matrix,
                        bool full_range) &&noexcept {
        return std::move(set_cicp(primaries, transfer, matrix, full_range));
    }
    metadata &set_exif(const data &value) &noexcept { return sdimage_metadata_set_exif(get(), value.get()), *this; }
    metadata &&set_exif(const data &value) &&noexcept { return std::move(set_exif(value)); }
    metadata &set_xmp(const data &value) &noexcept { return sdimage_metadata_set_xmp(get(), value.get()), *this; }
    metadata &&set_xmp(const data &value) &&noexcept { return std::move(set_xmp(value)); }
    metadata &set_memory_cost(std::size_t bytes) &noexcept {
        return sdimage_metadata_set_memory_cost(get(), bytes), *this;
    }
    metadata &&set_memory_cost(std::size_t bytes) &&noexcept { return std::move(set_memory_cost(bytes)); }
    metadata &set_source_size(std::uint32_t width, std::uint32_t height) &noexcept {
        return sdimage_metadata_set_source_size(get(), width, height), *this;
    }
    metadata &&set_source_size(std::uint32_t width, std::uint32_t height) &&noexcept {
        return std::move(set_source_size(width, height));
    }
    metadata &set_has_alpha(bool has_alpha) &noexcept {
        return sdimage_metadata_set_has_alpha(get(), has_alpha), *this;
    }
    metadata &&set_has_alpha(bool has_alpha) &&noexcept { return std::move(set_has_alpha(has_alpha)); }
    metadata &set_frame_count(std::uint32_t count) &noexcept {
        return sdimage_metadata_set_frame_count(get(), count), *this;
    }
    metadata &&set_frame_count(std::uint32_t count) &&noexcept { return std::move(set_frame_count(count)); }
    metadata &set_loop_count(std::uint32_t count) &noexcept {
        return sdimage_metadata_set_loop_count(get(), count), *this;
    }
    metadata &&set_loop_count(std::uint32_t count) &&noexcept { return std::move(set_loop_count(count)); }
    metadata &set_duration_ms(std::uint64_t milliseconds) &noexcept {
        return sdimage_metadata_set_duration_ms(get(), milliseconds), *this;
    }
    metadata &&set_duration_ms(std::uint64_t milliseconds) &&noexcept {
        return std::move(set_duration_ms(milliseconds));
    }
    metadata &set_bits_per_channel(std::uint32_t bits) &noexcept {
        return sdimage_metadata_set_bits_per_channel(get(), bits), *this;
    }
    metadata &&set_bits_per_channel(std::uint32_t bits) &&noexcept { return std::move(set_bits_per_channel(bits)); }
    metadata &set_channels(std::uint32_t channels) &noexcept {
        return sdimage_metadata_set_channels(get(), channels), *this;
    }
    metadata &&set_channels(std::uint32_t channels) &&noexcept { return std::move(set_channels(channels)); }
    metadata &set_progressive(bool is_progressive) &noexcept {
        return sdimage_metadata_set_progressive(get(), is_progressive), *this;
    }
    metadata &&set_progressive(bool is_progressive) &&noexcept { return std::move(set_progressive(is_progressive)); }
    metadata &set_extended_data(const data &value) &noexcept {
        return sdimage_metadata_set_extended_data(get(), value.get()), *this;
    }
    metadata &&set_extended_data(const data &value) &&noexcept { return std::move(set_extended_data(value)); }
    // An empty map removes the gain map.
    metadata &set_gain_map(const sdimage::gain_map &map) &noexcept {
        return sdimage_metadata_set_gain_map(get(), map.get()), *this;
    }
    metadata &&set_gain_map(const sdimage::gain_map &map) &&noexcept { return std::move(set_gain_map(map)); }
    sdimage::gain_map gain_map() const noexcept { return retain<sdimage::gain_map>(sdimage_metadata_gain_map(get())); }
};

// An image in memory of the library whose pixels are not written yet, for coders: see image::uninitialized.
struct unwritten_image;

// Class: immutable. Pixels are valid while a handle of the image exists, whatever caches do.
class image : public detail::shared<sdimage_image, sdimage_image_ref, sdimage_image_unref>,
              public detail::image_getters<image> {
public:
    using shared::shared;
    // Copies rows that are `stride` bytes apart.
    image(std::uint32_t width, std::uint32_t height, std::size_t stride, sdimage::pixel_format pixels_are,
          const void *pixels)
        : image(detail::make<image>(sdimage_image_new, width, height, stride, detail::c(pixels_are), pixels)) {}

    // Takes over pixels without a copy; they stay valid and unchanged until `owner` is destroyed.
    template <class Owner>
    static image adopt(std::uint32_t width, std::uint32_t height, std::size_t stride, sdimage::pixel_format pixels_are,
                       void *pixels, Owner owner) {
        return detail::make<image>(sdimage_image_new_adopting, width, height, stride, detail::c(pixels_are), pixels,
                                   static_cast<void *>(detail::boxed(std::move(owner)).release()),
                                   &detail::destroyed<Owner>);
    }
    // Pooled memory that the caller writes before passing the image on.
    static unwritten_image uninitialized(std::uint32_t width, std::uint32_t height, sdimage::pixel_format pixels_are);
    // An animation of images of one size; `durations_ms` has one number per frame. A loop count of 0 repeats forever.
    static image animation(span<const image> frames, span<const std::uint32_t> durations_ms,
                           std::uint32_t loop_count = 0) {
        if (frames.size() != durations_ms.size())
            throw error(status::invalid_argument, "animation: numbers of frames and durations differ");
        std::vector<sdimage_image *> pointers;
        for (const image &frame : frames)
            pointers.push_back(frame.get());
        return detail::make<image>(sdimage_image_new_animation, pointers.data(), durations_ms.data(), pointers.size(),
                                   loop_count);
    }

    // The C functions of the same names: image.h, metadata.h and transform.h.
    void preload_frames() const { detail::run(sdimage_image_preload_frames, get()); }
    void unload_frames() const noexcept { sdimage_image_unload_frames(get()); }
    bool has_all_frames() const noexcept { return sdimage_image_has_all_frames(get()); }
    std::uint32_t width() const noexcept { return sdimage_image_width(get()); }
    std::uint32_t height() const noexcept { return sdimage_image_height(get()); }
    std::size_t stride() const noexcept { return sdimage_image_stride(get()); }
    sdimage::pixel_format pixel_format() const noexcept {
        return static_cast<sdimage::pixel_format>(sdimage_image_pixel_format(get()));
    }
    sdimage::format format() const noexcept { return static_cast<sdimage::format>(sdimage_image_format(get())); }
    bool has_alpha() const noexcept { return sdimage_image_has_alpha(get()); }
    double scale() const noexcept { return sdimage_image_scale(get()); }
    sdimage::orientation orientation() const noexcept {
        return static_cast<sdimage::orientation>(sdimage_image_orientation(get()));
    }
    size source_size() const noexcept { return sdimage_image_source_size(get()); }
    std::uint32_t frame_count() const noexcept { return sdimage_image_frame_count(get()); }
    std::uint32_t loop_count() const noexcept { return sdimage_image_loop_count(get()); }
    std::uint64_t duration_ms() const noexcept { return sdimage_image_duration_ms(get()); }
    image frame(std::uint32_t index) const { return detail::make<image>(sdimage_image_get_frame, get(), index); }
    std::uint32_t frame_duration_ms(std::uint32_t index) const noexcept {
        return sdimage_image_frame_duration_ms(get(), index);
    }
    bool is_incremental() const noexcept { return sdimage_image_is_incremental(get()); }
    bool is_damaged() const noexcept { return sdimage_image_is_damaged(get()); }
    bool is_transformed() const noexcept { return sdimage_image_is_transformed(get()); }
    std::uint64_t consumed_bytes() const noexcept { return sdimage_image_consumed_bytes(get()); }
    bool is_animated() const noexcept { return sdimage_image_is_animated(get()); }
    bool is_thumbnail() const noexcept { return sdimage_image_is_thumbnail(get()); }
    std::size_t memory_cost() const noexcept { return sdimage_image_memory_cost(get()); }
    data color_profile() const noexcept { return retain<data>(sdimage_image_color_profile(get())); }
    std::uint32_t color_primaries() const noexcept { return sdimage_image_color_primaries(get()); }
    std::uint32_t transfer_characteristics() const noexcept { return sdimage_image_transfer_characteristics(get()); }
    bool is_hdr() const noexcept { return sdimage_image_is_hdr(get()); }
    data extended_data() const noexcept { return retain<data>(sdimage_image_extended_data(get())); }
    image convert(sdimage::pixel_format value) const {
        return detail::make<image>(sdimage_image_convert, get(), detail::c(value));
    }
    bool is_vector() const noexcept { return sdimage_image_is_vector(get()); }
    image render(std::uint32_t width, std::uint32_t height) const {
        return detail::make<image>(sdimage_image_render, get(), width, height);
    }
    sdimage::metadata metadata() const { return detail::make<sdimage::metadata>(sdimage_image_copy_metadata, get()); }
    image with_metadata(const sdimage::metadata &value) const {
        return detail::make<image>(sdimage_image_with_metadata, get(), value.get());
    }

    // Rows from top to bottom, stride() bytes apart, without a copy; the last row ends with its last pixel.
    bytes_view pixels() const noexcept {
        const std::size_t rows = height();
        return {sdimage_image_pixels(get()), rows == 0 ? 0 : (rows - 1) * stride() + row_bytes()};
    }
    // The pixels of one row; empty below the last.
    bytes_view row(std::uint32_t y) const noexcept {
        if (y >= height()) return {};
        return {static_cast<const std::uint8_t *>(sdimage_image_pixels(get())) + y * stride(), row_bytes()};
    }
    std::size_t row_bytes() const noexcept { return width() * bytes_of(pixel_format()); }

    // The straight (unpremultiplied) color of a pixel.
    sdimage::color color_at(std::uint32_t x, std::uint32_t y) const {
        sdimage::color found{};
        sdimage_error *why = nullptr;
        const sdimage_status said = sdimage_image_color_at(get(), x, y, &found, &why);
        if (said < 0) throw error(detail::taken(said, why));
        return found;
    }
    // The straight colors of a rectangle of the bitmap, row by row.
    std::vector<sdimage::color> colors_in(std::uint32_t x, std::uint32_t y, std::uint32_t width_in,
                                          std::uint32_t height_in) const {
        // A rectangle that is larger than the bitmap is refused, and takes no memory.
        const bool fits = width_in <= width() && height_in <= height();
        std::vector<sdimage::color> found(fits ? std::size_t(width_in) * height_in : 0);
        detail::run(sdimage_image_colors_in, get(), x, y, width_in, height_in, found.data(), found.size());
        return found;
    }
    // The same image, or a smaller one whose frames take at most `bytes` bytes together.
    image limit_bytes(std::size_t bytes) const { return detail::make<image>(sdimage_image_limit_bytes, get(), bytes); }

    // Each function creates the transformer of its name and applies it once; transformer.hpp describes the parameters.
    image resize(double width, double height, scale_mode mode = scale_mode::fill) const {
        return detail::make<image>(sdimage_image_resize, get(), width, height, detail::c(mode));
    }
    // The following functions are defined in transformer.hpp.
    image crop(rect part) const;
    image flip(bool horizontal, bool vertical) const;
    image rotate(double radians, bool fit_size = true) const;
    image round_corner(double radius, sdimage::corners corners = corners::all, double border_width = 0,
                       std::optional<sdimage::color> border_color = {}) const;
    image round_corner_fraction(double fraction, sdimage::corners corners = corners::all, double border_width = 0,
                                std::optional<sdimage::color> border_color = {}) const;
    image tint(sdimage::color value, blend_mode mode = blend_mode::source_in) const;
    image blur(double radius) const;
    image filter(std::string_view name, const options &parameters = nullptr) const;
    // Transform the first frame, or every frame.
    image transform(const transformer &change) const;
    image transform_frames(const transformer &change) const;
    outcome<image> try_transform(const transformer &change) const noexcept;
    outcome<image> try_convert(sdimage::pixel_format wanted) const noexcept {
        return detail::attempt<image>(sdimage_image_convert, get(), detail::c(wanted));
    }
};

inline gain_map::gain_map(const sdimage::image &samples, bytes_view parameters)
    : gain_map(detail::make<gain_map>(sdimage_gain_map_new, samples.get(), parameters.data(), parameters.size())) {}
inline gain_map gain_map::apple(const sdimage::image &samples, bytes_view exif) {
    return detail::make<gain_map>(sdimage_gain_map_new_apple, samples.get(), exif.data(), exif.size());
}
inline gain_map gain_map::between(const sdimage::image &sdr, const sdimage::image &hdr) {
    return detail::make<gain_map>(sdimage_gain_map_new_between, sdr.get(), hdr.get());
}
inline image gain_map::image() const noexcept {
    return retain<sdimage::image>(sdimage_gain_map_image(get()));
}

struct unwritten_image {
    sdimage::image image;
    std::uint8_t *pixels; // rows stride bytes apart, 64-byte aligned; undefined until written
    std::size_t stride;
};

inline unwritten_image image::uninitialized(std::uint32_t width, std::uint32_t height,
                                            sdimage::pixel_format pixels_are) {
    void *pixels = nullptr;
    std::size_t stride = 0;
    sdimage_image *object = nullptr;
    detail::run(sdimage_image_new_uninitialized, width, height, detail::c(pixels_are), &object, &pixels, &stride);
    return {image(object), static_cast<std::uint8_t *>(pixels), stride};
}

// --- Images encoded in a few bytes (placeholder.h).

inline std::string blurhash(const image &picture, std::uint32_t x_components = 4, std::uint32_t y_components = 3) {
    return std::string(detail::make<data>(sdimage_blurhash_encode, picture.get(), x_components, y_components).text());
}
inline image blurhash_decode(std::string_view text, std::uint32_t width, std::uint32_t height, double punch = 1) {
    return detail::make<image>(sdimage_blurhash_decode, text.data(), text.size(), width, height, punch);
}
inline data thumbhash(const image &picture) {
    return detail::make<data>(sdimage_thumbhash_encode, picture.get());
}
inline image thumbhash_decode(bytes_view hash) {
    return detail::make<image>(sdimage_thumbhash_decode, hash.data(), hash.size());
}

} // namespace sdimage

#endif
