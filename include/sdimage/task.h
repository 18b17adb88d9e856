/* task.h: loads in progress and their results.
 *
 * A load has a task, which is cancelled and waited for, and delivers results to a handler: partial and cached images,
 * and exactly one final result.
 *
 * Classes: sdimage_task and sdimage_reply synchronized, sdimage_result immutable: its borrowed values live as long as
 * the result; sdimage_response single-owner. */
#ifndef SDIMAGE_TASK_H
#define SDIMAGE_TASK_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The priority among loads that wait for each other. */
typedef enum SDIMAGE_ENUM sdimage_priority {
    SDIMAGE_PRIORITY_LOW = -1,   /* no user is waiting: prefetching */
    SDIMAGE_PRIORITY_NORMAL = 0, /* a user is waiting */
    SDIMAGE_PRIORITY_HIGH = 1    /* before all other waiting loads */
} sdimage_priority;

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_task *sdimage_task_ref(const sdimage_task *task);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_task_unref(sdimage_task *task);

/* Requests the end of the load. Never blocks; may be called repeatedly, from any thread and from a callback. The load's
 * FINAL is CANCELLED, unless its result is available already (sdimage_task_is_finished), delivered or not. On the
 * dispatcher's own thread FINAL is delivered before this returns, or right after the running delivery. A callback on
 * another thread may still occur. */
SDIMAGE_API void sdimage_task_cancel(sdimage_task *task);

/* Cancels, and returns when the last callback has returned; no callback occurs afterwards. Does not wait on the
 * dispatcher's own thread, because the callback is delivered there. If the dispatcher is not drained, waits up to
 * `timeout_ms` milliseconds, then returns TIMEOUT. WOULD_DEADLOCK on another thread of the library if the callback has
 * not returned. */
SDIMAGE_API sdimage_status sdimage_task_cancel_and_wait(sdimage_task *task, uint32_t timeout_ms, sdimage_error **error);

/* Waits for the final result of the load, delivered or not. Errors: TIMEOUT after `timeout_ms` milliseconds
 * (UINT32_MAX: no limit); WOULD_DEADLOCK on a thread of the library, always. */
SDIMAGE_API sdimage_status sdimage_task_wait(sdimage_task *task, uint32_t timeout_ms, sdimage_error **error);

/* True if the final result is available. */
SDIMAGE_API bool sdimage_task_is_finished(const sdimage_task *task);

/* Returns the final result, for the caller to unref; NULL while there is none. For an image in memory it is available
 * before the starting call returns, with any dispatcher, unless the request asks for its encoded bytes. */
SDIMAGE_API void sdimage_task_get_result(const sdimage_task *task, sdimage_result **result);

/* Changes the priority of a load, for example when its image scrolls into view or out of it. Takes effect for a
 * transfer that has not started, and for the decode of the complete image: until it begins if it is raised, until it
 * waits for a thread if it is lowered. A load that several tasks share has the highest priority of its tasks. Any other
 * value has no effect. */
SDIMAGE_API void sdimage_task_set_priority(sdimage_task *task, sdimage_priority priority);

/* Returns the priority of the task: that of its request until it is changed. */
SDIMAGE_API sdimage_priority sdimage_task_priority(const sdimage_task *task);

/* Bytes received and expected so far; -1 = unknown. Either pointer may be NULL. */
SDIMAGE_API void sdimage_task_progress(const sdimage_task *task, int64_t *received, int64_t *expected);

/* Returns the latest response of the built-in downloader for this load, except redirects: its status and header fields,
 * while the body is being received and afterwards. The caller owns *response; NULL before the response and if nothing
 * was downloaded. Loads that share a transfer return equal responses. */
SDIMAGE_API void sdimage_task_get_response(const sdimage_task *task, sdimage_response **response);

/* The `user_data` with which the load was started. */
SDIMAGE_API void *sdimage_task_token(const sdimage_task *task);

/* The callbacks of a load; each may be NULL. They run on the load's dispatcher, in order and serialized. They may call
 * any function of the library. Their arguments are borrowed for the call. */
typedef struct sdimage_load_handler {
    size_t size;
    /* Receives PARTIAL and CACHED deliveries, then exactly one FINAL. */
    void (*result)(void *user_data, sdimage_task *task, sdimage_result *result);
    /* Receives the latest counts of received and expected bytes (-1 = unknown). FINAL takes the place of counts that
     * still wait for the callback, so the last call may report less than the whole body; there is none after FINAL. */
    void (*progress)(void *user_data, sdimage_task *task, int64_t received, int64_t expected);
} sdimage_load_handler;

