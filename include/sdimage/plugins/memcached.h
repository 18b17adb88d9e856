/* memcached.h: a cache on one or many memcached servers, by libmemcached: the plug-in libsdimage-memcached.so.1.
 *
 * Consistent hashing distributes the keys over the servers; each entry is stored once. If there are several servers,
 * one that fails SDIMAGE_REMOTE_BREAKER_FAILURES times in a row is excluded for SDIMAGE_REMOTE_BREAKER_PAUSE_MS: its
 * keys, and no others, move to the other servers, where they are missed once and stored again. Then the server is tried
 * again; one more failure excludes it again.
 *
 * A server that returns has its old keys and missed all changes in between. An entry may therefore be an older one
 * until it expires; its freshness is determined by its own fields. Each process detects failures independently, so that
 * two may use different servers for a moment, and request an image from the origin twice. A single server has the
 * breaker of remote.h instead. Common properties of the remote caches: remote.h. */
#ifndef SDIMAGE_PLUGINS_MEMCACHED_H
#define SDIMAGE_PLUGINS_MEMCACHED_H

#include "../cache.h"
#include "../options.h"
#include "remote.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a cache on servers: "host[:port]" separated by commas (default port 11211; an IPv6 address in brackets) or
 * paths of sockets. All processes use the same list in the same order. `options` (remote.h) may be NULL. No server is
 * contacted yet: an unreachable one is no error. Entries larger than the default of SDIMAGE_REMOTE_MAX_ENTRY need
 * servers that accept them (-I). Errors: INVALID_ARGUMENT (an invalid address or namespace), NO_MEMORY, FORKED. */
SDIMAGE_API sdimage_status sdimage_memcached_cache_new(const char *servers, const sdimage_options *options,
                                                       sdimage_cache **cache, sdimage_error **error);

/* Returns a counter of a cache made by sdimage_memcached_cache_new; 0 for others, and in a forked child. */
SDIMAGE_API uint64_t sdimage_memcached_cache_statistic(const sdimage_cache *cache, sdimage_remote_statistic statistic);

#ifdef __cplusplus
}
#endif

#endif
