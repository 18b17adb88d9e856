/* memcached.h: a cache on one or many memcached servers, by libmemcached: the plug-in libsdimage-memcached.so.1.
 *
 * Keys are shared out among the servers by consistent hashing; one that fails is left out until it is back, and its keys go
 * to the others. What the remote caches have in common: remote.h. */
#ifndef SDIMAGE_PLUGINS_MEMCACHED_H
#define SDIMAGE_PLUGINS_MEMCACHED_H

#include "../cache.h"
#include "../options.h"
#include "remote.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A cache on servers, "host[:port]" separated by commas (default port 11211; an IPv6 address in brackets) or paths of
 * sockets; the same list in the same order in every process. `options` (remote.h) may be NULL. No server is asked yet: one
 * that is not there is no error. Entries that shall be larger than SDIMAGE_REMOTE_MAX_ENTRY says by default need servers
 * that take them (-I). Errors: INVALID_ARGUMENT (no such address, or no such namespace), NO_MEMORY, FORKED. */
SDIMAGE_API sdimage_status sdimage_memcached_cache_new(const char *servers, const sdimage_options *options,
                                                       sdimage_cache **cache, sdimage_error **error);

/* A number of a cache that sdimage_memcached_cache_new made; 0 for others. */
SDIMAGE_API uint64_t sdimage_memcached_cache_statistic(const sdimage_cache *cache, sdimage_remote_statistic statistic);

#ifdef __cplusplus
}
#endif

#endif
