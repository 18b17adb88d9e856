/* diagnostics.h: the state of the process: messages, metrics for monitoring, versions and limits, and memory.
 *
 * The library itself prints nothing. The counters of one cache are in cache.h. Class:
 * sdimage_diagnosis immutable. */
#ifndef SDIMAGE_DIAGNOSTICS_H
#define SDIMAGE_DIAGNOSTICS_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "isolation.h"
#include "manager.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Messages, in addition to results. */

/* Severity of a message; higher numbers are less severe. */
typedef enum SDIMAGE_ENUM sdimage_log_level {
    SDIMAGE_LOG_LEVEL_OFF = 0,     /* nothing */
    SDIMAGE_LOG_LEVEL_ERROR = 1,   /* an unusable cache folder, an index set aside, a store dropped */
    SDIMAGE_LOG_LEVEL_WARNING = 2, /* something was damaged or failed, and work continued */
    SDIMAGE_LOG_LEVEL_INFO = 3,    /* disk caches opened, loads that failed, stale images used */
    SDIMAGE_LOG_LEVEL_DEBUG = 4    /* every load that ended, with its outcome and the source of its image */
} sdimage_log_level;

/* Warnings are: an entry of a disk cache that was damaged or that no coder decodes, a damaged JPEG image, a gain map
 * that is not used or not written, an image that cannot be encoded for the disk, a failed transformer, an image that an
 * animated view cannot show, a response before any request (its connection is closed), and unknown names in
 * SDIMAGE_DISABLE. A custom cache that fails is an ERROR, an additional file that is not used (cache.h) INFO. Texts may
 * change. */

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

/* Writes a line to the log, for coders, loaders and caches of the host: for example, that a part of a file was ignored.
 * NULL, and a level of OFF, have no effect. */
SDIMAGE_API void sdimage_log_write(sdimage_log_level level, const char *text);

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
 * - pixel memory and threads;
 * - worker processes (isolation.h): their number, starts, results, crashes and kills.
 *
 * Caches: the sums over all open ones; closing one removes its counts. Reads no disk. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_metrics(sdimage_data **text, sdimage_error **error);

/* --- Diagnosis. */

/* Collects the versions, formats, limits and state of the library, for bug reports. Opens the modules of HEIC and AVIF,
 * which takes up to 50 ms. The caller owns *diagnosis. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_diagnosis_new(sdimage_diagnosis **diagnosis, sdimage_error **error);
/* Adds a reference and returns the object. */
SDIMAGE_API sdimage_diagnosis *sdimage_diagnosis_ref(const sdimage_diagnosis *diagnosis);
/* Releases a reference; NULL has no effect. */
SDIMAGE_API void sdimage_diagnosis_unref(sdimage_diagnosis *diagnosis);

/* Returns true if a registered coder decodes the format. */
SDIMAGE_API bool sdimage_diagnosis_can_decode(const sdimage_diagnosis *diagnosis, sdimage_format format);
/* Returns true if a registered coder encodes the format. */
SDIMAGE_API bool sdimage_diagnosis_can_encode(const sdimage_diagnosis *diagnosis, sdimage_format format);

/* Returns the number of libraries in use, such as libjpeg and SQLite. */
SDIMAGE_API size_t sdimage_diagnosis_library_count(const sdimage_diagnosis *diagnosis);
/* Returns the name of a library; NULL beyond the last. Borrowed. */
SDIMAGE_API const char *sdimage_diagnosis_library_name(const sdimage_diagnosis *diagnosis, size_t index);
/* Returns the version of a library; NULL beyond the last. Borrowed. */
SDIMAGE_API const char *sdimage_diagnosis_library_version(const sdimage_diagnosis *diagnosis, size_t index);

/* Returns the number of known plug-ins. */
SDIMAGE_API size_t sdimage_diagnosis_plugin_count(const sdimage_diagnosis *diagnosis);
/* Returns the name of a plug-in; NULL beyond the last. Borrowed. */
SDIMAGE_API const char *sdimage_diagnosis_plugin_name(const sdimage_diagnosis *diagnosis, size_t index);
/* Returns the library of a plug-in and its version, or the reason for its absence; NULL beyond the last. Borrowed. */
SDIMAGE_API const char *sdimage_diagnosis_plugin_state(const sdimage_diagnosis *diagnosis, size_t index);