/* --- Results. */

/* Kind of a delivery. Every accepted load ends with exactly one FINAL. */
typedef enum SDIMAGE_ENUM sdimage_delivery_kind {
    SDIMAGE_DELIVERY_KIND_NONE = 0,    /* no result */
    SDIMAGE_DELIVERY_KIND_PARTIAL = 1, /* the received part of the image; a better one follows */
    SDIMAGE_DELIVERY_KIND_CACHED = 2,  /* a usable image while a refresh is under way */
    SDIMAGE_DELIVERY_KIND_FINAL = 3    /* the last one: an image or an error */
} sdimage_delivery_kind;

/* Source of an image. */
typedef enum SDIMAGE_ENUM sdimage_image_source {
    SDIMAGE_IMAGE_SOURCE_NONE = 0,    /* no image */
    SDIMAGE_IMAGE_SOURCE_MEMORY = 1,  /* the memory part of a cache */
    SDIMAGE_IMAGE_SOURCE_DISK = 2,    /* the disk part of a cache */
    SDIMAGE_IMAGE_SOURCE_REMOTE = 3,  /* a cache with leases, shared by several machines */
    SDIMAGE_IMAGE_SOURCE_NETWORK = 4, /* the built-in downloader */
    SDIMAGE_IMAGE_SOURCE_LOADER = 5   /* any other loader: a file, a data: URL, one of the host */
} sdimage_image_source;

/* Rule by which a load with a freshness of RESPECT or REFRESH used a cached image, or sent a request to its origin. */
typedef enum SDIMAGE_ENUM sdimage_freshness_rule {
    /* Freshness was not evaluated, or nothing was cached. */
    SDIMAGE_FRESHNESS_RULE_NONE = 0,

    /* The cached image was used without revalidation. */
    SDIMAGE_FRESHNESS_RULE_MAX_AGE = 1,                /* younger than max-age */
    SDIMAGE_FRESHNESS_RULE_EXPIRES = 2,                /* before Expires */
    SDIMAGE_FRESHNESS_RULE_HEURISTIC = 3,              /* no lifetime given: a tenth of Date minus Last-Modified */
    SDIMAGE_FRESHNESS_RULE_IMMUTABLE = 4,              /* fresh and immutable: not revalidated even by a refresh */
    SDIMAGE_FRESHNESS_RULE_STALE_WHILE_REVALIDATE = 5, /* stale, and revalidated in the background */
    SDIMAGE_FRESHNESS_RULE_MAX_STALE = 6,              /* stale, as the request's own Cache-Control allows */

    /* A request was sent to the origin. */
    SDIMAGE_FRESHNESS_RULE_EXPIRED = 7,          /* the lifetime has passed */
    SDIMAGE_FRESHNESS_RULE_NO_LIFETIME = 8,      /* no lifetime is known */
    SDIMAGE_FRESHNESS_RULE_NO_CACHE = 9,         /* every use must be revalidated */
    SDIMAGE_FRESHNESS_RULE_MUST_REVALIDATE = 10, /* the lifetime has passed, and stale use is forbidden */
    SDIMAGE_FRESHNESS_RULE_NO_STORE = 11,        /* the response, new or cached, may not be stored */
    SDIMAGE_FRESHNESS_RULE_VARY = 12,            /* the request differs in a field selected by Vary */
    SDIMAGE_FRESHNESS_RULE_REQUEST = 13,         /* the request's own Cache-Control requires it */
    SDIMAGE_FRESHNESS_RULE_CLOCK = 14,           /* dated in the future: the clock was set back */
    SDIMAGE_FRESHNESS_RULE_REFRESH = 15,         /* the request is a REFRESH */

    /* Revalidation failed, and the cached image was used, stale. */
    SDIMAGE_FRESHNESS_RULE_STALE_IF_ERROR = 16, /* within stale-if-error */
    SDIMAGE_FRESHNESS_RULE_UNREACHABLE = 17,    /* allowed, because nothing forbids it */
    SDIMAGE_FRESHNESS_RULE_OFFLINE = 18         /* the same, with loading disabled or without a network */
} sdimage_freshness_rule;

