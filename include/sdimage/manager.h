/* manager.h: from a URL to pixels: caches, loaders and coders put together.
 *
 * Classes: sdimage_manager synchronised, sdimage_manager_config single-owner.
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
#include "dispatcher.h"
#include "error.h"
#include "loader.h"
#include "request.h"
#include "result.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A configuration with the defaults; the caller's. NULL when memory is refused. */
SDIMAGE_API sdimage_manager_config *sdimage_manager_config_new(void);
SDIMAGE_API sdimage_manager_config *sdimage_manager_config_ref(sdimage_manager_config *config);
SDIMAGE_API void sdimage_manager_config_unref(sdimage_manager_config *config);

/* The cache. Not set: the default of the process, shared by all managers that name none. NULL: none. */
SDIMAGE_API void sdimage_manager_config_set_cache(sdimage_manager_config *config, sdimage_cache *cache);

/* Changes every picture whose request says nothing of a transformer. NULL, the default: none. */
SDIMAGE_API void sdimage_manager_config_set_transformer(sdimage_manager_config *config,
                                                        sdimage_transformer *transformer);

/* Who loads. Not set or NULL: the default of the process, or a chain of the built-in loaders for http, https, file and
 * data URLs. */
SDIMAGE_API void sdimage_manager_config_set_loader(sdimage_manager_config *config, sdimage_loader *loader);

/* Where loads deliver that name no dispatcher of their own. Not set or NULL: the library's callback thread. */
SDIMAGE_API void sdimage_manager_config_set_dispatcher(sdimage_manager_config *config, sdimage_dispatcher *dispatcher);

/* How much loads care for freshness whose request does not say. Default IGNORE. */
SDIMAGE_API void sdimage_manager_config_set_freshness(sdimage_manager_config *config, sdimage_freshness freshness);

/* Leaves the parameters of a signature out of the cache key, so that a URL signed anew finds its picture: X-Amz-*,
 * X-Goog-*, Signature, Key-Pair-Id, AWSAccessKeyId, GoogleAccessId; Expires and Policy beside Signature; sig, and
 * beside it se, sp, sv, sr, st and the other parameters of an Azure SAS. The rest of the URL stays as it is, and it is
 * loaded as it is; a cache key of the request's own is not touched. Default false. */
SDIMAGE_API void sdimage_manager_config_set_ignore_signatures(sdimage_manager_config *config, bool ignore);

/* Seconds for which a URL that failed for good is not asked again: status 404, 410 or 451, or a whole body that is no
 * picture. Never for what may pass: see sdimage_error_is_transient. The latest 10,000 are remembered. A load that is
 * told to try all the same, and succeeds, clears its URL; others fail with FAILED_URL and the HTTP status of the
 * failure. What is cached stays, and is found. Default 300; negative = until sdimage_manager_forget_failed; 0 = not
 * remembered. */
SDIMAGE_API void sdimage_manager_config_set_failed_url_retry_after(sdimage_manager_config *config, int64_t seconds);

/* A manager. `config` is copied; NULL for the defaults. Errors: FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_manager_new(const sdimage_manager_config *config, sdimage_manager **manager,
                                               sdimage_error **error);

/* The manager that the process shares, with a reference for the caller in *manager. It is made, with the default
 * configuration, by whoever asks first, and kept by the library until somebody closes it; who asks after that gets a
 * new one. Errors: FORKED, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_manager_shared(sdimage_manager **manager, sdimage_error **error);

/* The cache and the loader of managers that are made from now on and name none, the shared one among them. Referenced
 * until they are replaced. NULL, the default: the cache with the default configuration, the built-in loaders. */
SDIMAGE_API void sdimage_set_default_cache(sdimage_cache *cache);
SDIMAGE_API void sdimage_set_default_loader(sdimage_loader *loader);

SDIMAGE_API sdimage_manager *sdimage_manager_ref(sdimage_manager *manager);

/* The last reference closes the manager without waiting. */
SDIMAGE_API void sdimage_manager_unref(sdimage_manager *manager);

/* The manager's cache, with a reference for the caller in *cache; NULL there when it has none. */
SDIMAGE_API void sdimage_manager_copy_cache(const sdimage_manager *manager, sdimage_cache **cache);

/* The callbacks of a load; each may be NULL. They run on the load's dispatcher, in order, never two at once. Any
 * function of the library may be called from them. What they are given is borrowed for the call. */
typedef struct sdimage_load_handler {
    size_t size;
    /* PARTIAL and CACHED deliveries, then exactly one FINAL. */
    void (*result)(void *user_data, sdimage_task *task, sdimage_result *result);
    /* Bytes received and expected (-1 = unknown), the latest only; never after FINAL. */
    void (*progress)(void *user_data, sdimage_task *task, int64_t received, int64_t expected);
} sdimage_load_handler;

