/* manager.h: loading of images from URLs: connects caches, loaders and coders.
 *
 * Classes: sdimage_manager synchronized, sdimage_manager_config single-owner.
 *
 *   static void loaded(void *user_data, sdimage_task *task, sdimage_result *result) {
 *       sdimage_image *image = sdimage_result_image(result);
 *       if (image) show(user_data, sdimage_image_ref(image));
 *       else puts(sdimage_error_message(sdimage_result_error(result)));
 *   }
 *   sdimage_load_handler handler = {.size = sizeof handler, .result = loaded};
 *   sdimage_manager_load(manager, request, &handler, cell, NULL, NULL, NULL); */
#ifndef SDIMAGE_MANAGER_H
#define SDIMAGE_MANAGER_H

#include "base.h"
#include "cache.h"
#include "data.h"
#include "dispatcher.h"
#include "error.h"
#include "loader.h"
#include "request.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a configuration with the defaults; the caller owns it. NULL when memory is refused. */
SDIMAGE_API sdimage_manager_config *sdimage_manager_config_new(void);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_manager_config *sdimage_manager_config_ref(const sdimage_manager_config *config);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_manager_config_unref(sdimage_manager_config *config);

/* Sets the cache. Not set: the default of the process, shared by all managers that set none. NULL: no cache. */
SDIMAGE_API void sdimage_manager_config_set_cache(sdimage_manager_config *config, sdimage_cache *cache);
/* Returns true if a cache is set. The caller owns *cache; NULL if caching is disabled, or if none is set. */
SDIMAGE_API bool sdimage_manager_config_get_cache(const sdimage_manager_config *config, sdimage_cache **cache);

/* Sets the transformer of images whose request sets none. NULL, the default: none. */
SDIMAGE_API void sdimage_manager_config_set_transformer(sdimage_manager_config *config,
                                                        sdimage_transformer *transformer);
/* Returns the transformer; the caller owns *transformer. NULL for none. */
SDIMAGE_API void sdimage_manager_config_get_transformer(const sdimage_manager_config *config,
                                                        sdimage_transformer **transformer);

/* Sets the loader. Not set or NULL: the default of the process, or a chain of the built-in loaders for http, https,
 * file and data URLs. */
SDIMAGE_API void sdimage_manager_config_set_loader(sdimage_manager_config *config, sdimage_loader *loader);
/* Returns the loader set; the caller owns *loader. NULL for none. */
SDIMAGE_API void sdimage_manager_config_get_loader(const sdimage_manager_config *config, sdimage_loader **loader);

/* Sets the dispatcher of loads whose request sets none. Not set or NULL: the library's callback thread. */
SDIMAGE_API void sdimage_manager_config_set_dispatcher(sdimage_manager_config *config, sdimage_dispatcher *dispatcher);
/* Returns the dispatcher set; the caller owns *dispatcher. NULL for the library's callback thread. */
SDIMAGE_API void sdimage_manager_config_get_dispatcher(const sdimage_manager_config *config,
                                                       sdimage_dispatcher **dispatcher);

/* Sets the freshness policy of requests that set none. Default IGNORE. */
SDIMAGE_API void sdimage_manager_config_set_freshness(sdimage_manager_config *config, sdimage_freshness freshness);
/* Returns the freshness policy of requests that set none. */
SDIMAGE_API sdimage_freshness sdimage_manager_config_freshness(const sdimage_manager_config *config);

/* Removes the parameters of a signature from the cache key, so that a URL signed again finds its image: X-Amz-*,
 * X-Goog-*, Signature, Key-Pair-Id, AWSAccessKeyId, GoogleAccessId; Expires and Policy beside Signature; sig, and
 * beside it se, sp, sv, sr, st and the other parameters of an Azure SAS. The rest of the URL stays in the key, and the
 * URL is loaded unchanged. A cache key set by the request is not changed. Default false. */
SDIMAGE_API void sdimage_manager_config_set_ignore_signatures(sdimage_manager_config *config, bool ignore);
/* Returns true if the parameters of signatures are removed from cache keys. */
SDIMAGE_API bool sdimage_manager_config_should_ignore_signatures(const sdimage_manager_config *config);

/* Sets the time in seconds for which a URL is refused after a permanent failure: status 404, 410 or 451, a complete
 * body that is empty, damaged or not an image, or an invalid URL; also for file: URLs. The request is refused with the
 * same header fields and format hint only. Transient failures are not remembered: see sdimage_error_is_transient. The
 * latest 10,000 failures are remembered, but not those of data: URLs and of URLs of more than 8 KiB. A load that
 * retries (sdimage_request_set_retry_failed) and succeeds clears its URL; others fail with FAILED_URL, the HTTP status
 * of the failure, and a message with its cause: "request: HTTP status 404, 3 s ago; next try in 297 s". Cached images
 * are still found. Default 300; negative = until sdimage_manager_forget_failed; 0 = not remembered. */
