/* sdimage.h: libsdimage, from a URL to pixels on screen.
 *
 * Load an image and wait for it:
 *
 *   sdimage_manager *manager = NULL;
 *   sdimage_result *result = NULL;
 *   sdimage_error *error = NULL;
 *   sdimage_request *request = sdimage_request_new("https://example.org/cat.jpg");
 *   sdimage_request_set_thumbnail_size(request, 256, 256, SDIMAGE_SCALE_MODE_ASPECT_FIT);
 *   if (sdimage_manager_new(NULL, &manager, &error) >= 0 &&
 *       sdimage_manager_load_sync(manager, request, &result, &error) >= 0)
 *       show(sdimage_result_image(result));
 *   sdimage_error_unref(error);
 *   sdimage_result_unref(result);
 *   sdimage_request_unref(request);
 *   sdimage_manager_unref(manager);
 *
 * The headers, which this one includes:
 *
 *   Basics      base.h        conventions, object types, version
 *               error.h       status codes and errors
 *               data.h        bytes by reference
 *               options.h     named values for hooks, coders and plug-ins
 *
 *   Images      image.h       pixels and their properties
 *               metadata.h    header information; editable properties
 *               gain_map.h    gain maps of HDR images
 *               decode.h      decoding: whole, progressive, frame by frame
 *               encode.h      encoding
 *               coder.h       registered coders, plug-ins
 *               isolation.h   decoding in worker processes
 *               transform.h   resizing, cropping, filters
 *               placeholder.h BlurHash and ThumbHash
 *
 *   Loading     manager.h     loads images from URLs
 *               request.h     the image to load, and how
 *               task.h        loads in progress and their results
 *               loader.h      loaders and chains of them
 *               downloader.h  HTTP
 *               hooks.h       functions of the host in loads and downloads
 *               dispatcher.h  threads of callbacks
 *               prefetcher.h  many images: in advance, or into one array
 *
 *   Caching     cache.h       memory and disk caches, chains of caches
 *               disk_cache.h  limits, lists and verification of the disk part
 *
 *   Display     target.h      the image of a widget
 *               animated_view.h  an image, animated or not, in a widget
 *               player.h      playback of animations
 *               resources.h   a program's own images by name
 *
 *   Operation   diagnostics.h messages, metrics, versions, memory
 *
 * Programs that implement coders, loaders, caches and other parts include sdimage/sys.h too. */
#ifndef SDIMAGE_H
#define SDIMAGE_H

#include "sdimage/animated_view.h"
#include "sdimage/base.h"
#include "sdimage/cache.h"
#include "sdimage/coder.h"
#include "sdimage/data.h"
#include "sdimage/decode.h"
#include "sdimage/diagnostics.h"
#include "sdimage/disk_cache.h"
#include "sdimage/dispatcher.h"
#include "sdimage/downloader.h"
#include "sdimage/encode.h"
#include "sdimage/error.h"
#include "sdimage/gain_map.h"
#include "sdimage/hooks.h"
#include "sdimage/image.h"
#include "sdimage/isolation.h"
#include "sdimage/loader.h"
#include "sdimage/manager.h"
#include "sdimage/metadata.h"
#include "sdimage/options.h"
#include "sdimage/placeholder.h"
#include "sdimage/player.h"
#include "sdimage/prefetcher.h"
#include "sdimage/request.h"
#include "sdimage/resources.h"
#include "sdimage/target.h"
#include "sdimage/task.h"
#include "sdimage/transform.h"

#endif