/* Starts a load and returns. `request` is copied. `handler` may be NULL: results are then taken from the task, or as
 * events of a pollable dispatcher with `user_data` as token. A picture in memory is the task's result before this
 * returns, and is delivered before this returns where the dispatcher is immediate or this is its thread. *task, if
 * asked for, is the caller's; releasing it does not cancel. `destroy(user_data)` is called once, after the last
 * callback, also when this call fails. A refused load never calls back. Errors: INVALID_ARGUMENT, BAD_HANDLE, SHUTDOWN,
 * FORKED, NO_MEMORY. All other errors, a bad URL included, are delivered. */
SDIMAGE_API sdimage_status sdimage_manager_load(sdimage_manager *manager, const sdimage_request *request,
                                                const sdimage_load_handler *handler, void *user_data,
                                                sdimage_destroy_fn destroy, sdimage_task **task, sdimage_error **error);

/* Loads and waits. *result, the caller's, is the FINAL one and is stored whenever the load was accepted; the returned
 * status is that of its error. Errors further: WOULD_DEADLOCK on a thread of the library. */
SDIMAGE_API sdimage_status sdimage_manager_load_sync(sdimage_manager *manager, const sdimage_request *request,
                                                     sdimage_result **result, sdimage_error **error);

/* The result of a load that memory can answer at once, the caller's, in *result; NULL there, and OK, where a load would
 * have more to do. Nothing is called back and no disk is read; hooks of loads are asked and observers told, and a
 * picture that may be used while it is renewed is renewed. For whoever draws the same pictures again and again: the
 * shortest way to them. Errors: INVALID_ARGUMENT, BAD_HANDLE, SHUTDOWN, FORKED, and what a hook refuses. */
SDIMAGE_API sdimage_status sdimage_manager_find(sdimage_manager *manager, const sdimage_request *request,
                                                sdimage_result **result, sdimage_error **error);

/* The cache key of a load of the request in its printed form, as bytes: the URL, the request's own key or that of a key
 * filter (load_hooks.h), with the variant (thumbnail, transformer) before the extension. A URL may be spelled like it:
 * sdimage_manager_entry_key is exact. */
SDIMAGE_API sdimage_status sdimage_manager_cache_key(const sdimage_manager *manager, const sdimage_request *request,
                                                     sdimage_data **key, sdimage_error **error);

/* The key that identifies the entry of a load of the request exactly, as bytes: for an original the same as
 * sdimage_manager_cache_key; for a thumbnail or a transformed image the key of the original, the byte 0x1F, which no
 * URL contains, and the variant. The functions of cache.h take both forms. */
SDIMAGE_API sdimage_status sdimage_manager_entry_key(const sdimage_manager *manager, const sdimage_request *request,
                                                     sdimage_data **key, sdimage_error **error);

/* Cancels every load that is under way. */
SDIMAGE_API void sdimage_manager_cancel_all(sdimage_manager *manager);

/* Loads without a final result, those that renew a picture in the background included. */
SDIMAGE_API size_t sdimage_manager_running_count(const sdimage_manager *manager);

/* Switches loading of http and https URLs off, and on again, by whatever loader; transfers under way go on. Loads whose
 * picture is not cached fail with OFFLINE; with a freshness, stale pictures are used as where the origin cannot be
 * reached. Default false. */
SDIMAGE_API void sdimage_manager_set_offline(sdimage_manager *manager, bool offline);
SDIMAGE_API bool sdimage_manager_is_offline(const sdimage_manager *manager);

/* Forgets that a URL failed; all URLs for NULL. */
SDIMAGE_API void sdimage_manager_forget_failed(sdimage_manager *manager, const char *url, size_t length);

/* Takes no more loads, ends the running ones with SHUTDOWN, and waits up to `timeout_ms` milliseconds until their last
 * callbacks returned: TIMEOUT when some did not, e.g. because nobody drains their dispatcher. On a thread of the
 * library it does not wait. A second call is harmless. The cache stays open. */
SDIMAGE_API sdimage_status sdimage_manager_close(sdimage_manager *manager, uint32_t timeout_ms, sdimage_error **error);

/* --- The process. */

/* What a bug report starts with: a JSON object in UTF-8 with "version", "formats" ({"decode": […], "encode": […]}),
 * "libraries", "plugins" (of plugins.h: the library and its version, or why it is not there), "limits", "cache_path"
 * (the default directory of caches, null where there is none), "cache_path_source" ("XDG_CACHE_HOME", "HOME" or
 * "password database"), "cache_path_problem" (why no cache can be kept there; null when one can), "processors",
 * "pixel_pool" and "library_threads". */
SDIMAGE_API sdimage_status sdimage_doctor(sdimage_data **json, sdimage_error **error);

/* Gives unused pixel memory back to the system and, with `empty_caches`, empties the memory part of every open cache
 * and forgets the pictures of resources: what to call when the system says that memory is short. Pictures in use stay
 * valid. */
SDIMAGE_API void sdimage_trim_memory(bool empty_caches);

#ifdef __cplusplus
}
#endif

#endif
