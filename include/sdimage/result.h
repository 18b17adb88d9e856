/* result.h: what one delivery of a load carries.
 *
 * Class: immutable. What a getter lends lives as long as the result. */
#ifndef SDIMAGE_RESULT_H
#define SDIMAGE_RESULT_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which delivery this is. Every accepted load ends with exactly one FINAL. */
typedef enum SDIMAGE_ENUM sdimage_delivery_kind {
    SDIMAGE_DELIVERY_KIND_PARTIAL = 1, /* what has come of the picture; a better one follows */
    SDIMAGE_DELIVERY_KIND_CACHED = 2,  /* a usable picture while a refresh is under way */
    SDIMAGE_DELIVERY_KIND_FINAL = 3    /* the last one: a picture, or an error */
} sdimage_delivery_kind;

/* Where the picture came from. */
typedef enum SDIMAGE_ENUM sdimage_image_source {
    SDIMAGE_IMAGE_SOURCE_NONE = 0,    /* there is no picture */
    SDIMAGE_IMAGE_SOURCE_MEMORY = 1,  /* the memory part of a cache */
    SDIMAGE_IMAGE_SOURCE_DISK = 2,    /* the disk part of a cache */
    SDIMAGE_IMAGE_SOURCE_REMOTE = 3,  /* a cache shared by several machines: one that has leases */
    SDIMAGE_IMAGE_SOURCE_NETWORK = 4, /* the built-in downloader */
    SDIMAGE_IMAGE_SOURCE_LOADER = 5   /* any other loader: a file, a data: URL, one of the host */
} sdimage_image_source;

/* By which rule a load with a freshness of RESPECT or REFRESH used a cached picture, or asked its origin. */
typedef enum SDIMAGE_ENUM sdimage_freshness_rule {
    /* Freshness was not looked at, or nothing was cached. */
    SDIMAGE_FRESHNESS_RULE_NONE = 0,

    /* The cached picture was used as it is. */
    SDIMAGE_FRESHNESS_RULE_MAX_AGE = 1,                /* younger than max-age */
    SDIMAGE_FRESHNESS_RULE_EXPIRES = 2,                /* before Expires */
    SDIMAGE_FRESHNESS_RULE_HEURISTIC = 3,              /* no word: for a tenth of the time it had not been modified */
    SDIMAGE_FRESHNESS_RULE_IMMUTABLE = 4,              /* fresh and immutable: not even a refresh asks */
    SDIMAGE_FRESHNESS_RULE_STALE_WHILE_REVALIDATE = 5, /* stale, and renewed in the background */
    SDIMAGE_FRESHNESS_RULE_MAX_STALE = 6,              /* stale, as the request's own Cache-Control allows */

    /* The origin was asked. */
    SDIMAGE_FRESHNESS_RULE_EXPIRED = 7,          /* its lifetime is over */
    SDIMAGE_FRESHNESS_RULE_NO_LIFETIME = 8,      /* nothing tells how long it is fresh */
    SDIMAGE_FRESHNESS_RULE_NO_CACHE = 9,         /* every use is to be confirmed */
    SDIMAGE_FRESHNESS_RULE_MUST_REVALIDATE = 10, /* its lifetime is over, and it may not be used stale */
    SDIMAGE_FRESHNESS_RULE_NO_STORE = 11,        /* the answer, this one or the cached one, may not be stored */
    SDIMAGE_FRESHNESS_RULE_VARY = 12,            /* this request differs in a field that the answer depends on */
    SDIMAGE_FRESHNESS_RULE_REQUEST = 13,         /* the request's own Cache-Control demands it */
    SDIMAGE_FRESHNESS_RULE_CLOCK = 14,           /* it came from the future: the clock was set back */
    SDIMAGE_FRESHNESS_RULE_REFRESH = 15,         /* the request is a REFRESH */

    /* Asking failed, and the cached picture was used, stale. */
    SDIMAGE_FRESHNESS_RULE_STALE_IF_ERROR = 16, /* within stale-if-error */
    SDIMAGE_FRESHNESS_RULE_UNREACHABLE = 17,    /* nothing forbids it */
    SDIMAGE_FRESHNESS_RULE_OFFLINE = 18         /* the same, loading being switched off */
} sdimage_freshness_rule;

/* Parts of a load that are timed. */
typedef enum SDIMAGE_ENUM sdimage_stage {
    SDIMAGE_STAGE_TOTAL = 0,  /* from the starting call to the delivery; 0 where the starting call had the picture */
    SDIMAGE_STAGE_QUEUED = 1, /* from the starting call to the first work */
    SDIMAGE_STAGE_DISK = 2,   /* looking into the disk cache */
    SDIMAGE_STAGE_LOAD = 3,   /* waiting for a loader */
    SDIMAGE_STAGE_DECODE = 4, /* decoding, waiting for a worker included */
    SDIMAGE_STAGE_STORE = 5   /* waiting for the store, where the request asked for that */
} sdimage_stage;

SDIMAGE_API sdimage_result *sdimage_result_ref(sdimage_result *result);
SDIMAGE_API void sdimage_result_unref(sdimage_result *result);

/* Which delivery this is. */
SDIMAGE_API sdimage_delivery_kind sdimage_result_kind(const sdimage_result *result);

