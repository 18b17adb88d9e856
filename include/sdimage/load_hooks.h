/* load_hooks.h: a host's say in loads: name their keys, choose what the disk keeps, change requests, refuse loads,
 * judge failures.
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
 * A manager has hooks (sdimage_manager_config_set_load_hooks), and a request may bring its own for one load
 * (sdimage_request_set_load_hooks): each function that it has takes the place of the manager's, but for
 * `process_request`, which is the manager's alone. Hooks of downloads are in hooks.h.
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

/* The functions; each may be NULL. Those marked inline run on the thread that starts the load, or on another: they must
 * not block. What they are given is lent for the call; `request` carries the host's own values
 * (sdimage_request_options). */
typedef struct sdimage_load_hooks_vtable {
    size_t size;

    /* Changes a request before anything else is done with it: what it leaves is loaded, as if it had been asked for.
     * The request is a copy of the host's, in which what it left to the manager (transformer, these hooks) is filled
     * in. Called for every load and for sdimage_manager_cache_key, also where the URL is empty. Inline. */
    void (*process_request)(void *user_data, sdimage_request *request);

    /* The base of the cache key in place of the URL, with a reference for the library; bytes of UTF-8. NULL or no byte:
     * the load asks no cache, and none keeps what it brings. Not asked where the request has a cache key of its own.
     * Inline. */
    sdimage_data *(*cache_key)(void *user_data, const sdimage_request *request);

    /* The bytes that the disk keeps, with a reference for the library: they must decode to the picture. `image` is the
     * picture as the load delivers it, `data` its encoded bytes, or NULL where a thumbnail or transformed picture is
     * kept that has none. NULL: the picture is encoded, as sdimage_cache_store does without data, or, where it is not
     * the whole original, `data` is kept. Asked only where the disk is to keep something. Computes only, on several
     * threads at once. */
    sdimage_data *(*serialize)(void *user_data, const sdimage_request *request, sdimage_image *image,
                               sdimage_data *data);

    /* Whether what memory does not have may be loaded; false makes the load CACHE_ONLY. Inline. */
    bool (*should_load)(void *user_data, const sdimage_request *request);

    /* Whether a URL that failed is not asked again for a while (sdimage_manager_config_set_failed_url_retry_after), in
     * place of the library's own judgement. Not asked about cancellations and refused memory. Inline. */
    bool (*should_remember_failure)(void *user_data, const sdimage_request *request, const sdimage_error *error);
} sdimage_load_hooks_vtable;

/* Hooks made of the host's functions. `destroy(user_data)` is called once, also when this call fails.
 * Errors: INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_load_hooks_new_custom(const sdimage_load_hooks_vtable *vtable, void *user_data,
                                                         sdimage_destroy_fn destroy, sdimage_load_hooks **hooks,
                                                         sdimage_error **error);
SDIMAGE_API sdimage_load_hooks *sdimage_load_hooks_ref(sdimage_load_hooks *hooks);
SDIMAGE_API void sdimage_load_hooks_unref(sdimage_load_hooks *hooks);

/* The hooks of all loads of a manager; NULL, the default: none. */
SDIMAGE_API void sdimage_manager_config_set_load_hooks(sdimage_manager_config *config, sdimage_load_hooks *hooks);

/* The hooks of one request, before the manager's; NULL, the default: none of its own. */
SDIMAGE_API void sdimage_request_set_load_hooks(sdimage_request *request, sdimage_load_hooks *hooks);

#ifdef __cplusplus
}
#endif

#endif
