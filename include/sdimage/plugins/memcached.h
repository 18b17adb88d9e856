/* memcached.h: a cache on one or many memcached servers, by libmemcached: the plug-in libsdimage-memcached.so.1.
 *
 * Keys are shared out among the servers by consistent hashing; nothing is kept twice. Where there are several, one that
 * fails SDIMAGE_REMOTE_BREAKER_FAILURES times in a row is left out for SDIMAGE_REMOTE_BREAKER_PAUSE_MS: its keys, and
 * no others, go to the rest, where they are missed once and stored anew. Then it is asked again, and one more failure
 * leaves it out again. When it is back its keys are there as they were: what was stored or removed meanwhile is not
 * known to it, so an entry may be one that is older, until its time is over; freshness is judged by what the entry
 * itself says. Each process finds out by itself, so that for a moment two may ask different servers, and the origin
 * twice. A single server has the breaker of remote.h instead. What the remote caches have in common: remote.h. */
#ifndef SDIMAGE_PLUGINS_MEMCACHED_H
#define SDIMAGE_PLUGINS_MEMCACHED_H

#include "../cache.h"
#include "../options.h"
#include "remote.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A cache on servers, "host[:port]" separated by commas (default port 11211; an IPv6 address in brackets) or paths of
 * sockets; the same list in the same order in every process. `options` (remote.h) may be NULL. No server is asked yet:
 * one that is not there is no error. Entries that shall be larger than SDIMAGE_REMOTE_MAX_ENTRY says by default need
 * servers that take them (-I). Errors: INVALID_ARGUMENT (no such address, or no such namespace), NO_MEMORY, FORKED. */
SDIMAGE_API sdimage_status sdimage_memcached_cache_new(const char *servers, const sdimage_options *options,
                                                       sdimage_cache **cache, sdimage_error **error);

/* A number of a cache that sdimage_memcached_cache_new made; 0 for others. */
SDIMAGE_API uint64_t sdimage_memcached_cache_statistic(const sdimage_cache *cache, sdimage_remote_statistic statistic);

#ifdef __cplusplus
}
#endif

#endif