/* Timed stages of a load. */
typedef enum SDIMAGE_ENUM sdimage_stage {
    SDIMAGE_STAGE_TOTAL = 0,  /* from the starting call to the delivery; 0 for most images in memory */
    SDIMAGE_STAGE_QUEUED = 1, /* from the starting call to the first work */
    SDIMAGE_STAGE_DISK = 2,   /* disk cache look-up */
    SDIMAGE_STAGE_LOAD = 3,   /* waiting for a loader */
    SDIMAGE_STAGE_DECODE = 4, /* decoding, including the wait for a worker */
    SDIMAGE_STAGE_STORE = 5   /* waiting for the store, if the request demands it */
} sdimage_stage;

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_result *sdimage_result_ref(const sdimage_result *result);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_result_unref(sdimage_result *result);

/* Kind of the delivery. */
SDIMAGE_API sdimage_delivery_kind sdimage_result_kind(const sdimage_result *result);

/* The image; NULL if there is none. Borrowed: sdimage_image_ref to hold it. */
SDIMAGE_API sdimage_image *sdimage_result_image(const sdimage_result *result);

/* The encoded bytes of an image that is neither a thumbnail nor transformed, or that was found on disk. NULL for newly
 * created variants, for partial images, and for memory hits unless the request asks for the bytes. Borrowed. */
SDIMAGE_API sdimage_data *sdimage_result_data(const sdimage_result *result);

/* The reason why there is no image, or why it is stale; NULL on success. A load restricted to caches that found nothing
 * has neither image nor error. Borrowed. */
SDIMAGE_API sdimage_error *sdimage_result_error(const sdimage_result *result);

/* Source of the image, or of the bytes of sdimage_loader_load; NONE without them. */
SDIMAGE_API sdimage_image_source sdimage_result_source(const sdimage_result *result);

/* For the FINAL of a refresh: false if the image is the cached one. */
SDIMAGE_API bool sdimage_result_is_changed(const sdimage_result *result);

/* True if the image is stale and could not be revalidated; sdimage_result_error has the reason if a request was sent to
 * the origin. */
SDIMAGE_API bool sdimage_result_is_stale(const sdimage_result *result);

/* The rule that was applied. If the origin responded, the source distinguishes its response: MEMORY or DISK is "not
 * modified". */
SDIMAGE_API sdimage_freshness_rule sdimage_result_freshness(const sdimage_result *result);

/* Returns the requested URL, without user and password. Borrowed; "" if there is none. */
SDIMAGE_API const char *sdimage_result_url(const sdimage_result *result);
/* Returns the cache key of the image in its printed form (sdimage_manager_get_cache_key). Borrowed; "" if there is
 * none. */
SDIMAGE_API const char *sdimage_result_cache_key(const sdimage_result *result);

/* Nanoseconds spent in a stage; 0 if it did not run. */
SDIMAGE_API uint64_t sdimage_result_time_ns(const sdimage_result *result, sdimage_stage stage);

/* Returns the last response of the built-in downloader: its status and header fields, also of a failure. The caller
 * owns *response; NULL if nothing was downloaded. */
SDIMAGE_API void sdimage_result_get_response(const sdimage_result *result, sdimage_response **response);

/* --- Transactions of the built-in downloader: one for each hop of a redirect and each retry, in order, including those
 * before a failure. None for images from other sources. For an index out of range the getters return 0 and "". */

/* Phases of a transaction, by the event that ends them. */
typedef enum SDIMAGE_ENUM sdimage_transaction_phase {
    SDIMAGE_TRANSACTION_PHASE_TOTAL = 0,       /* the last byte has arrived, or the transfer failed */
    SDIMAGE_TRANSACTION_PHASE_NAME_LOOKUP = 1, /* the addresses of the host are known */
    SDIMAGE_TRANSACTION_PHASE_CONNECT = 2,     /* the connection is open */
    SDIMAGE_TRANSACTION_PHASE_TLS = 3,         /* the TLS handshake is complete */
    SDIMAGE_TRANSACTION_PHASE_FIRST_BYTE = 4   /* the first byte of the response has arrived */
} sdimage_transaction_phase;

/* Number of transactions; 0 if nothing was downloaded. */
SDIMAGE_API size_t sdimage_result_transaction_count(const sdimage_result *result);

/* The URL that was requested, without user and password. Borrowed. */
SDIMAGE_API const char *sdimage_result_transaction_url(const sdimage_result *result, size_t index);

/* Returns the status of the response; 0 without a response. */
SDIMAGE_API int32_t sdimage_result_transaction_http_status(const sdimage_result *result, size_t index);
/* Returns the protocol of the response, "HTTP/1.1" or "HTTP/2"; "" without a response. Static. */
SDIMAGE_API const char *sdimage_result_transaction_protocol(const sdimage_result *result, size_t index);

