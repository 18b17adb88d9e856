// sdimage.hpp: libsdimage for C++17: from a URL to pixels on screen.
//
//   #include <sdimage.hpp>
//
//   auto loads = sdimage::manager::create();
//   auto picture = loads.load(sdimage::request(url).set_thumbnail_size(256, 256)).image();
//   for (std::uint32_t y = 0; y < picture.height(); y++) draw(picture.row(y));
//
// Header-only, on the C API. What to read:
//
//   sdimage/handle.hpp     ownership              sdimage/manager.hpp      loading; futures; the process
//   sdimage/error.hpp      exceptions, outcomes   sdimage/request.hpp      what can be asked for
//   sdimage/callback.hpp   lambdas as callbacks   sdimage/result.hpp       what comes back
//   sdimage/image.hpp      pixels                 sdimage/task.hpp         cancelling; dispatchers, events
//   sdimage/codec.hpp      decoding, encoding     sdimage/cache.hpp        caches; own ones: custom_cache.hpp
//   sdimage/coder.hpp      own coders             sdimage/loader.hpp       loaders; own ones: custom_loader.hpp
//   sdimage/transformer.hpp  changing pictures    sdimage/downloader.hpp   http; hooks.hpp, transport.hpp
//   sdimage/animation.hpp  frames                 sdimage/prefetcher.hpp   loading ahead
//   sdimage/player.hpp     animations in time     sdimage/target.hpp       pictures for widgets
//   sdimage/plugins.hpp    further formats        sdimage/batch.hpp        many pictures in one array
//   sdimage/resources.hpp  a program's own pictures by name
//
// Not included here, because their functions are in libraries of their own: sdimage/plugins/coders.hpp, remote.hpp,
// photos.hpp.
#ifndef SDIMAGE_HPP
#define SDIMAGE_HPP

#include "sdimage/batch.hpp"
#include "sdimage/manager.hpp"
#include "sdimage/plugins.hpp"
#include "sdimage/prefetcher.hpp"
#include "sdimage/resources.hpp"
#include "sdimage/target.hpp"

#endif
