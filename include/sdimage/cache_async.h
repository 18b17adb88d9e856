/* cache_async.h: non-blocking variants of the functions of cache.h that block on the disk.
 *
 * For every kind of cache. Errors in the arguments are returned, without a callback. Everything else is reported by the
 * callback, once, on the library's callback thread; its arguments are borrowed for the call.
 * `destroy(user_data)` is called once, after the callback, also when the call fails. The handler may be NULL. On a
 * built-in cache stores of bytes, removals and look-ups take effect in the order of the calls; an image without bytes
 * is stored after its encoding. */
#ifndef SDIMAGE_CACHE_ASYNC_H
#define SDIMAGE_CACHE_ASYNC_H

#include "base.h"
#include "cache.h"
#include "data.h"
#include "encoder.h"
#include "error.h"
#include "image.h"
#include "manager.h"
#include "request.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The callbacks of an operation; an operation calls the one that its description names. Each may be NULL. */
typedef struct sdimage_cache_handler {
    size_t size;
    /* Reports that a change has completed; `error` is NULL on success. */
    void (*completed)(void *user_data, sdimage_error *error);
    /* Receives the bytes of an entry; `data` is NULL when there is none, or with an error. */
    void (*data)(void *user_data, sdimage_data *data, sdimage_error *error);
    /* Receives the layers that hold an entry; `error` is NULL on success. */
    void (*layers)(void *user_data, sdimage_cache_layers layers, sdimage_error *error);
    /* Receives the number of bytes and entries on disk; `error` is NULL on success. */
    void (*disk_totals)(void *user_data, uint64_t bytes, uint64_t count, sdimage_error *error);
} sdimage_cache_handler;

/* Looks up the image of a request in this cache alone, like sdimage_manager_load: with thumbnail size, layers,
 * dispatcher, cancellation, and everything of request.h but loaders and transformers. The URL is only a key: any text.
 * The FINAL of a miss has neither image nor error.
 *
 * The table shows which calls return bytes (sdimage_result_data), and when, for a request of the image as stored:
 *
 *   include_data    blocking_reads         in memory               on disk only
 *   false           NONE or MEMORY_DATA    no bytes                later
 *   false           DISK or ALL            no bytes                before this returns
 *   true            NONE                   later                   later
 *   true            MEMORY_DATA            before this returns     later
 *   true            DISK                   later                   before this returns
 *   true            ALL                    before this returns     before this returns
 *
 * "Before this returns" is the time when the task has its result; an immediate dispatcher, or one of this thread, also
 * delivers it then. */
SDIMAGE_API sdimage_status sdimage_cache_load(sdimage_cache *cache, const sdimage_request *request,
                                              const sdimage_load_handler *handler, void *user_data,
                                              sdimage_destroy_fn destroy, sdimage_task **task, sdimage_error **error);

/* Reads the bytes of an entry and calls `data`. A missing entry is no error. */
SDIMAGE_API sdimage_status sdimage_cache_get_data_async(sdimage_cache *cache, const void *key, size_t length,
                                                    const sdimage_cache_handler *handler, void *user_data,
                                                    sdimage_destroy_fn destroy, sdimage_error **error);

/* Finds the layers that hold an entry and calls `layers`; if memory holds it, the disk is not checked. */
SDIMAGE_API sdimage_status sdimage_cache_contains_async(sdimage_cache *cache, const void *key, size_t length,
                                                        const sdimage_cache_handler *handler, void *user_data,
                                                        sdimage_destroy_fn destroy, sdimage_error **error);

/* Stores an image. Memory holds it before this returns; encoding and committing follow, and then `completed`. If
 * bytes are given, a look-up after this returned finds them. */
SDIMAGE_API sdimage_status sdimage_cache_store_async(sdimage_cache *cache, const void *key, size_t length,
                                                     sdimage_image *image, sdimage_data *data,
                                                     sdimage_cache_layers layers, const sdimage_encode_options *options,
                                                     const sdimage_cache_handler *handler, void *user_data,
                                                     sdimage_destroy_fn destroy, sdimage_error **error);

/* Stores bytes without an image and calls `completed`. */
SDIMAGE_API sdimage_status sdimage_cache_store_data_async(sdimage_cache *cache, const void *key, size_t length,
                                                          sdimage_data *data, const sdimage_cache_handler *handler,
                                                          void *user_data, sdimage_destroy_fn destroy,
                                                          sdimage_error **error);

/* Removes an entry from the given layers (sdimage_cache_remove) and calls `completed`. Removing a missing entry is no error. */
SDIMAGE_API sdimage_status sdimage_cache_remove_async(sdimage_cache *cache, const void *key, size_t length,
                                                      sdimage_cache_layers layers, const sdimage_cache_handler *handler,
                                                      void *user_data, sdimage_destroy_fn destroy,
                                                      sdimage_error **error);
/* Removes everything from the given layers (sdimage_cache_clear) and calls `completed`. UNSUPPORTED if a part of the cache cannot be
 * cleared. */
SDIMAGE_API sdimage_status sdimage_cache_clear_async(sdimage_cache *cache, sdimage_cache_layers layers,
                                                     const sdimage_cache_handler *handler, void *user_data,
                                                     sdimage_destroy_fn destroy, sdimage_error **error);
/* Removes expired entries (sdimage_cache_remove_expired) and calls `completed`. UNSUPPORTED except for a built-in cache with a disk part. */
SDIMAGE_API sdimage_status sdimage_cache_remove_expired_async(sdimage_cache *cache, const sdimage_cache_handler *handler,
                                                              void *user_data, sdimage_destroy_fn destroy,
                                                              sdimage_error **error);
/* Counts the bytes and entries on disk (sdimage_cache_get_disk_totals) and calls `disk_totals`. UNSUPPORTED except for a built-in cache with a disk
 * part. */
SDIMAGE_API sdimage_status sdimage_cache_get_disk_totals_async(sdimage_cache *cache, const sdimage_cache_handler *handler,
                                                           void *user_data, sdimage_destroy_fn destroy,
                                                           sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
