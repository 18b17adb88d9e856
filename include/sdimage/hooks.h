/* hooks.h: a host's say in downloads: change requests and answers, decrypt bodies, refuse redirects, hear what happens.
 *
 *   static void sign(void *user_data, sdimage_request *request, sdimage_reply *reply) {
 *       sdimage_request_set_header(request, "Authorization", token_of(user_data));
 *       sdimage_reply_complete(reply);
 *       sdimage_reply_unref(reply);
 *   }
 *   sdimage_download_hooks_vtable table = {.size = sizeof table, .modify_request = sign};
 *
 * A downloader has hooks (sdimage_downloader_config_set_hooks), and a request may bring its own for one load
 * (sdimage_request_set_hooks): each function that it has takes the place of the downloader's. They are asked by the
 * built-in downloader only.
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

/* The functions; each may be NULL. Those with a reply own a reference of it, run on a thread of the library that may
 * block for a while, and may answer later, from any thread. */
typedef struct sdimage_download_hooks_vtable {
    size_t size;

    /* Changes a request before it is sent: its URL, method, header fields and body; other setters have no effect here.
     * `request` is a copy of the host's own until it completes the reply. With an error the load ends with
     * INVALID_REQUEST. Cache key and result keep the URL that was asked for. Loads share a transfer where what was made
     * of their requests is equal. */
    void (*modify_request)(void *user_data, sdimage_request *request, sdimage_reply *reply);

    /* Changes status and header fields of an answer before it is judged; `response` is the host's until it completes
     * the reply. With an error the load ends with INVALID_RESPONSE. Not asked about redirects. It is asked when the
     * body has come, so such a load shows no part of the picture. */
    void (*modify_response)(void *user_data, sdimage_response *response, sdimage_reply *reply);

    /* Makes the picture's bytes of those that came, in *plain, which the library takes over; caches keep those.
     * Computes only, on several threads at once. Any failure ends the load: BAD_DATA unless it is NOT_AN_IMAGE,
     * TRUNCATED or EMPTY_DATA. No part of the picture is shown before. */
    sdimage_status (*decrypt)(void *user_data, sdimage_data *data, const sdimage_response *response,
                              sdimage_data **plain, sdimage_error **error);

    /* Asked before a redirect is followed: complete follows it, complete_with_data goes to the URL in the data instead,
     * and with an error the load ends with REDIRECT_FORBIDDEN. The library's own rules hold in any case. */
    void (*redirect)(void *user_data, const char *from, const char *to, int32_t status, sdimage_reply *reply);

    /* Told of each event of a transfer, on the library's callback thread, in their order. */
    void (*event)(void *user_data, const sdimage_download_event *event);
} sdimage_download_hooks_vtable;

/* `destroy(user_data)` is called once, also when this call fails. Errors: INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_download_hooks_new_custom(const sdimage_download_hooks_vtable *vtable,
                                                             void *user_data, sdimage_destroy_fn destroy,
                                                             sdimage_download_hooks **hooks, sdimage_error **error);

/* Decrypts bodies that come in base 64. */
SDIMAGE_API sdimage_status sdimage_download_hooks_new_base64(sdimage_download_hooks **hooks, sdimage_error **error);

/* Says the same of every request and of every answer: what `request` has of method, header fields and body is sent in
 * place of what each request says, and status and header fields of `response` take the place of those of each answer; a
 * status of 0 leaves it. Both are copied, and either may be NULL. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_download_hooks_new_fixed(const sdimage_request *request,
                                                            const sdimage_response *response,
                                                            sdimage_download_hooks **hooks, sdimage_error **error);

SDIMAGE_API sdimage_download_hooks *sdimage_download_hooks_ref(sdimage_download_hooks *hooks);
SDIMAGE_API void sdimage_download_hooks_unref(sdimage_download_hooks *hooks);

/* The hooks of a downloader; NULL, the default: none. */
SDIMAGE_API void sdimage_downloader_config_set_hooks(sdimage_downloader_config *config, sdimage_download_hooks *hooks);

/* The hooks of one request, before the downloader's; NULL, the default: none of its own. Loads whose hooks are
 * different objects share no transfer, unless they only modify requests. */
SDIMAGE_API void sdimage_request_set_hooks(sdimage_request *request, sdimage_download_hooks *hooks);

/* --- The answer of a server: what modify_response and decrypt see, what a task or a result tells (task.h, result.h),
 * or one that you make. */

/* An answer without header fields, for sdimage_download_hooks_new_fixed and for transports. NULL when memory is
   refused. */
SDIMAGE_API sdimage_response *sdimage_response_new(int32_t status);
SDIMAGE_API sdimage_response *sdimage_response_ref(sdimage_response *response);
SDIMAGE_API void sdimage_response_unref(sdimage_response *response);

/* The URL after redirects, without user and password. Borrowed. */
SDIMAGE_API const char *sdimage_response_url(const sdimage_response *response);
/* The HTTP status. */
SDIMAGE_API int32_t sdimage_response_status(const sdimage_response *response);
/* Replaces the status, before it is judged. */
SDIMAGE_API void sdimage_response_set_status(sdimage_response *response, int32_t status);

/* The value of a header field, the first where it comes more than once; NULL when it is absent. Borrowed until the
 * response is changed. */
SDIMAGE_API const char *sdimage_response_header(sdimage_response *response, const char *name);

/* Sets a header field in place of all of that name; a NULL value removes them. */
SDIMAGE_API void sdimage_response_set_header(sdimage_response *response, const char *name, const char *value);

/* Adds a header field beside others of its name. */
SDIMAGE_API void sdimage_response_add_header(sdimage_response *response, const char *name, const char *value);

/* --- What happens to a transfer. */

/* STARTED, RESPONDED, STOPPED, and, where all went well, FINISHED. A transfer that never started has no event; one that
 * was tried again may have more than one RESPONDED. */
typedef enum SDIMAGE_ENUM sdimage_download_event_type {
    SDIMAGE_DOWNLOAD_EVENT_TYPE_STARTED = 1,   /* the request is on its way */
    SDIMAGE_DOWNLOAD_EVENT_TYPE_RESPONDED = 2, /* status and header fields have come */
    SDIMAGE_DOWNLOAD_EVENT_TYPE_STOPPED = 3,   /* it is over, well or not */
    SDIMAGE_DOWNLOAD_EVENT_TYPE_FINISHED = 4   /* after STOPPED, where all went well */
} sdimage_download_event_type;

/* What has happened. */
SDIMAGE_API sdimage_download_event_type sdimage_download_event_kind(const sdimage_download_event *event);

/* The URL as the transfer asked for it, without user and password. Borrowed. */
SDIMAGE_API const char *sdimage_download_event_url(const sdimage_download_event *event);

/* HTTP status; 0 before there is one. */
SDIMAGE_API int32_t sdimage_download_event_http_status(const sdimage_download_event *event);

/* Bytes of the body so far, and in all; -1 = unknown. */
SDIMAGE_API int64_t sdimage_download_event_received(const sdimage_download_event *event);
SDIMAGE_API int64_t sdimage_download_event_expected(const sdimage_download_event *event);

/* Nanoseconds since the transfer started. */
SDIMAGE_API uint64_t sdimage_download_event_time_ns(const sdimage_download_event *event);

/* Why it stopped; NULL when all went well. Borrowed. */
SDIMAGE_API sdimage_error *sdimage_download_event_error(const sdimage_download_event *event);

#ifdef __cplusplus
}
#endif

#endif
