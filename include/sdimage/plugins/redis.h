/* redis.h: a cache on Redis, Valkey or compatible servers, by hiredis: the plug-in libsdimage-redis.so.1.
 *
 * One endpoint: a server, a proxy, a managed cluster. Common properties of the remote caches: remote.h. */
#ifndef SDIMAGE_PLUGINS_REDIS_H
#define SDIMAGE_PLUGINS_REDIS_H

#include "../cache.h"
#include "../options.h"
#include "remote.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a cache on a server: "redis://[[user]:password@]host[:port][/database]", "host[:port]" (default port 6379; an
 * IPv6 address in brackets), or the path of a socket, "/run/redis.sock". User and password may be percent-encoded.
 * `options` (remote.h) may be NULL. No server is contacted yet: an unreachable one is no error. TLS is not supported; a
 * proxy on the same host can add it. Errors: INVALID_ARGUMENT (an invalid address or namespace), NO_MEMORY, FORKED. */
SDIMAGE_API sdimage_status sdimage_redis_cache_new(const char *address, const sdimage_options *options,
                                                   sdimage_cache **cache, sdimage_error **error);

/* Returns a counter of a cache made by sdimage_redis_cache_new; 0 for others, and in a forked child. */
SDIMAGE_API uint64_t sdimage_redis_cache_statistic(const sdimage_cache *cache, sdimage_remote_statistic statistic);

#ifdef __cplusplus
}
#endif

#endif