SDIMAGE_API void sdimage_manager_config_set_failed_url_retry_after(sdimage_manager_config *config, int64_t seconds);
/* Returns the seconds for which a URL is refused after a permanent failure. */
SDIMAGE_API int64_t sdimage_manager_config_failed_url_retry_after(const sdimage_manager_config *config);

/* Makes a manager. `config` is copied; NULL for the defaults. Errors: FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_manager_new(const sdimage_manager_config *config, sdimage_manager **manager,
                                               sdimage_error **error);

/* Makes a manager with a cache of its own in a folder (sdimage_cache_config_set_directory), and a dispatcher; NULL for
 * the library's callback thread. All else has its default. An unusable folder is no error here: sdimage_cache_check
 * reports it. Errors: INVALID_ARGUMENT (no folder), BAD_HANDLE, FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_manager_new_in(const char *directory, sdimage_dispatcher *dispatcher,
                                                  sdimage_manager **manager, sdimage_error **error);

/* Returns the shared manager of the process in *manager, with a reference for the caller. The first call makes it, with
 * the default configuration; the library holds it until it is closed. The next call after that makes a new one. Errors:
 * FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_manager_get_shared(sdimage_manager **manager, sdimage_error **error);

/* Sets the cache of managers that are made from now on without one, including the shared manager. It is referenced
 * until it is replaced. NULL, the default: a cache with the default configuration. */
SDIMAGE_API void sdimage_set_default_cache(sdimage_cache *cache);
/* Returns the default cache set; the caller owns *cache. NULL for none. */
SDIMAGE_API void sdimage_get_default_cache(sdimage_cache **cache);

/* Sets the loader of managers that are made from now on without one, including the shared manager. It is referenced
 * until it is replaced. NULL, the default: the built-in loaders. */
SDIMAGE_API void sdimage_set_default_loader(sdimage_loader *loader);
/* Returns the default loader set; the caller owns *loader. NULL for none. */
SDIMAGE_API void sdimage_get_default_loader(sdimage_loader **loader);

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_manager *sdimage_manager_ref(const sdimage_manager *manager);

/* Releases a reference; NULL has no effect. The last one closes the manager without waiting: a program that ends then
 * loses the images that are being stored on disk, unless it has called sdimage_manager_flush. */
SDIMAGE_API void sdimage_manager_unref(sdimage_manager *manager);

/* Returns the manager's cache in *cache, with a reference for the caller; NULL if it has none. */
SDIMAGE_API void sdimage_manager_get_cache(const sdimage_manager *manager, sdimage_cache **cache);
/* Returns the manager's loader in *loader, with a reference for the caller. */
SDIMAGE_API void sdimage_manager_get_loader(const sdimage_manager *manager, sdimage_loader **loader);

/* Starts a load and returns. `request` is copied. `handler` may be NULL: results are then taken from the task, or as
 * events of a pollable dispatcher with `user_data` as token. An image in memory is the task's result before this
 * returns, unless the request asks for its encoded bytes (sdimage_request_set_include_data). It is also delivered
 * before this returns if the dispatcher is immediate or this is its thread. *task, if requested, is the caller's;
 * releasing it does not cancel the load.
 *
 * `destroy(user_data)` is called once, after the last callback, or when the last event of the load has been freed, also
 * when this call fails. A refused load never calls back. Errors: INVALID_ARGUMENT, BAD_HANDLE, SHUTDOWN, FORKED,
 * NO_MEMORY. All other errors, including an invalid URL, are delivered. */
SDIMAGE_API sdimage_status sdimage_manager_load(sdimage_manager *manager, const sdimage_request *request,
                                                const sdimage_load_handler *handler, void *user_data,
                                                sdimage_destroy_fn destroy, sdimage_task **task, sdimage_error **error);

/* Loads and waits. *result is the FINAL result, owned by the caller, and is set whenever the load was accepted. The
 * returned status is that of its error. Additional errors: WOULD_DEADLOCK on a thread of the library. */
SDIMAGE_API sdimage_status sdimage_manager_load_sync(sdimage_manager *manager, const sdimage_request *request,
                                                     sdimage_result **result, sdimage_error **error);

