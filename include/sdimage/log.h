/* log.h: messages of the library in addition to its results.
 *
 * The library itself prints nothing. */
#ifndef SDIMAGE_LOG_H
#define SDIMAGE_LOG_H

#include "base.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Severity of a message; higher numbers are less severe. */
typedef enum SDIMAGE_ENUM sdimage_log_level {
    SDIMAGE_LOG_LEVEL_OFF = 0,     /* nothing */
    SDIMAGE_LOG_LEVEL_ERROR = 1,   /* data was lost: a cache set aside, a store dropped */
    SDIMAGE_LOG_LEVEL_WARNING = 2, /* something was repaired: a damaged entry, a poisoned connection */
    SDIMAGE_LOG_LEVEL_INFO = 3,    /* caches opened, loads that failed */
    SDIMAGE_LOG_LEVEL_DEBUG = 4    /* every load */
} sdimage_log_level;

/* The callback of the log. */
typedef struct sdimage_log_handler {
    size_t size;
    /* Receives one line, without a line end; URLs in it have no passwords. Called on any thread, concurrently; must not
     * block. It may call the library: messages of such calls are not logged, and blocking functions of caches return
     * WOULD_DEADLOCK, because the message may come from the middle of such a function. */
    void (*message)(void *user_data, sdimage_log_level level, const char *text);
} sdimage_log_handler;

/* Sends messages up to `level` to the handler, which replaces the previous one; NULL or OFF ends logging.
 * `destroy(user_data)` is called once, after the last message, also when this call fails. Errors: INVALID_ARGUMENT (a
 * table without `message`), FORKED. */
SDIMAGE_API sdimage_status sdimage_log_set_handler(sdimage_log_level level, const sdimage_log_handler *handler,
                                                   void *user_data, sdimage_destroy_fn destroy, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
