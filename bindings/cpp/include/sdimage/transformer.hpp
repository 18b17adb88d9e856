// transformer.hpp: transformers and filters of the library or of the program.
#ifndef SDIMAGE_TRANSFORMER_HPP
#define SDIMAGE_TRANSFORMER_HPP

#include "image.hpp"

namespace sdimage {

// Class: immutable. Lengths are in points.
class transformer : public detail::shared<sdimage_transformer, sdimage_transformer_ref, sdimage_transformer_unref> {
public:
    using shared::shared;

    static transformer resize(double width, double height, scale_mode mode = scale_mode::fill) {
        return detail::make<transformer>(sdimage_transformer_new_resize, width, height, detail::c(mode));
    }
    static transformer resample(double width, double height, scale_mode mode, resampling weights,
                                bool linear_light = false) {
        return detail::make<transformer>(sdimage_transformer_new_resample, width, height, detail::c(mode),
                                         detail::c(weights), linear_light);
    }
    static transformer crop(rect part) { return detail::make<transformer>(sdimage_transformer_new_crop, part); }
    static transformer round_corner(double radius, sdimage::corners corners = corners::all, double border_width = 0,
                                    std::optional<color> border_color = {}) {
        return detail::make<transformer>(sdimage_transformer_new_round_corner, radius,
                                         static_cast<std::uint64_t>(corners), border_width,
                                         border_color ? &*border_color : nullptr);
    }
    static transformer round_corner_fraction(double fraction, sdimage::corners corners = corners::all,
                                             double border_width = 0, std::optional<color> border_color = {}) {
        return detail::make<transformer>(sdimage_transformer_new_round_corner_fraction, fraction,
                                         static_cast<std::uint64_t>(corners), border_width,
                                         border_color ? &*border_color : nullptr);
    }
    static transformer flip(bool horizontal, bool vertical) {
        return detail::make<transformer>(sdimage_transformer_new_flip, horizontal, vertical);
    }
    static transformer rotate(double radians, bool fit_size = true) {
        return detail::make<transformer>(sdimage_transformer_new_rotate, radians, fit_size);
    }
    static transformer tint(color tint, blend_mode mode = blend_mode::source_in) {
        return detail::make<transformer>(sdimage_transformer_new_tint, tint, detail::c(mode));
    }
    static transformer blur(double radius) { return detail::make<transformer>(sdimage_transformer_new_blur, radius); }
    static transformer filter(std::string_view name, const options &parameters = nullptr) {
        return detail::make<transformer>(sdimage_transformer_new_filter, detail::text(name), parameters.get());
    }
    static transformer pipeline(span<const transformer> steps) {
        std::vector<sdimage_transformer *> pointers;
        for (const transformer &step : steps)
            pointers.push_back(step.get());
        return detail::make<transformer>(sdimage_transformer_new_pipeline, pointers.data(), pointers.size());
    }

    std::string_view key() const &noexcept { return detail::view(sdimage_transformer_key(get())); }
    std::string key() && { return std::string(detail::view(sdimage_transformer_key(get()))); }
    bool should_preserve_metadata() const noexcept { return sdimage_transformer_should_preserve_metadata(get()); }
};

inline image image::transform(const transformer &change) const {
    return detail::make<image>(sdimage_image_transform, get(), change.get());
}
inline image image::transform_frames(const transformer &change) const {
    return detail::make<image>(sdimage_image_transform_frames, get(), change.get());
}
inline outcome<image> image::try_transform(const transformer &change) const noexcept {
    return detail::attempt<image>(sdimage_image_transform, get(), change.get());
}
inline image image::crop(rect part) const {
    return transform(transformer::crop(part));
}
inline image image::flip(bool horizontal, bool vertical) const {
    return transform(transformer::flip(horizontal, vertical));
}
inline image image::rotate(double radians, bool fit_size) const {
    return transform(transformer::rotate(radians, fit_size));
}
inline image image::round_corner(double radius, sdimage::corners corners, double border_width,
                                 std::optional<sdimage::color> border_color) const {
    return transform(transformer::round_corner(radius, corners, border_width, border_color));
}
inline image image::tint(sdimage::color value, blend_mode mode) const {
    return transform(transformer::tint(value, mode));
}
inline image image::blur(double radius) const {
    return transform(transformer::blur(radius));
}
inline image image::filter(std::string_view name, const options &parameters) const {
    return transform(transformer::filter(name, parameters));
}

// The names of all filters; and the description and parameters of one filter, as JSON.
inline std::vector<std::string_view> filter_names() {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < sdimage_filter_count(); i++)
        names.emplace_back(sdimage_filter_name(i));
    return names;
}
inline std::string filter_describe(std::string_view name) {
    return std::string(detail::make<data>(sdimage_filter_to_json, sdimage_filter_index(detail::text(name))).text());
}

