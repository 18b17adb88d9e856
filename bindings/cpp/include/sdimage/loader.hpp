// loader.hpp: loaders, which fetch bytes. Custom loaders are in custom_loader.hpp, the built-in one for http in
// downloader.hpp.
#ifndef SDIMAGE_LOADER_HPP
#define SDIMAGE_LOADER_HPP

#include "coder.hpp"
#include "getters.hpp"

namespace sdimage {

class request;
class result;
class task;

// Class: synchronized.
class loader : public detail::shared<sdimage_loader, sdimage_loader_ref, sdimage_loader_unref>,
               public detail::loader_getters<loader> {
public:
    using shared::shared;
    static loader file() { return detail::make<loader>(sdimage_loader_new_file); }
    static loader data_url() { return detail::make<loader>(sdimage_loader_new_data_url); }
    // Each URL goes to the first loader that can load it; the last member is tried first.
    static loader chain(std::initializer_list<loader> members = {}) {
        loader made = detail::make<loader>(sdimage_loader_new_chain);
        for (const loader &member : members)
            made.chain_add(member);
        return made;
    }
    // The C functions of the same names: loader.h.
    std::string_view name() const &noexcept { return detail::view(sdimage_loader_name(get())); }
    std::string name() && { return std::string(detail::view(sdimage_loader_name(get()))); }
    void chain_add(const loader &value) const { detail::run(sdimage_loader_chain_add, get(), value.get()); }
    void chain_remove(const loader &value) const { detail::run(sdimage_loader_chain_remove, get(), value.get()); }
    // Fetches the encoded bytes without cache and decoding: result::data. Blocks; throws a load_error.
    result load(const request &wanted) const;
    // The same without blocking; the callbacks are those of manager::start.
    template <class R, class P = detail::nothing>
    task start(const request &wanted, R on_result, P on_progress = {}) const;
};

} // namespace sdimage

#endif
