// plugins.hpp: coders of further formats, loaded by one call. For a plug-in that the program links: plugins/coders.hpp.
#ifndef SDIMAGE_PLUGINS_HPP
#define SDIMAGE_PLUGINS_HPP

#include <vector>

#include "error.hpp"

namespace sdimage {

// A coder plug-in, installed or not. Static data is copied.
struct plugin {
    std::string name;    // "tiff"
    std::string path;    // the file, existing or not
    std::string library; // "libtiff 4.5.0"; only the name while it is not loaded
    failure why;         // empty when it is loaded; NOT_FOUND when it is not installed; MODULE_MISSING
};

namespace detail {
class plugin_list : public shared<sdimage_plugin_list, sdimage_plugin_list_ref, sdimage_plugin_list_unref> {
public:
    using shared::shared;
};
} // namespace detail

// Opens each installed coder plug-in and registers its coder; returns the outcome of each.
inline std::vector<plugin> load_plugins() {
    const auto list = detail::make<detail::plugin_list>(sdimage_plugins_load_all);
    std::vector<plugin> all;
    for (std::size_t i = 0; i < sdimage_plugin_list_count(list.get()); i++) {
        all.push_back({std::string(detail::view(sdimage_plugin_list_name(list.get(), i))),
                       std::string(detail::view(sdimage_plugin_list_path(list.get(), i))),
                       std::string(detail::view(sdimage_plugin_list_library(list.get(), i))),
                       retain<failure>(sdimage_plugin_list_error(list.get(), i))});
    }
    return all;
}

} // namespace sdimage

#endif
