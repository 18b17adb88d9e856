/* diagnostics.h: the state of the process: messages, metrics for monitoring, versions and limits, and memory.
 *
 * The library itself prints nothing. The counters of one cache are in cache.h. */
#ifndef SDIMAGE_DIAGNOSTICS_H
#define SDIMAGE_DIAGNOSTICS_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "manager.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Messages, in addition to results. */

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

/* --- Metrics. */

/* The callback for loads that have ended. */
typedef struct sdimage_load_observer {
    size_t size;
    /* Receives the FINAL result, borrowed. sdimage_result_source and sdimage_result_error report the outcome,
     * sdimage_result_time_ns the time of each stage, sdimage_result_transaction_* the network transfer. Called on the
     * library's callback thread, serialized. It may call the library, but should be quick: callbacks wait for it. */
    void (*load_ended)(void *user_data, const sdimage_result *result);
} sdimage_load_observer;

/* Sets the observer of all loads of a manager that end, including those found in memory, cancelled loads and background
 * revalidations, but not refused loads. NULL, the default: none. `destroy(user_data)` is called once, after the last
 * call, also when this call fails. Errors: INVALID_ARGUMENT (a table without `load_ended`). */
SDIMAGE_API sdimage_status sdimage_manager_config_set_observer(sdimage_manager_config *config,
                                                               const sdimage_load_observer *observer, void *user_data,
                                                               sdimage_destroy_fn destroy, sdimage_error **error);

/* Returns the metrics of the process in the text format of Prometheus (version 0.0.4), in UTF-8, for a response to its
 * GET /metrics:
 *
 * - loads by source, errors by code, and histograms of the seconds of each stage;
 * - exchanges and bytes over the network;
 * - hits, misses, evictions and bytes of memory caches;
 * - hits, misses, stores and failures of disk caches;
 * - pixel memory and threads.
 *
 * Caches: the sums over all open ones; closing one removes its counts. Reads no disk. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_metrics(sdimage_data **text, sdimage_error **error);

/* --- Diagnosis. */

/* Returns diagnostics for bug reports: a JSON object in UTF-8 with "version", "formats" ({"decode": […], "encode":
 * […]}), "libraries", "plugins" (of coder.h: the library and its version, or the reason for its absence), "limits",
 * "disabled" (the parsers that the environment variable SDIMAGE_DISABLE turns off), "cache_path" (the default directory
 * of caches, null if there is none), "cache_path_source" ("XDG_CACHE_HOME", "HOME" or "password database"),
 * "cache_path_problem" (the reason why no cache can be stored there; null if one can), "processors", "simd_level" (the
 * instructions that pixel kernels use: "baseline", "avx2" or "avx512"; the environment variable SDIMAGE_CPU with one of
 * these values is an upper limit, read when the library is loaded), "pixel_pool" and "library_threads". */
SDIMAGE_API sdimage_status sdimage_doctor(sdimage_data **json, sdimage_error **error);

/* --- Memory. */

/* Returns unused pixel memory to the system. With `empty_caches`, also empties the memory part of every open cache and
 * discards the images of resources. To be called when the system is short of memory. Images in use stay valid. */
SDIMAGE_API void sdimage_trim_memory(bool empty_caches);

/* Monitors the memory pressure of the system and of the control group of this process once a second. When memory is
 * short it acts as sdimage_trim_memory(true), at most every ten seconds. Default false. Uses an existing thread of the
 * library and starts none: while the process has neither a manager nor a cache with a disk part, nothing is checked. */
SDIMAGE_API void sdimage_watch_memory_pressure(bool watch);

#ifdef __cplusplus
}
#endif

#endif