/* Returns the number of limits in force. */
SDIMAGE_API size_t sdimage_diagnosis_limit_count(const sdimage_diagnosis *diagnosis);
/* Returns the name of a limit, such as "output_bytes"; NULL beyond the last. Borrowed. */
SDIMAGE_API const char *sdimage_diagnosis_limit_name(const sdimage_diagnosis *diagnosis, size_t index);
/* Returns the value of a limit, in the unit of its name; 0 beyond the last. */
SDIMAGE_API uint64_t sdimage_diagnosis_limit_value(const sdimage_diagnosis *diagnosis, size_t index);

/* Returns the number of parsers that the environment variable SDIMAGE_DISABLE turns off. */
SDIMAGE_API size_t sdimage_diagnosis_disabled_count(const sdimage_diagnosis *diagnosis);
/* Returns the name of a disabled parser; NULL beyond the last. Borrowed. */
SDIMAGE_API const char *sdimage_diagnosis_disabled_name(const sdimage_diagnosis *diagnosis, size_t index);

/* Returns the isolation of the process (isolation.h); never DEFAULT. */
SDIMAGE_API sdimage_isolation sdimage_diagnosis_isolation(const sdimage_diagnosis *diagnosis);
/* Returns the path of the program of worker processes; NULL if it is not installed. Borrowed. */
SDIMAGE_API const char *sdimage_diagnosis_decoder_path(const sdimage_diagnosis *diagnosis);

/* Returns the default directory of caches; NULL if there is none. Borrowed. */
SDIMAGE_API const char *sdimage_diagnosis_cache_path(const sdimage_diagnosis *diagnosis);
/* Returns the origin of that directory: "XDG_CACHE_HOME", "HOME" or "password database"; NULL if there is none.
 * Borrowed. */
SDIMAGE_API const char *sdimage_diagnosis_cache_path_source(const sdimage_diagnosis *diagnosis);
/* Returns the reason why no cache can be stored there; NULL if one can. Borrowed. */
SDIMAGE_API const char *sdimage_diagnosis_cache_path_problem(const sdimage_diagnosis *diagnosis);

/* Returns the number of available processors. */
SDIMAGE_API uint32_t sdimage_diagnosis_processor_count(const sdimage_diagnosis *diagnosis);
/* Returns the instructions that pixel kernels use: "baseline", "avx2" or "avx512". The environment variable SDIMAGE_CPU
 * with one of these values is an upper limit, read when the library is loaded, also that of worker processes.
 * Borrowed. */
SDIMAGE_API const char *sdimage_diagnosis_simd_level(const sdimage_diagnosis *diagnosis);
/* Returns the bytes of pixels in use. */
SDIMAGE_API uint64_t sdimage_diagnosis_live_pixel_bytes(const sdimage_diagnosis *diagnosis);
/* Returns the bytes of free pixel memory that the pool holds for reuse. */
SDIMAGE_API uint64_t sdimage_diagnosis_retained_pixel_bytes(const sdimage_diagnosis *diagnosis);
/* Returns the number of threads of the library. */
SDIMAGE_API uint32_t sdimage_diagnosis_thread_count(const sdimage_diagnosis *diagnosis);
/* Returns true while a manager, cache or player runs the library's threads. */
SDIMAGE_API bool sdimage_diagnosis_is_running(const sdimage_diagnosis *diagnosis);
/* Returns true in a process forked after that. */
SDIMAGE_API bool sdimage_diagnosis_is_forked(const sdimage_diagnosis *diagnosis);

/* Returns all of it as a JSON object in UTF-8: "version", "formats" ({"decode": […], "encode": […]}), "libraries",
 * "plugins", "limits", "disabled", "isolation" ("none", "risky" or "all"), "decoder_path", "workers" (the
 * counts of sdimage_isolation_get_statistics), "cache_path", "cache_path_source", "cache_path_problem", "processors",
 * "simd_level", "pixel_pool" ({"live_bytes", "retained_bytes"}), "library_threads", "engine_running" and "forked". The
 * caller owns *json. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_diagnosis_to_json(const sdimage_diagnosis *diagnosis, sdimage_data **json,
                                                     sdimage_error **error);

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
