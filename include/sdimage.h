/* sdimage.h: libsdimage, from a URL to pixels on screen.
 *
 * Load a picture and wait for it:
 *
 *   sdimage_manager *manager = NULL;
 *   sdimage_result *result = NULL;
 *   sdimage_error *error = NULL;
 *   sdimage_manager_new(NULL, &manager, &error);
 *   sdimage_request *request = sdimage_request_new("https://example.org/cat.jpg", SDIMAGE_NUL_TERMINATED);
 *   sdimage_request_set_thumbnail_size(request, 256, 256, true);
 *   if (sdimage_manager_load_sync(manager, request, &result, &error) == SDIMAGE_STATUS_OK)
 *       show(sdimage_result_image(result));
 *
 * The headers:
 *
 *   base.h        conventions, object types, version      manager.h     loading; shutting down; doctor
 *   error.h       status codes, errors                    request.h     what can be asked for
 *   data.h        bytes by reference                      result.h      what comes back
 *   image.h       pixels and metadata                     task.h        cancelling, waiting; replies of hooks
 *   coder.h       decoding without loading; own coders    dispatcher.h  where callbacks run; events
 *   decoder.h     growing and moving pictures             loader.h      own loaders; chains
 *   cache.h       memory and disk caches                  downloader.h  http and https
 *   options.h     values for hooks and plug-ins           source.h      bytes read as needed
 *   encoder.h     pixels to bytes                         transformer.h changing pictures
 *   log.h         messages                                placeholder.h BlurHash and ThumbHash
 *   cache_chain.h several caches as one                  disk.h        a cache's disk part in detail
 *   cache_async.h caches without blocking                 hooks.h       a host's say in downloads
 *   transport.h   a host's own HTTP client                load_hooks.h  a host's say in loads
 *   metrics.h     events of loads; numbers                target.h      pictures for widgets
 *   batch.h       many pictures into one array             resources.h   a program's own pictures by name
 *   prefetcher.h  loading ahead
 *   animation.h   frames for players; their budget        player.h      animations in time
 *   animated_view.h  a picture, moving or not, in a widget
 *   cache_entry.h what belongs to an entry                plugins.h     coders of further formats */
#ifndef SDIMAGE_H
#define SDIMAGE_H

#include "sdimage/base.h"
#include "sdimage/error.h"
#include "sdimage/data.h"
#include "sdimage/options.h"
#include "sdimage/image.h"
#include "sdimage/coder.h"
#include "sdimage/decoder.h"
#include "sdimage/encoder.h"
#include "sdimage/resources.h"
#include "sdimage/transformer.h"
#include "sdimage/placeholder.h"
#include "sdimage/source.h"
#include "sdimage/request.h"
#include "sdimage/result.h"
#include "sdimage/task.h"
#include "sdimage/dispatcher.h"
#include "sdimage/loader.h"
#include "sdimage/downloader.h"
#include "sdimage/hooks.h"
#include "sdimage/transport.h"
#include "sdimage/cache_entry.h"
#include "sdimage/cache.h"
#include "sdimage/disk.h"
#include "sdimage/cache_async.h"
#include "sdimage/cache_chain.h"
#include "sdimage/manager.h"
#include "sdimage/prefetcher.h"
#include "sdimage/batch.h"
#include "sdimage/target.h"
#include "sdimage/load_hooks.h"
#include "sdimage/metrics.h"
#include "sdimage/log.h"
#include "sdimage/animation.h"
#include "sdimage/player.h"
#include "sdimage/animated_view.h"
#include "sdimage/plugins.h"

#endif
