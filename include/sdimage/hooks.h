/* hooks.h: functions of the host in loads and downloads.
 *
 * Load hooks decide on cache keys, the bytes on disk, requests, refusals and remembered failures:
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
 * Download hooks change requests and responses, decrypt bodies, refuse redirects and observe transfers; only the
 * built-in downloader calls them:
 *
 *   static void sign(void *user_data, sdimage_request *request, sdimage_reply *reply) {
 *       sdimage_request_set_header(request, "Authorization", token_of(user_data));
 *       sdimage_reply_complete(reply);
 *       sdimage_reply_unref(reply);
 *   }
 *   sdimage_download_hooks_vtable table = {.size = sizeof table, .modify_request = sign};
 *
 * A manager and a downloader have hooks, and a request may have its own for one load: each of its functions replaces
 * that of the manager or the downloader, except `process_request`, which is taken from the manager only.
 *
 * Classes: sdimage_load_hooks, sdimage_download_hooks and sdimage_download_event immutable. */
#ifndef SDIMAGE_HOOKS_H
#define SDIMAGE_HOOKS_H

#include "base.h"
#include "data.h"
#include "downloader.h"
#include "error.h"
#include "manager.h"
#include "request.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Hooks of loads. */

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
     * empty: the load uses no cache, and its key is reported as the URL. Not called for a request with its own cache
     * key. Inline. */
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
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_load_hooks *sdimage_load_hooks_ref(const sdimage_load_hooks *hooks);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_load_hooks_unref(sdimage_load_hooks *hooks);

/* Sets the hooks of all loads of a manager; NULL, the default: none. */
SDIMAGE_API void sdimage_manager_config_set_load_hooks(sdimage_manager_config *config, sdimage_load_hooks *hooks);
/* Returns the hooks of all loads; the caller owns *hooks. NULL for none. */
SDIMAGE_API void sdimage_manager_config_get_load_hooks(const sdimage_manager_config *config,
                                                       sdimage_load_hooks **hooks);

/* Sets the hooks of one request, which take precedence over the manager's; NULL, the default: none. */
SDIMAGE_API void sdimage_request_set_load_hooks(sdimage_request *request, sdimage_load_hooks *hooks);
/* Returns the hooks of loads set on the request; the caller owns *hooks. NULL for none. */
SDIMAGE_API void sdimage_request_get_load_hooks(const sdimage_request *request, sdimage_load_hooks **hooks);

/* --- Hooks of downloads. */

/* The hook functions; each may be NULL. Those with a reply own a reference to it. They run on a thread of the library,
 * may block for a while, and may complete the reply later, from any thread. A load keeps the errors CANCELLED and
 * SHUTDOWN of a reply; others become that of the function below. The total time-out of a transfer includes the time of
 * modify_response and redirect. */
typedef struct sdimage_download_hooks_vtable {
    size_t size;

    /* Changes a request before it is sent: its URL, method, header fields and body; other setters have no effect here.
     * `request` is a copy that the host owns until it completes the reply. With an error the load fails with
     * INVALID_REQUEST. The cache key and the result have the URL of the original request. Loads share a transfer if
     * their changed requests are equal. Unless freshness is ignored, it is also called for a cached response with Vary,
     * which the changed fields select, even if no request follows. */
    void (*modify_request)(void *user_data, sdimage_request *request, sdimage_reply *reply);

    /* Changes status and header fields of a response before it is checked; the host owns `response` until it completes
     * the reply. With an error the load fails with INVALID_RESPONSE. Not called for redirects. It is called when the
     * body has arrived, so such a load delivers no partial images. */
    void (*modify_response)(void *user_data, sdimage_response *response, sdimage_reply *reply);

    /* Converts the received bytes into those of the image, in *plain, whose reference becomes the library's; caches
     * store these. Must compute without waiting; called on several threads at once. Any failure fails the load: with
     * BAD_DATA, or NOT_AN_IMAGE, TRUNCATED or EMPTY_DATA if returned. Such a load delivers no partial images. */
    sdimage_status (*decrypt)(void *user_data, sdimage_data *data, const sdimage_response *response,
                              sdimage_data **plain, sdimage_error **error);

    /* Called before a redirect is followed. complete follows it, complete_with_data follows the URL in the data
     * instead, and with an error the load fails with REDIRECT_FORBIDDEN, also for a URL of more than 64 KiB. The
     * library's own rules apply in any case. */
    void (*redirect)(void *user_data, const char *from, const char *to, int32_t status, sdimage_reply *reply);

    /* Receives each event of a transfer, on the library's callback thread, in order. */
    void (*event)(void *user_data, const sdimage_download_event *event);
} sdimage_download_hooks_vtable;

