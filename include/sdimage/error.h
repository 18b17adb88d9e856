/* error.h: status codes and error objects.
 *
 * Class: immutable. Codes are stable numbers; sdimage_status_name and Python's `sdimage.Error.code` return
 * their names without "SDIMAGE_STATUS_". */
#ifndef SDIMAGE_ERROR_H
#define SDIMAGE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The outcome of a call or a load. The number in brackets is that of the same condition in SDWebImage's error
 * domains. */
typedef enum SDIMAGE_ENUM sdimage_status {
    /* Notes: not failures. */
    SDIMAGE_STATUS_NEED_MORE_DATA = 2, /* nothing to show yet */
    SDIMAGE_STATUS_END = 1,            /* the end was reached */
    SDIMAGE_STATUS_OK = 0,             /* success */

    /* The call. */
    SDIMAGE_STATUS_INVALID_ARGUMENT = -1, /* NULL, an impossible number, or text that is not UTF-8 */
    SDIMAGE_STATUS_BAD_HANDLE = -2,       /* an object of another kind */
    SDIMAGE_STATUS_UNSUPPORTED = -3,      /* not supported by this build, format or object */
    SDIMAGE_STATUS_NO_MEMORY = -4,        /* an allocation was refused */
    SDIMAGE_STATUS_CANCELLED = -5,        /* [2002] cancelled by the caller */
    SDIMAGE_STATUS_SHUTDOWN = -6,         /* the manager or cache was closed */
    SDIMAGE_STATUS_FORKED = -7,           /* a forked child of the process that started the library */
    SDIMAGE_STATUS_WOULD_DEADLOCK = -8,   /* a blocking call on a thread of the library */
    SDIMAGE_STATUS_TIMEOUT = -9,          /* connection, transfer or decoding took too long */
    SDIMAGE_STATUS_NOT_FOUND = -10,       /* no such entry or file */
    SDIMAGE_STATUS_BUSY = -11,            /* locked for too long by another process or thread */
    SDIMAGE_STATUS_INTERNAL_ERROR = -12,  /* a defect of the library: please report it */

    /* The request and the network. */
    SDIMAGE_STATUS_INVALID_URL = -20,           /* [1000] empty, or not a URL */
    SDIMAGE_STATUS_SCHEME_FORBIDDEN = -21,      /* not http, https, file or data, and no loader accepts it */
    SDIMAGE_STATUS_ADDRESS_FORBIDDEN = -22,     /* the address policy forbids the resolved address */
    SDIMAGE_STATUS_RESOLVE_FAILED = -23,        /* the host name has no address */
    SDIMAGE_STATUS_CONNECT_FAILED = -24,        /* the server cannot be reached */
    SDIMAGE_STATUS_TLS_FAILED = -25,            /* the handshake or the certificate failed */
    SDIMAGE_STATUS_CONNECTION_LOST = -26,       /* the transfer was interrupted, or shorter than announced */
    SDIMAGE_STATUS_HTTP_STATUS = -27,           /* [2001] a status outside the accepted ones: see http_status */
    SDIMAGE_STATUS_TOO_MANY_REDIRECTS = -28,    /* more than the configured number */
    SDIMAGE_STATUS_REDIRECT_FORBIDDEN = -29,    /* to another scheme, or from https to http */
    SDIMAGE_STATUS_CONTENT_TYPE = -30,          /* [2004] a media type outside the accepted ones */
    SDIMAGE_STATUS_NOT_MODIFIED = -31,          /* [1002] a condition set by the request was met */
    SDIMAGE_STATUS_OFFLINE = -32,               /* loading is switched off, or there is no network */
    SDIMAGE_STATUS_FAILED_URL = -33,            /* [1003] failed permanently a moment ago, and not yet retried */
    SDIMAGE_STATUS_INVALID_REQUEST = -34,       /* [2000] header fields or a modifier's result cannot be sent */
    SDIMAGE_STATUS_INVALID_RESPONSE = -35,      /* [2003] an invalid response */
    SDIMAGE_STATUS_PROTOCOL_ERROR = -36,        /* not HTTP */
    SDIMAGE_STATUS_AUTHENTICATION_FAILED = -37, /* credentials were refused */

    /* The bytes and the pixels. */
    SDIMAGE_STATUS_BAD_DATA = -50,         /* [1001] damaged: the coder failed */
    SDIMAGE_STATUS_TRUNCATED = -51,        /* [1001] the bytes end too early */
    SDIMAGE_STATUS_NOT_AN_IMAGE = -52,     /* [1001] no coder recognizes the bytes */
    SDIMAGE_STATUS_TOO_LARGE = -53,        /* a limit was exceeded; the message names it */
    SDIMAGE_STATUS_EMPTY_DATA = -54,       /* [1001] no bytes */
    SDIMAGE_STATUS_TRANSFORM_FAILED = -55, /* a transformer returned no image */
    SDIMAGE_STATUS_ENCODE_FAILED = -56,    /* an encoder returned no bytes */
    SDIMAGE_STATUS_DECODER_CRASHED = -57,  /* in a worker process, now or twice before */
    SDIMAGE_STATUS_MODULE_MISSING = -58,   /* a library that a plug-in needs cannot be opened */

    /* Files and caches. */
    SDIMAGE_STATUS_IO_ERROR = -70,          /* see system_error */
    SDIMAGE_STATUS_PERMISSION_DENIED = -71, /* the file may not be read */
    SDIMAGE_STATUS_NOT_A_FILE = -72,        /* a folder, a pipe or a device */
    SDIMAGE_STATUS_DISK_FULL = -73,         /* no space, or over the quota */
    SDIMAGE_STATUS_CACHE_UNUSABLE = -74,    /* the cache's folder cannot be used, or others may write to it */
    SDIMAGE_STATUS_CACHE_DAMAGED = -75,     /* an entry failed its check, or the index is damaged */

    /* The photo library. */
    SDIMAGE_STATUS_PHOTOS_NOT_AUTHORIZED = -90, /* [10001] */
    SDIMAGE_STATUS_PHOTOS_NOT_AN_IMAGE = -91,   /* [10002] */
    SDIMAGE_STATUS_PHOTOS_NOT_FOUND = -92       /* [10003] */
} sdimage_status;

