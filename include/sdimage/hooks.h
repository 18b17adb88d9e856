/* hooks.h: download hooks, which change requests and responses, decrypt bodies, refuse redirects and observe transfers.
 *
 *   static void sign(void *user_data, sdimage_request *request, sdimage_reply *reply) {
 *       sdimage_request_set_header(request, "Authorization", token_of(user_data));
 *       sdimage_reply_complete(reply);
 *       sdimage_reply_unref(reply);
 *   }
 *   sdimage_download_hooks_vtable table = {.size = sizeof table, .modify_request = sign};
 *
 * A downloader has hooks (sdimage_downloader_config_set_hooks), and a request may have its own for one load
 * (sdimage_request_set_hooks): each of its functions replaces that of the downloader. Only the built-in downloader
 * calls hooks.
 *
 * Classes: sdimage_download_hooks and sdimage_download_event immutable, sdimage_response single-owner. */
#ifndef SDIMAGE_HOOKS_H
#define SDIMAGE_HOOKS_H

#include "base.h"
#include "data.h"
#include "downloader.h"
#include "error.h"
#include "request.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The hook functions; each may be NULL. Those with a reply own a reference to it. They run on a thread of the library,
 * may block for a while, and may complete the reply later, from any thread. */
typedef struct sdimage_download_hooks_vtable {
    size_t size;

    /* Changes a request before it is sent: its URL, method, header fields and body; other setters have no effect here.
     * `request` is a copy that the host owns until it completes the reply. With an error the load fails with
     * INVALID_REQUEST. The cache key and the result have the URL of the original request. Loads share a transfer if
     * their changed requests are equal. */
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
     * instead, and with an error the load fails with REDIRECT_FORBIDDEN. The library's own rules apply in any case. */
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

SDIMAGE_API sdimage_download_hooks *sdimage_download_hooks_ref(sdimage_download_hooks *hooks);
SDIMAGE_API void sdimage_download_hooks_unref(sdimage_download_hooks *hooks);

/* Sets the hooks of a downloader; NULL, the default: none. */
SDIMAGE_API void sdimage_downloader_config_set_hooks(sdimage_downloader_config *config, sdimage_download_hooks *hooks);

/* Sets the hooks of one request, which take precedence over those of the downloader; NULL, the default: none. Loads
 * whose hooks are different objects share no transfer, unless the hooks only modify requests. */
SDIMAGE_API void sdimage_request_set_hooks(sdimage_request *request, sdimage_download_hooks *hooks);

/* --- Responses of a server: passed to modify_response and decrypt, returned by a task or a result (task.h, result.h),
 * or created by the caller. */

/* Creates a response without header fields, for sdimage_download_hooks_new_fixed and for transports. NULL when memory
 * is refused. */
SDIMAGE_API sdimage_response *sdimage_response_new(int32_t status);
SDIMAGE_API sdimage_response *sdimage_response_ref(sdimage_response *response);
SDIMAGE_API void sdimage_response_unref(sdimage_response *response);

/* Returns the URL after redirects, without user and password. Borrowed. */
SDIMAGE_API const char *sdimage_response_url(const sdimage_response *response);
/* Returns the HTTP status. */
SDIMAGE_API int32_t sdimage_response_status(const sdimage_response *response);
/* Replaces the status, before it is checked. */
SDIMAGE_API void sdimage_response_set_status(sdimage_response *response, int32_t status);

/* Returns the value of a header field, the first one if it occurs more than once; NULL when it is absent. Borrowed
 * until the response is changed. */
SDIMAGE_API const char *sdimage_response_header(const sdimage_response *response, const char *name);

/* Sets a header field, replacing all of that name; a NULL value removes them. */
SDIMAGE_API void sdimage_response_set_header(sdimage_response *response, const char *name, const char *value);

/* Adds a header field, in addition to others of its name. */
SDIMAGE_API void sdimage_response_add_header(sdimage_response *response, const char *name, const char *value);

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

/* Return the bytes of the body received so far, and in total; -1 = unknown. */
SDIMAGE_API int64_t sdimage_download_event_received(const sdimage_download_event *event);
SDIMAGE_API int64_t sdimage_download_event_expected(const sdimage_download_event *event);

/* Returns the nanoseconds since the start of the transfer. */
SDIMAGE_API uint64_t sdimage_download_event_time_ns(const sdimage_download_event *event);

/* Returns the error that stopped the transfer; NULL on success. Borrowed. */
SDIMAGE_API sdimage_error *sdimage_download_event_error(const sdimage_download_event *event);

#ifdef __cplusplus
}
#endif

#endif
