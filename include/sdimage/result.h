/* result.h: the content of one delivery of a load.
 *
 * Class: immutable. Borrowed values live as long as the result. */
#ifndef SDIMAGE_RESULT_H
#define SDIMAGE_RESULT_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    SDIMAGE_FRESHNESS_RULE_EXPIRED = 7,          /* the lifetime is over */
    SDIMAGE_FRESHNESS_RULE_NO_LIFETIME = 8,      /* no lifetime is known */
    SDIMAGE_FRESHNESS_RULE_NO_CACHE = 9,         /* every use must be revalidated */
    SDIMAGE_FRESHNESS_RULE_MUST_REVALIDATE = 10, /* the lifetime is over, and stale use is forbidden */
    SDIMAGE_FRESHNESS_RULE_NO_STORE = 11,        /* the response, new or cached, may not be stored */
    SDIMAGE_FRESHNESS_RULE_VARY = 12,            /* the request differs in a field selected by Vary */
    SDIMAGE_FRESHNESS_RULE_REQUEST = 13,         /* the request's own Cache-Control requires it */
    SDIMAGE_FRESHNESS_RULE_CLOCK = 14,           /* dated in the future: the clock was set back */
    SDIMAGE_FRESHNESS_RULE_REFRESH = 15,         /* the request is a REFRESH */

    /* Revalidation failed, and the cached image was used, stale. */
    SDIMAGE_FRESHNESS_RULE_STALE_IF_ERROR = 16, /* within stale-if-error */
    SDIMAGE_FRESHNESS_RULE_UNREACHABLE = 17,    /* allowed, because nothing forbids it */
    SDIMAGE_FRESHNESS_RULE_OFFLINE = 18         /* the same, with loading disabled */
} sdimage_freshness_rule;

/* Timed stages of a load. */
typedef enum SDIMAGE_ENUM sdimage_stage {
    SDIMAGE_STAGE_TOTAL = 0,  /* from the starting call to the delivery; 0 if the starting call had the image */
    SDIMAGE_STAGE_QUEUED = 1, /* from the starting call to the first work */
    SDIMAGE_STAGE_DISK = 2,   /* disk cache look-up */
    SDIMAGE_STAGE_LOAD = 3,   /* waiting for a loader */
    SDIMAGE_STAGE_DECODE = 4, /* decoding, including the wait for a worker */
    SDIMAGE_STAGE_STORE = 5   /* waiting for the store, if the request demands it */
} sdimage_stage;

SDIMAGE_API sdimage_result *sdimage_result_ref(sdimage_result *result);
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

/* Source of the image; NONE without an image. */
SDIMAGE_API sdimage_image_source sdimage_result_source(const sdimage_result *result);

/* For the FINAL of a refresh: false if the image is the cached one. */
SDIMAGE_API bool sdimage_result_is_changed(const sdimage_result *result);

/* True if the image is stale and could not be revalidated; sdimage_result_error has the reason if a request was sent to
 * the origin. */
SDIMAGE_API bool sdimage_result_is_stale(const sdimage_result *result);

/* The rule that was applied. If the origin responded, the source distinguishes its response: MEMORY or DISK is "not
 * modified". */
SDIMAGE_API sdimage_freshness_rule sdimage_result_freshness(const sdimage_result *result);

/* The requested URL, without user and password, and the cache key of the image in its printed form
 * (sdimage_manager_get_cache_key). Borrowed; "" if there is none. */
SDIMAGE_API const char *sdimage_result_url(const sdimage_result *result);
SDIMAGE_API const char *sdimage_result_cache_key(const sdimage_result *result);

/* Nanoseconds spent in a stage; 0 if it did not run. */
SDIMAGE_API uint64_t sdimage_result_time_ns(const sdimage_result *result, sdimage_stage stage);

/* Returns the last response of the built-in downloader: its status and header fields (hooks.h), also of a failure. The
 * caller owns *response; NULL if nothing was downloaded. */
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

/* Status and protocol of the response: 0 and "" without a response; otherwise "HTTP/1.1" or "HTTP/2". Static. */
SDIMAGE_API int32_t sdimage_result_transaction_http_status(const sdimage_result *result, size_t index);
SDIMAGE_API const char *sdimage_result_transaction_protocol(const sdimage_result *result, size_t index);

/* Address of the server: "192.0.2.1:443", "[2001:db8::1]:443"; "" without a connection. Borrowed. */
SDIMAGE_API const char *sdimage_result_transaction_remote_address(const sdimage_result *result, size_t index);

/* True if the request used a connection opened for an earlier one. */
SDIMAGE_API bool sdimage_result_transaction_is_connection_reused(const sdimage_result *result, size_t index);

/* Bytes received: heads and body as transferred, and the body after decoding of its content coding. */
SDIMAGE_API uint64_t sdimage_result_transaction_wire_bytes(const sdimage_result *result, size_t index);
SDIMAGE_API uint64_t sdimage_result_transaction_body_bytes(const sdimage_result *result, size_t index);

/* Nanoseconds from the start of the transaction to the end of a phase; 0 if it did not run. */
SDIMAGE_API uint64_t sdimage_result_transaction_time_ns(const sdimage_result *result, size_t index,
                                                        sdimage_transaction_phase phase);

/* Name of a source: "network", "disk", … Static. */
SDIMAGE_API const char *sdimage_image_source_name(sdimage_image_source source);

/* Name of a rule: "max_age", "stale_if_error", …; "none" for an unknown number. Static. */
SDIMAGE_API const char *sdimage_freshness_rule_name(sdimage_freshness_rule rule);

#ifdef __cplusplus
}
#endif

#endif
