/* load_hooks.h: hooks of the host in loads: cache keys, the bytes on disk, requests, refusals and remembered failures.
 *
 *   static sdimage_data *without_query(void *user_data, const sdimage_request *request) {
 *       size_t length = 0;
 *       const char *url = sdimage_request_url(request, &length);
 *       const char *query = memchr(url, '?', length);
 *       sdimage_data *key = NULL;
 *       sdimage_data_new(url, query ? (size_t)(query - url) : length, &key, NULL);
 *       return key;
 *   }
 *   sdimage_load_hooks_vtable table = {.size = sizeof table, .cache_key = without_query};
 *
 * A manager has hooks (sdimage_manager_config_set_load_hooks), and a request may have its own for one load
 * (sdimage_request_set_load_hooks). Each function of the request's hooks replaces that of the manager's, except
 * `process_request`, which is taken from the manager only. Hooks of downloads are in hooks.h.
 *
 * Class: immutable. */
#ifndef SDIMAGE_LOAD_HOOKS_H
#define SDIMAGE_LOAD_HOOKS_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "manager.h"
#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions; each may be NULL. Functions marked inline run on the thread that starts the load, or on another: they
 * must not block. Arguments are borrowed for the call; `request` carries the host's own values
 * (sdimage_request_options). */
typedef struct sdimage_load_hooks_vtable {
    size_t size;

    /* Changes a request before all other processing; the changed request is loaded. It is a copy of the host's request,
     * with the manager's transformer and hooks filled in where the host set none. Called for every load and for
     * sdimage_manager_get_cache_key, also if the URL is empty. Inline. */
    void (*process_request)(void *user_data, sdimage_request *request);

    /* Returns the base of the cache key in place of the URL, as UTF-8 bytes, with a reference for the library. NULL or
     * empty: the load uses no cache. Not called for a request with its own cache key. Inline. */
    sdimage_data *(*cache_key)(void *user_data, const sdimage_request *request);

    /* Returns the bytes to store on disk, with a reference for the library; they must decode to the image. `image` is
     * the image as the load delivers it; `data` are its encoded bytes, NULL for a thumbnail or transformed image
     * without any. If this returns NULL, the image is encoded, as by sdimage_cache_store without data; if `image` is
     * not the whole original, `data` is stored instead. Called only for images that are stored on disk. Must only
     * compute; called on several threads concurrently. */
    sdimage_data *(*serialize)(void *user_data, const sdimage_request *request, sdimage_image *image,
                               sdimage_data *data);

    /* Permits loading of an image that is not in memory; false makes the load CACHE_ONLY. Inline. */
    bool (*should_load)(void *user_data, const sdimage_request *request);

    /* Decides, in place of the library, if a failed URL is refused for some time
     * (sdimage_manager_config_set_failed_url_retry_after). Not called for cancellation and lack of memory. Inline. */
    bool (*should_remember_failure)(void *user_data, const sdimage_request *request, const sdimage_error *error);
} sdimage_load_hooks_vtable;

/* Makes hooks of functions of the host. `destroy(user_data)` is called once, also when this call fails. Errors:
 * INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_load_hooks_new_custom(const sdimage_load_hooks_vtable *vtable, void *user_data,
                                                         sdimage_destroy_fn destroy, sdimage_load_hooks **hooks,
                                                         sdimage_error **error);
SDIMAGE_API sdimage_load_hooks *sdimage_load_hooks_ref(sdimage_load_hooks *hooks);
SDIMAGE_API void sdimage_load_hooks_unref(sdimage_load_hooks *hooks);

/* Sets the hooks of all loads of a manager; NULL, the default: none. */
SDIMAGE_API void sdimage_manager_config_set_load_hooks(sdimage_manager_config *config, sdimage_load_hooks *hooks);

/* Sets the hooks of one request, which take precedence over the manager's; NULL, the default: none. */
SDIMAGE_API void sdimage_request_set_load_hooks(sdimage_request *request, sdimage_load_hooks *hooks);

#ifdef __cplusplus
}
#endif

#endif