/* Returns the name of a code without its prefix, "TOO_LARGE"; "UNKNOWN" for a number of another version. Static. */
SDIMAGE_API const char *sdimage_status_name(sdimage_status status);

/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_error *sdimage_error_ref(const sdimage_error *error);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_error_unref(sdimage_error *error);

/* Creates an error for custom loaders, coders and caches. `message` is copied; at most one line of it is used. A
 * `status` that is not that of an error becomes INTERNAL_ERROR. NULL when memory is refused. The caller owns it. */
SDIMAGE_API sdimage_error *sdimage_error_new(sdimage_status status, const char *message);

/* Returns the status code; OK for NULL. */
SDIMAGE_API sdimage_status sdimage_error_code(const sdimage_error *error);

/* Returns a message of one line for users, without code and URL. Borrowed; "" for NULL. */
SDIMAGE_API const char *sdimage_error_message(const sdimage_error *error);

/* Returns the HTTP status of the refused response, or 0. */
SDIMAGE_API int32_t sdimage_error_http_status(const sdimage_error *error);

/* Returns the errno of the failed system call, or 0. */
SDIMAGE_API int32_t sdimage_error_system_error(const sdimage_error *error);

/* Returns the error number of the codec, database or transfer library (a CURLcode for the network), or 0. */
SDIMAGE_API int32_t sdimage_error_library_code(const sdimage_error *error);

/* Returns the URL of the load, without user and password. Borrowed; "" when no URL was involved. */
SDIMAGE_API const char *sdimage_error_url(const sdimage_error *error);

/* Returns true if the same load may succeed later without any change: TIMEOUT, RESOLVE_FAILED, CONNECT_FAILED,
 * CONNECTION_LOST, OFFLINE, FAILED_URL, BUSY, DISK_FULL, NO_MEMORY, and the HTTP statuses 408, 425, 429 and 5xx. */
SDIMAGE_API bool sdimage_error_is_transient(const sdimage_error *error);

#ifdef __cplusplus
}
#endif

#endif
