/* redis.h: a cache on Redis, Valkey or what speaks like them, by hiredis: the plug-in libsdimage-redis.so.1.
 *
 * One endpoint: a server, a proxy, a managed cluster. What the remote caches have in common: remote.h. */
#ifndef SDIMAGE_PLUGINS_REDIS_H
#define SDIMAGE_PLUGINS_REDIS_H

#include "../cache.h"
#include "../options.h"
#include "remote.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A cache on a server: "redis://[[user]:password@]host[:port][/database]", "host[:port]" (default port 6379; an IPv6
 * address in brackets), or the path of a socket, "/run/redis.sock". User and password may be percent-encoded. `options`
 * (remote.h) may be NULL. No server is asked yet: one that is not there is no error. TLS is not spoken: a proxy on the
 * same host can. Errors: INVALID_ARGUMENT (no such address, or no such namespace), NO_MEMORY, FORKED. */
SDIMAGE_API sdimage_status sdimage_redis_cache_new(const char *address, const sdimage_options *options,
                                                   sdimage_cache **cache, sdimage_error **error);

/* A number of a cache that sdimage_redis_cache_new made; 0 for others. */
SDIMAGE_API uint64_t sdimage_redis_cache_statistic(const sdimage_cache *cache, sdimage_remote_statistic statistic);

#ifdef __cplusplus
}
#endif

#endif