/* Returns in *result, for the caller, the result of a load that memory can complete immediately; NULL with status OK if
 * the load needs more work. The cheapest call for code that redraws often. Calls no handler and reads no disk. Load
 * hooks and observers are called, and a stale image in its stale-while-revalidate period is revalidated in the
 * background. Download hooks are not called: an image with Vary needs a load if modify_request is set, unless freshness
 * is ignored. Errors: INVALID_ARGUMENT, BAD_HANDLE, SHUTDOWN, FORKED, and those of a hook that refuses the request. */
SDIMAGE_API sdimage_status sdimage_manager_find(sdimage_manager *manager, const sdimage_request *request,
                                                sdimage_result **result, sdimage_error **error);

/* Returns the printed form of the cache key of a request, as bytes: the URL, the request's own key or that of a key
 * filter (hooks.h), with the variant (thumbnail, transformer) before the extension. A URL may have the same text:
 * sdimage_manager_get_entry_key is exact. The key contains user and password of a URL that has them, in the index of
 * the disk cache, too: sdimage_downloader_config_set_credential keeps them out of both. */
SDIMAGE_API sdimage_status sdimage_manager_get_cache_key(const sdimage_manager *manager, const sdimage_request *request,
                                                         sdimage_data **key, sdimage_error **error);

/* Returns the exact key of the cache entry of a request, as bytes. For an original it equals
 * sdimage_manager_get_cache_key. For a thumbnail or a transformed image it is the key of the original, the byte 0x1F,
 * which no URL contains, and the variant. The functions of cache.h accept both forms. */
SDIMAGE_API sdimage_status sdimage_manager_get_entry_key(const sdimage_manager *manager, const sdimage_request *request,
                                                         sdimage_data **key, sdimage_error **error);

/* Cancels all loads under way. Not safe in a signal handler, like every function of the library: it takes locks,
 * allocates memory and may call load handlers. Write to a pipe or an eventfd there, or use a signalfd, and call this
 * function from the main loop that reads it. */
SDIMAGE_API void sdimage_manager_cancel_all(sdimage_manager *manager);

/* Waits until no load is under way and the last callbacks have returned, including those of loads that callbacks start.
 * Deliveries of a pollable dispatcher, and those that the calling thread must take itself, remain queued. Errors:
 * TIMEOUT after `timeout_ms` milliseconds (UINT32_MAX: no limit); WOULD_DEADLOCK on a thread of the library; FORKED. */
SDIMAGE_API sdimage_status sdimage_manager_wait_all(sdimage_manager *manager, uint32_t timeout_ms,
                                                    sdimage_error **error);

/* Returns the number of loads without a final result, including background revalidations. */
SDIMAGE_API size_t sdimage_manager_running_count(const sdimage_manager *manager);

/* Disables and enables loading of http and https URLs by any loader; transfers under way continue. Loads of images that
 * are not cached fail with OFFLINE. With a freshness policy, stale images are used as if the origin were unreachable.
 * Default false. */
SDIMAGE_API void sdimage_manager_set_offline(sdimage_manager *manager, bool offline);
/* Returns true if loading of http and https URLs is disabled. */
SDIMAGE_API bool sdimage_manager_is_offline(const sdimage_manager *manager);

/* Clears the remembered failure of a URL; of all URLs for NULL. */
SDIMAGE_API void sdimage_manager_forget_failed(sdimage_manager *manager, const char *url, size_t length);

/* Waits until the stores of the loads that have delivered their FINAL result are committed, images that are still being
 * encoded for the cache and updates of revalidated entries included. Concerns the cache of the manager;
 * sdimage_cache_flush does the same for a cache that was set on a request, except for the updates. Errors: TIMEOUT when
 * images are still being encoded, entries updated, or caches of the host are still storing, after `timeout_ms`
 * milliseconds (UINT32_MAX: no limit); WOULD_DEADLOCK on a thread of the library and in a log function; of built-in
 * caches SHUTDOWN, and the first failure of a store on disk since the last flush (sdimage_cache_flush). */
SDIMAGE_API sdimage_status sdimage_manager_flush(sdimage_manager *manager, uint32_t timeout_ms, sdimage_error **error);

/* Refuses further loads, ends the running ones with SHUTDOWN, and waits up to `timeout_ms` milliseconds until their
 * last callbacks have returned. TIMEOUT if some have not, for example because their dispatcher is not drained. Does not
 * wait on a thread of the library. A second call is harmless. The cache stays open.
 *
 * Waits up to 2 seconds of them for thumbnails and transformed images that are still being encoded for the cache; the
 * rest is not stored. sdimage_manager_flush waits for all of them. */
SDIMAGE_API sdimage_status sdimage_manager_close(sdimage_manager *manager, uint32_t timeout_ms, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
