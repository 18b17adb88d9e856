// resources.hpp: images of the program by name.
//
//   auto icons = resources::create("/usr/share/paint/icons");
//   icons.set_scales({2, 3, 1});
//   draw(icons.image("tools/brush"));
#ifndef SDIMAGE_RESOURCES_HPP
#define SDIMAGE_RESOURCES_HPP

#include <initializer_list>

#include "codec.hpp"

namespace sdimage {

// The images below a folder. Class: synchronized.
class resources : public detail::shared<sdimage_resources, sdimage_resources_ref, sdimage_resources_unref> {
public:
    using shared::shared;
    // The folder must exist. The options say how to decode; empty ones mean the defaults.
    static resources create(std::string_view folder, const decode_options &how = nullptr) {
        return detail::make<resources>(sdimage_resources_new, detail::text(folder), how.get());
    }

    // Pixels per point, preferred scale first.
    void set_scales(span<const double> scales) const {
        detail::run(sdimage_resources_set_scales, get(), scales.data(), scales.size());
    }
    void set_scales(std::initializer_list<double> scales) const {
        set_scales(span<const double>(scales.begin(), scales.size()));
    }
    std::vector<double> scales() const {
        std::vector<double> found(sdimage_resources_get_scales(get(), nullptr, 0));
        const std::size_t count = sdimage_resources_get_scales(get(), found.data(), found.size());
        // Another thread may have set others between the calls.
        if (count < found.size()) found.resize(count);
        return found;
    }
    // The image of a name. The try_ form reports NOT_FOUND when there is none. Returns the same object until it is
    // forgotten.
    sdimage::image image(std::string_view name) const {
        // C would read only the part before the NUL as the name.
        if (name.find('\0') != name.npos) throw error(status::invalid_argument, "resources: name contains a NUL");
        return detail::make<sdimage::image>(sdimage_resources_get_image, get(), detail::text(name));
    }
    outcome<sdimage::image> try_image(const char *name) const noexcept {
        return detail::attempt<sdimage::image>(sdimage_resources_get_image, get(), name);
    }
    // Forgets all images.
    void clear() const noexcept { sdimage_resources_clear(get()); }
};

} // namespace sdimage

#endif