/* Creates hooks from functions of the host. `destroy(user_data)` is called once, also when this call fails. Errors:
 * INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_download_hooks_new_custom(const sdimage_download_hooks_vtable *vtable,
                                                             void *user_data, sdimage_destroy_fn destroy,
                                                             sdimage_download_hooks **hooks, sdimage_error **error);

/* Creates hooks that decode bodies in Base64. */
SDIMAGE_API sdimage_status sdimage_download_hooks_new_base64(sdimage_download_hooks **hooks, sdimage_error **error);

/* Creates hooks that apply the same changes to all requests and all responses. The method, unless it is GET, the header
 * fields and the body of `request` replace those of each request. Status and header fields of `response` replace those
 * of each response; a status of 0 changes nothing. Both are copied, and either may be NULL. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_download_hooks_new_fixed(const sdimage_request *request,
                                                            const sdimage_response *response,
                                                            sdimage_download_hooks **hooks, sdimage_error **error);

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_download_hooks *sdimage_download_hooks_ref(const sdimage_download_hooks *hooks);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_download_hooks_unref(sdimage_download_hooks *hooks);

/* Sets the hooks of a downloader; NULL, the default: none. */
SDIMAGE_API void sdimage_downloader_config_set_hooks(sdimage_downloader_config *config, sdimage_download_hooks *hooks);
/* Returns the hooks of the downloader; the caller owns *hooks. NULL for none. */
SDIMAGE_API void sdimage_downloader_config_get_hooks(const sdimage_downloader_config *config,
                                                     sdimage_download_hooks **hooks);

/* Sets the hooks of one request, which take precedence over those of the downloader; NULL, the default: none. Loads
 * whose hooks are different objects share no transfer, unless the hooks only modify requests. */
SDIMAGE_API void sdimage_request_set_hooks(sdimage_request *request, sdimage_download_hooks *hooks);
/* Returns the hooks of downloads set on the request; the caller owns *hooks. NULL for none. */
SDIMAGE_API void sdimage_request_get_hooks(const sdimage_request *request, sdimage_download_hooks **hooks);

/* --- Events of a transfer. */

/* The kinds of events, in order: STARTED, RESPONDED, STOPPED, and, on success, FINISHED. A transfer that never started
 * has no event; one that was retried may have more than one RESPONDED. */
typedef enum SDIMAGE_ENUM sdimage_transfer_stage {
    SDIMAGE_TRANSFER_STAGE_NONE = 0,      /* no event */
    SDIMAGE_TRANSFER_STAGE_STARTED = 1,   /* the request is being sent */
    SDIMAGE_TRANSFER_STAGE_RESPONDED = 2, /* status and header fields were received */
    SDIMAGE_TRANSFER_STAGE_STOPPED = 3,   /* it ended, with or without success */
    SDIMAGE_TRANSFER_STAGE_FINISHED = 4   /* after STOPPED, on success */
} sdimage_transfer_stage;

/* Returns the kind of the event. */
SDIMAGE_API sdimage_transfer_stage sdimage_download_event_stage(const sdimage_download_event *event);

/* Returns the URL requested by the transfer, without user and password. Borrowed. */
SDIMAGE_API const char *sdimage_download_event_url(const sdimage_download_event *event);

/* Returns the HTTP status; 0 before the response. */
SDIMAGE_API int32_t sdimage_download_event_http_status(const sdimage_download_event *event);

/* Returns the bytes of the body received so far. */
SDIMAGE_API int64_t sdimage_download_event_received(const sdimage_download_event *event);
/* Returns the bytes of the whole body; -1 = unknown. */
SDIMAGE_API int64_t sdimage_download_event_expected(const sdimage_download_event *event);

/* Returns the nanoseconds since the start of the transfer. */
SDIMAGE_API uint64_t sdimage_download_event_time_ns(const sdimage_download_event *event);

/* Returns the error that stopped the transfer; NULL on success. Borrowed. */
SDIMAGE_API sdimage_error *sdimage_download_event_error(const sdimage_download_event *event);

#ifdef __cplusplus
}
#endif

#endif
