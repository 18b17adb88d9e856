/* cache_async.h: the functions of cache.h that block on the disk, without blocking.
 *
 * For every kind of cache. What is wrong with the arguments is returned and nothing is called back; everything else is
 * told by the callback, once, on the library's callback thread, and what it is given is borrowed for the call.
 * `destroy(user_data)` is called once, after the callback, also when the call fails. Callbacks may be NULL. On a
 * built-in cache stores of bytes, removals and look-ups take effect in the order of the calls; a picture without bytes
 * is stored when it is encoded. */
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

/* Something is done; `error` is NULL when all went well. */
typedef void (*sdimage_cache_done_fn)(void *user_data, sdimage_error *error);
/* The bytes of an entry; `data` is NULL when there is none, or with an error. */
typedef void (*sdimage_cache_data_fn)(void *user_data, sdimage_data *data, sdimage_error *error);
/* The layers that hold an entry; `error` is NULL when all went well. */
typedef void (*sdimage_cache_contains_fn)(void *user_data, sdimage_cache_layers layers, sdimage_error *error);
/* Bytes and entries on disk; `error` is NULL when all went well. */
typedef void (*sdimage_cache_totals_fn)(void *user_data, uint64_t bytes, uint64_t count, sdimage_error *error);

/* Looks for the picture of a request in this cache alone, exactly as sdimage_manager_load does: thumbnail size, layers,
 * dispatcher, cancelling, everything of request.h but loaders and transformers. The URL is nothing but a key: any text.
 * The FINAL of a miss has neither picture nor error.
 *
 * Which calls bring bytes (sdimage_result_data), and when, for a request that asks for the picture as it is:
 *
 *   set_wants_data  set_blocking_reads     in memory               on disk only
 *   false           NONE or MEMORY_DATA    no bytes                later
 *   false           DISK or ALL            no bytes                before this returns
 *   true            NONE                   later                   later
 *   true            MEMORY_DATA            before this returns     later
 *   true            DISK                   later                   before this returns
 *   true            ALL                    before this returns     before this returns
 *
 * "Before this returns" is when the task has its result; it is also delivered then where the dispatcher is immediate or
 * of this thread. */
SDIMAGE_API sdimage_status sdimage_cache_load(sdimage_cache *cache, const sdimage_request *request,
                                              const sdimage_load_handler *handler, void *user_data,
                                              sdimage_destroy_fn destroy, sdimage_task **task, sdimage_error **error);

/* The bytes of an entry. Having none is no error. */
SDIMAGE_API sdimage_status sdimage_cache_data_async(sdimage_cache *cache, const void *key, size_t length,
                                                    sdimage_cache_data_fn found, void *user_data,
                                                    sdimage_destroy_fn destroy, sdimage_error **error);

/* The layers that hold an entry; with memory, the disk is not looked at. */
SDIMAGE_API sdimage_status sdimage_cache_contains_async(sdimage_cache *cache, const void *key, size_t length,
                                                        sdimage_cache_contains_fn found, void *user_data,
                                                        sdimage_destroy_fn destroy, sdimage_error **error);

/* Memory has the picture before this returns; encoding and committing follow, and then the callback. A query made after
 * this returned finds the bytes where they were given. */
SDIMAGE_API sdimage_status sdimage_cache_store_async(sdimage_cache *cache, const void *key, size_t length,
                                                     sdimage_image *image, sdimage_data *data,
                                                     sdimage_cache_layers layers, const sdimage_encode_options *options,
                                                     sdimage_cache_done_fn stored, void *user_data,
                                                     sdimage_destroy_fn destroy, sdimage_error **error);

/* The same for bytes alone. */
SDIMAGE_API sdimage_status sdimage_cache_store_data_async(sdimage_cache *cache, const void *key, size_t length,
                                                          sdimage_data *data, sdimage_cache_done_fn stored,
                                                          void *user_data, sdimage_destroy_fn destroy,
                                                          sdimage_error **error);

/* Removes an entry from the named layers (sdimage_cache_remove). Removing what is not there is no error. */
SDIMAGE_API sdimage_status sdimage_cache_remove_async(sdimage_cache *cache, const void *key, size_t length,
                                                      sdimage_cache_layers layers, sdimage_cache_done_fn removed,
                                                      void *user_data, sdimage_destroy_fn destroy,
                                                      sdimage_error **error);
/* Removes everything from the named layers (sdimage_cache_clear). UNSUPPORTED where a part of the cache cannot be
   emptied. */
SDIMAGE_API sdimage_status sdimage_cache_clear_async(sdimage_cache *cache, sdimage_cache_layers layers,
                                                     sdimage_cache_done_fn cleared, void *user_data,
                                                     sdimage_destroy_fn destroy, sdimage_error **error);
/* sdimage_cache_remove_expired. UNSUPPORTED for what is not a built-in cache with a disk part. */
SDIMAGE_API sdimage_status sdimage_cache_remove_expired_async(sdimage_cache *cache, sdimage_cache_done_fn removed,
                                                              void *user_data, sdimage_destroy_fn destroy,
                                                              sdimage_error **error);
/* sdimage_cache_disk_totals. UNSUPPORTED for what is not a built-in cache with a disk part. */
SDIMAGE_API sdimage_status sdimage_cache_disk_totals_async(sdimage_cache *cache, sdimage_cache_totals_fn counted,
                                                           void *user_data, sdimage_destroy_fn destroy,
                                                           sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