// Lengths are in points and angles in radians.
struct filter_parameter {
    std::string_view name;
    double initial; // the value of a parameter that is not given
    double minimum;
    double maximum;
};

// The description of a filter; the texts are static.
struct filter_description {
    std::string_view name;
    std::vector<std::string_view> aliases;
    std::string_view summary;
    bool is_linear; // computes in linear light
    std::vector<filter_parameter> parameters;
};

// The filter with a name or alias; none for an unknown one.
inline std::optional<filter_description> filter_named(std::string_view name) {
    const std::size_t index = sdimage_filter_index(detail::text(name));
    if (index == SIZE_MAX) return std::nullopt;
    filter_description found{
        sdimage_filter_name(index), {}, sdimage_filter_summary(index), sdimage_filter_is_linear(index), {}};
    for (std::size_t i = 0; i < sdimage_filter_alias_count(index); i++)
        found.aliases.emplace_back(sdimage_filter_alias(index, i));
    for (std::size_t i = 0; i < sdimage_filter_parameter_count(index); i++)
        found.parameters.push_back({sdimage_filter_parameter_name(index, i), sdimage_filter_parameter_default(index, i),
                                    sdimage_filter_parameter_minimum(index, i),
                                    sdimage_filter_parameter_maximum(index, i)});
    return found;
}

// --- Custom transformers.

// Base class for make_transformer; called on worker threads, on several at once.
class custom_transformer {
public:
    virtual ~custom_transformer() = default;
    // Returns a new image, or the same one if nothing changes. `cache_key` is empty outside a load.
    virtual image transform(const image &picture, std::string_view cache_key) = 0;
    // Reports whether the result takes over format, extended data and the like.
    virtual bool should_preserve_metadata() { return true; }
};

// A transformer backed by an object of T, which is constructed here from `arguments`. `key` must identify the
// transformation and its parameters uniquely.
template <class T, class... A> transformer make_transformer(std::string_view key, A &&...arguments) {
    static_assert(std::is_base_of_v<custom_transformer, T>);
    auto table = detail::empty_table<sdimage_transformer_vtable>();
    table.transform = [](void *self, const sdimage_image *picture, const char *cache_key, std::size_t length,
                         sdimage_image **result, sdimage_error **why) {
        return detail::answered(why, [&] {
            const detail::lent<image> lent(picture);
            *result = detail::state<T>(self).transform(*lent, {cache_key ? cache_key : "", length}).release();
        });
    };
    table.should_preserve_metadata = [](void *self) {
        return detail::guarded(true, [&] { return detail::state<T>(self).should_preserve_metadata(); });
    };
    const detail::text called(key);
    return detail::handed_over<transformer>(std::make_unique<T>(std::forward<A>(arguments)...),
                                            sdimage_transformer_new_custom, called.get(), &table);
}

namespace detail {
template <class F> class lambda_transformer final : public custom_transformer {
public:
    explicit lambda_transformer(F change) : change_(std::move(change)) {}
    image transform(const image &picture, std::string_view) override { return change_(picture); }

private:
    F change_;
};
} // namespace detail

// The same from a lambda: image(const image &).
template <class F> transformer transformer_of(std::string_view key, F change) {
    return make_transformer<detail::lambda_transformer<F>>(key, std::move(change));
}

} // namespace sdimage

#endif
