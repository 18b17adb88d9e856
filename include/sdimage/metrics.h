/* metrics.h: metrics for operators: an event for each load, and counters for monitoring.
 *
 * Messages are in log.h, the versions and limits of the process in sdimage_doctor (manager.h), the counters of one
 * cache in sdimage_cache_statistics (cache.h). */
#ifndef SDIMAGE_METRICS_H
#define SDIMAGE_METRICS_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "manager.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
