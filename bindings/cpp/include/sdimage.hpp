// sdimage.hpp: libsdimage for C++17: from a URL to pixels on screen.
//
//   #include <sdimage.hpp>
//
//   auto loads = sdimage::manager::create();
//   auto picture = loads.load(sdimage::request(url).set_thumbnail_size(256, 256)).image();
//   for (std::uint32_t y = 0; y < picture.height(); y++) draw(picture.row(y));
//
// Header-only; built on the C API. Contents:
//
//   sdimage/handle.hpp     ownership              sdimage/manager.hpp      loading; futures; the process
//   sdimage/error.hpp      exceptions, outcomes   sdimage/request.hpp      load parameters
//   sdimage/callback.hpp   lambdas as callbacks   sdimage/result.hpp       results of loads
//   sdimage/image.hpp      pixels                 sdimage/task.hpp         cancelling; dispatchers, events
//   sdimage/codec.hpp      decoding, encoding     sdimage/cache.hpp        caches; custom ones: custom_cache.hpp
//   sdimage/coder.hpp      custom coders          sdimage/loader.hpp       loaders; custom ones: custom_loader.hpp
//   sdimage/transformer.hpp  transforms, filters  sdimage/downloader.hpp   http; hooks.hpp, transport.hpp
//   sdimage/animation.hpp  frames                 sdimage/prefetcher.hpp   loading ahead
//   sdimage/player.hpp     animation playback     sdimage/target.hpp       images for widgets
//   sdimage/plugins.hpp    further formats        sdimage/batch.hpp        many images in one array
//   sdimage/resources.hpp  images of the program by name
//
// Not included here, because their functions are in separate libraries: sdimage/plugins/coders.hpp, remote.hpp,
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