/* Address of the server: "192.0.2.1:443", "[2001:db8::1]:443"; "" without a connection. Borrowed. */
SDIMAGE_API const char *sdimage_result_transaction_remote_address(const sdimage_result *result, size_t index);

/* True if the request used a connection opened for an earlier one. */
SDIMAGE_API bool sdimage_result_transaction_is_connection_reused(const sdimage_result *result, size_t index);

/* Returns the bytes received, heads and body as transferred. */
SDIMAGE_API uint64_t sdimage_result_transaction_wire_bytes(const sdimage_result *result, size_t index);
/* Returns the bytes of the body after decoding of its content coding. */
SDIMAGE_API uint64_t sdimage_result_transaction_body_bytes(const sdimage_result *result, size_t index);

/* Nanoseconds from the start of the transaction to the end of a phase; 0 if it did not run. */
SDIMAGE_API uint64_t sdimage_result_transaction_time_ns(const sdimage_result *result, size_t index,
                                                        sdimage_transaction_phase phase);

/* Name of a source: "network", "disk", … Static. */
SDIMAGE_API const char *sdimage_image_source_name(sdimage_image_source source);

/* Name of a rule: "max_age", "stale_if_error", …; "none" for an unknown number. Static. */
SDIMAGE_API const char *sdimage_freshness_rule_name(sdimage_freshness_rule rule);

/* --- Responses of a server: passed to modify_response and decrypt (hooks.h), returned by a task or a
 * result, or created by the caller. */

/* Creates a response without header fields, for sdimage_download_hooks_new_fixed and for transports. NULL when memory
 * is refused. */
SDIMAGE_API sdimage_response *sdimage_response_new(int32_t status);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_response *sdimage_response_ref(const sdimage_response *response);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_response_unref(sdimage_response *response);

/* Returns the URL after redirects, without user and password. Borrowed. */
SDIMAGE_API const char *sdimage_response_url(const sdimage_response *response);
/* Returns the HTTP status. */
SDIMAGE_API int32_t sdimage_response_status(const sdimage_response *response);
/* Replaces the status, before it is checked. */
SDIMAGE_API void sdimage_response_set_status(sdimage_response *response, int32_t status);

/* Returns the value of a header field, the first one if it occurs more than once; NULL when it is absent. Borrowed
 * until the field changes or the response is freed. */
SDIMAGE_API const char *sdimage_response_header(const sdimage_response *response, const char *name);
/* Returns the name of header field number `index` of the response, in their order; NULL beyond the last. *value, if
 * `value` is not NULL, receives its value. Borrowed until fields change or the response is freed. */
SDIMAGE_API const char *sdimage_response_header_at(const sdimage_response *response, size_t index, const char **value);

/* Sets a header field, replacing all of that name; a NULL value removes them. */
SDIMAGE_API void sdimage_response_set_header(sdimage_response *response, const char *name, const char *value);

/* Adds a header field, in addition to others of its name. */
SDIMAGE_API void sdimage_response_add_header(sdimage_response *response, const char *name, const char *value);

/* --- Replies: the results of hooks that may wait. Class: synchronized.
 *
 * A hook receives a reply with a reference of its own and completes it once, now or later, on any thread; a second
 * completion is ignored. Releasing it uncompleted completes it with INTERNAL_ERROR. */

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_reply *sdimage_reply_ref(const sdimage_reply *reply);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_reply_unref(sdimage_reply *reply);

/* Completes without a value: "stored", "removed", or "no such entry" for a query. */
SDIMAGE_API void sdimage_reply_complete(sdimage_reply *reply);
/* Completes with bytes. Referenced, not consumed. */
SDIMAGE_API void sdimage_reply_complete_with_data(sdimage_reply *reply, sdimage_data *data);
/* Completes with bytes and their metadata, for caches (sys/cache.h). Referenced, not consumed. */
SDIMAGE_API void sdimage_reply_complete_with_entry(sdimage_reply *reply, sdimage_cache_entry *entry);
/* Completes with an error. Referenced, not consumed; NULL counts as INTERNAL_ERROR. */
SDIMAGE_API void sdimage_reply_complete_with_error(sdimage_reply *reply, sdimage_error *error);
/* True if the result is no longer needed. */
SDIMAGE_API bool sdimage_reply_is_cancelled(const sdimage_reply *reply);

#ifdef __cplusplus
}
#endif

#endif
