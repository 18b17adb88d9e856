/* handles.h: owning pointers to objects of the library. */
#ifndef SDIMAGE_QT_HANDLES_H
#define SDIMAGE_QT_HANDLES_H

#include <sdimage.h>
#include <sdimage/sys.h>

#include <memory>

namespace sdimage::qt {

template <auto Unref> struct Release {
    template <class T> void operator()(T *object) const { Unref(object); }
};
template <class T, auto Unref> using Owned = std::unique_ptr<T, Release<Unref>>;

using Cache = Owned<sdimage_cache, sdimage_cache_unref>;
using CacheConfig = Owned<sdimage_cache_config, sdimage_cache_config_unref>;
using Dispatcher = Owned<sdimage_dispatcher, sdimage_dispatcher_unref>;
using Failure = Owned<sdimage_error, sdimage_error_unref>;
using Group = Owned<sdimage_prefetch_group, sdimage_prefetch_group_unref>;
using Image = Owned<sdimage_image, sdimage_image_unref>;
using ManagerConfig = Owned<sdimage_manager_config, sdimage_manager_config_unref>;
using Manager = Owned<sdimage_manager, sdimage_manager_unref>;
using Prefetcher = Owned<sdimage_prefetcher, sdimage_prefetcher_unref>;
using Request = Owned<sdimage_request, sdimage_request_unref>;
using Target = Owned<sdimage_target, sdimage_target_unref>;
using TargetOptions = Owned<sdimage_target_options, sdimage_target_options_unref>;
using Task = Owned<sdimage_task, sdimage_task_unref>;
using View = Owned<sdimage_animated_view, sdimage_animated_view_unref>;

/* Receives the object of a function that stores a reference through a pointer: `make(sdimage_cache_new, config)`. Null
 * if the call fails. */
template <class H, class F, class... A> H make(F function, A... arguments) {
    typename H::pointer object = nullptr;
    function(arguments..., &object, nullptr);
    return H(object);
}

} // namespace sdimage::qt

#endif