/* The picture; NULL when there is none. Borrowed: sdimage_image_ref to keep it. */
SDIMAGE_API sdimage_image *sdimage_result_image(const sdimage_result *result);

/* The encoded bytes of the picture, where it is neither a thumbnail nor transformed, or is one that the disk had; NULL
 * for what was just made of an original, for parts, and for memory hits unless the request wants them. Borrowed. */
SDIMAGE_API sdimage_data *sdimage_result_data(const sdimage_result *result);

/* Why there is no picture, or why it is stale; NULL when all went well. A load that was allowed to use caches only and
 * found nothing has neither picture nor error. Borrowed. */
SDIMAGE_API sdimage_error *sdimage_result_error(const sdimage_result *result);

/* Where the picture came from; NONE without one. */
SDIMAGE_API sdimage_image_source sdimage_result_source(const sdimage_result *result);

/* For the FINAL of a refresh: false when it is the picture that was cached. */
SDIMAGE_API bool sdimage_result_is_changed(const sdimage_result *result);

/* The picture outlived its freshness and could not be renewed; sdimage_result_error tells why, where the origin was
   asked. */
SDIMAGE_API bool sdimage_result_is_stale(const sdimage_result *result);

/* The rule that decided. Where the origin was asked and answered, the source tells what it said: MEMORY or DISK is "not
 * modified". */
SDIMAGE_API sdimage_freshness_rule sdimage_result_freshness(const sdimage_result *result);

/* The URL as asked for, without user and password, and the cache key of the image in its printed
 * form (sdimage_manager_cache_key). Borrowed; "" when none. */
SDIMAGE_API const char *sdimage_result_url(const sdimage_result *result);
SDIMAGE_API const char *sdimage_result_cache_key(const sdimage_result *result);

/* Nanoseconds spent in a stage; 0 where it did not run. */
SDIMAGE_API uint64_t sdimage_result_time_ns(const sdimage_result *result, sdimage_stage stage);

/* The last answer of the built-in downloader: its status and header fields (hooks.h), that of a failure too. A copy,
 * the caller's to unref; NULL where nothing was downloaded. */
SDIMAGE_API void sdimage_result_copy_response(const sdimage_result *result, sdimage_response **response);

/* --- What the built-in downloader asked and was answered: one transaction for each hop of a redirect and each retry,
 * in order. None for what came from elsewhere; those before a failure are there too. Beyond the last index the getters
 * answer 0 and "". */

/* Moments of a transaction. */
typedef enum SDIMAGE_ENUM sdimage_transaction_phase {
    SDIMAGE_TRANSACTION_PHASE_NAME_LOOKUP = 0, /* the host's addresses are known */
    SDIMAGE_TRANSACTION_PHASE_CONNECT = 1,     /* the connection is open */
    SDIMAGE_TRANSACTION_PHASE_TLS = 2,         /* the handshake is over */
    SDIMAGE_TRANSACTION_PHASE_FIRST_BYTE = 3,  /* the first byte of the answer has come */
    SDIMAGE_TRANSACTION_PHASE_TOTAL = 4        /* the last byte has come, or it failed */
} sdimage_transaction_phase;

/* How many transactions there were; 0 where nothing was downloaded. */
SDIMAGE_API size_t sdimage_result_transaction_count(const sdimage_result *result);

/* The URL that was asked, without user and password. Borrowed. */
SDIMAGE_API const char *sdimage_result_transaction_url(const sdimage_result *result, size_t index);

/* Status and protocol of the answer: 0 and "" when none came; else "HTTP/1.1" or "HTTP/2". Static. */
SDIMAGE_API int32_t sdimage_result_transaction_http_status(const sdimage_result *result, size_t index);
SDIMAGE_API const char *sdimage_result_transaction_protocol(const sdimage_result *result, size_t index);

/* "192.0.2.1:443", "[2001:db8::1]:443"; "" when nothing was connected to. Borrowed. */
SDIMAGE_API const char *sdimage_result_transaction_remote_address(const sdimage_result *result, size_t index);

/* The request went over a connection that an earlier one had opened. */
SDIMAGE_API bool sdimage_result_transaction_is_connection_reused(const sdimage_result *result, size_t index);

/* Bytes received: heads and body as they came, and the body with its encoding undone. */
SDIMAGE_API uint64_t sdimage_result_transaction_wire_bytes(const sdimage_result *result, size_t index);
SDIMAGE_API uint64_t sdimage_result_transaction_body_bytes(const sdimage_result *result, size_t index);

/* Nanoseconds from the beginning of the transaction to the end of a phase; 0 where it did not run. */
SDIMAGE_API uint64_t sdimage_result_transaction_time_ns(const sdimage_result *result, size_t index,
                                                        sdimage_transaction_phase phase);

/* The name of a source: "network", "disk", … Static. */
SDIMAGE_API const char *sdimage_image_source_name(sdimage_image_source source);

/* The name of a rule: "max_age", "stale_if_error", …; "none" for a number of another version. Static. */
SDIMAGE_API const char *sdimage_freshness_rule_name(sdimage_freshness_rule rule);

#ifdef __cplusplus
}
#endif

#endif
