/* metrics.h: what the library does, for those who run it: an event for each load, and numbers for monitoring.
 *
 * Messages are in log.h, the versions and limits of the process in sdimage_doctor (manager.h), the numbers of one cache
 * in sdimage_cache_statistics (cache.h). */
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

/* One load has ended: `result`, its FINAL, is borrowed. sdimage_result_source and sdimage_result_error say how,
 * sdimage_result_time_ns what each stage took, sdimage_result_transaction_* what went over the network. On the
 * library's callback thread, one at a time; it may call the library, but should be quick, because callbacks wait behind
 * it. */
typedef void (*sdimage_load_observer_fn)(void *user_data, const sdimage_result *result);

/* Who is told of every load of a manager that ends: those found in memory, cancelled ones and background renewals too,
 * not those that were refused. NULL, the default: nobody. `destroy(user_data)` is called once, after the last event. */
SDIMAGE_API void sdimage_manager_config_set_observer(sdimage_manager_config *config, sdimage_load_observer_fn observer,
                                                     void *user_data, sdimage_destroy_fn destroy);

/* The numbers of the process in the text format of Prometheus (version 0.0.4), in UTF-8, for an answer to its GET
 * /metrics: loads by source, errors by code, seconds of each stage as histograms, exchanges and bytes over the network,
 * hits, misses, evictions and bytes of memory caches, hits, misses, stores and failures of disk caches (both: all that
 * are open, added up, so that closing one makes its numbers go), pixel memory, threads. Reads no disk. Errors:
 * NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_metrics(sdimage_data **text, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
