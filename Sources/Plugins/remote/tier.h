/* tier.h: a cache on servers of any kind: look-ups within a time budget, circuit breaker, leases, background stores.
 *
 * redis.c and memcached.c provide the engine (engine.h) and call this; remote.h describes the behavior for programs.
 * The parts: tier.c (calls of the library), worker.c (exchanges), timer.c (deadlines), tier_state.h (their common state
 * and lock). */
#ifndef SDREMOTE_TIER_H
#define SDREMOTE_TIER_H

#include <sdimage/sys/cache.h>
#include <sdimage/options.h>
#include <sdimage/plugins/remote.h>

#include "engine.h"

/* Makes a cache object on the servers at `address`. Errors: INVALID_ARGUMENT, NO_MEMORY, FORKED. */
sdimage_status sdremote_cache_new(const sdremote_engine *engine, const char *address, const sdimage_options *options,
                                  sdimage_cache **cache, sdimage_error **error);

/* Returns a counter since the cache was made; 0 if the cache is not one of this plug-in and process. */
uint64_t sdremote_cache_statistic(const sdimage_cache *cache, sdimage_remote_statistic statistic);

#endif
