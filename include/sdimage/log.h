/* log.h: what the library has to say beside its results.
 *
 * Nothing is printed by the library itself. */
#ifndef SDIMAGE_LOG_H
#define SDIMAGE_LOG_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How serious a message is; the higher the number, the less. */
typedef enum SDIMAGE_ENUM sdimage_log_level {
    SDIMAGE_LOG_LEVEL_OFF = 0,     /* nothing */
    SDIMAGE_LOG_LEVEL_ERROR = 1,   /* something was lost: a cache set aside, a store dropped */
    SDIMAGE_LOG_LEVEL_WARNING = 2, /* something was mended: a damaged entry, a poisoned connection */
    SDIMAGE_LOG_LEVEL_INFO = 3,    /* caches opened, loads that failed */
    SDIMAGE_LOG_LEVEL_DEBUG = 4    /* every load */
} sdimage_log_level;

/* One line, without a line end; URLs in it have no passwords. Called on any thread, several at once; must not block. It
 * may call the library: what the call itself has to say is not logged, and blocking functions of caches answer
 * WOULD_DEADLOCK, because the message may come from the middle of such a function. */
typedef void (*sdimage_log_fn)(void *user_data, sdimage_log_level level, const char *message);

/* Sends messages up to `level` to `log`, in place of the one set before; NULL or OFF ends logging. `destroy(user_data)`
 * is called once, after the last message. */
SDIMAGE_API void sdimage_log_set_handler(sdimage_log_level level, sdimage_log_fn log, void *user_data,
                                         sdimage_destroy_fn destroy);

#ifdef __cplusplus
}
#endif

#endif
