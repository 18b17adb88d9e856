/* tier.h: a cache on servers of any kind: look-ups within a time budget, circuit breaker, leases, background stores. */
#ifndef SDREMOTE_TIER_H
#define SDREMOTE_TIER_H

#include <sdimage/sys/cache.h>
#include <sdimage/options.h>
#include <sdimage/plugins/remote.h>

#include "engine.h"

/* Makes a cache object on the servers at `address`. */
sdimage_status sdremote_cache_new(const sdremote_engine *engine, const char *address, const sdimage_options *options,
                                  sdimage_cache **cache, sdimage_error **error);

uint64_t sdremote_cache_statistic(const sdimage_cache *cache, sdimage_remote_statistic statistic);

#endif
