/* remote.h: common properties of the remote caches of the plug-ins (memcached.h, redis.h): options, guarantees,
 * counters.
 *
 * A remote cache stores encoded bytes with their metadata on servers shared by a fleet of processes. It is a cache like
 * any other, used below memory and disk:
 *
 *   sdimage_redis_cache_new("redis://cache.example:6379/0", NULL, &shared, &error);
 *   sdimage_cache_new_tiered(local, shared, &cache, &error);
 *   sdimage_manager_config_set_cache(config, cache);
 *
 * No behavior of the servers fails a load or makes it wrong: a missing, late, damaged or incompatible entry is a miss.
 *
 * A look-up ends within its budget in any case. Look-ups that follow a late one end immediately, so that no load waits
 * twice. After some failures in a row no server is contacted for a while (the breaker is open), and look-ups end
 * immediately. Then a single look-up, for which no load waits, decides if loads contact the servers again.
 *
 * One of the processes that miss an entry obtains a lease and sends a request to the origin; the others wait for the
 * entry that it stores. The lease of a process that dies expires. No load waits longer than
 * SDIMAGE_REMOTE_LEASE_WAIT_MS.
 *
 * Names on servers are the namespace, ":h:" (entries) or ":l:" (leases) and the SHA-256 of the key in hexadecimal;
 * values contain the same digest and a checksum. No URL is stored, and no password or token in it. Private responses
 * are not stored (sdimage_cache_vtable.is_shared in sys/cache.h).
 *
 * A revalidated entry is updated by compare-and-swap (EVAL of Redis, gets and cas of memcached): a newer entry that
 * another process stored meanwhile stays. A server that refuses the update keeps its entry unchanged. Shared entries
 * cannot be cleared: sdimage_cache_clear is UNSUPPORTED; change the namespace instead.
 *
 * Each cache has a connection and a thread for each of SDIMAGE_REMOTE_CONNECTIONS, the last of which stores, and one
 * thread for time-outs. They start when first needed, and end shortly after the cache. Functions on bytes (cache.h)
 * return CONNECT_FAILED, TIMEOUT, BUSY (the breaker is open, or too many bytes wait to be stored) and TOO_LARGE. */
#ifndef SDIMAGE_PLUGINS_REMOTE_H
#define SDIMAGE_PLUGINS_REMOTE_H

#include "../base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Options: names of values in an sdimage_options (options.h). Values out of range become the nearest valid ones. */

/* Text before every key, which separates the entries of programs that share servers; 1 to 64 printable ASCII characters
 * without spaces, otherwise INVALID_ARGUMENT. Default "sdimage". */
#define SDIMAGE_REMOTE_NAMESPACE "remote.namespace"
/* Seconds after which servers drop an entry; fewer if the entry itself expires earlier. Default 604800 (a week). */
#define SDIMAGE_REMOTE_TTL_S "remote.ttl_s"
/* Bytes of the largest entry that is stored and read, including key and metadata. Default 1000000: what memcached
 * accepts. */
#define SDIMAGE_REMOTE_MAX_ENTRY "remote.max_entry"
/* Milliseconds after which a look-up is a miss. Default 50. */
#define SDIMAGE_REMOTE_BUDGET_MS "remote.budget_ms"
/* Milliseconds after which a store has failed. Default 1000. */
#define SDIMAGE_REMOTE_STORE_TIMEOUT_MS "remote.store_timeout_ms"
/* Connections to each server, 1 to 16. Default 2. */
#define SDIMAGE_REMOTE_CONNECTIONS "remote.connections"
/* Bytes of entries waiting to be stored; entries beyond that are dropped. Default 33554432. */
#define SDIMAGE_REMOTE_QUEUE_BYTES "remote.queue_bytes"
/* Failures in a row that open the breaker, for each server. Default 3. */
#define SDIMAGE_REMOTE_BREAKER_FAILURES "remote.breaker_failures"
/* Milliseconds for which the breaker stays open; doubled each time that the servers still fail afterwards, up to 30 s.
 * Default 1000. */
#define SDIMAGE_REMOTE_BREAKER_PAUSE_MS "remote.breaker_pause_ms"
/* Milliseconds after which an unreleased lease expires. 0: no leases. Default 5000. */
#define SDIMAGE_REMOTE_LEASE_MS "remote.lease_ms"
/* Maximum milliseconds that a load waits for one in another process. Default 5000. */
#define SDIMAGE_REMOTE_LEASE_WAIT_MS "remote.lease_wait_ms"

/* --- Counters since the cache was made. */

/* Events that a remote cache counts from its creation on. */
typedef enum SDIMAGE_ENUM sdimage_remote_statistic {
    SDIMAGE_REMOTE_STATISTIC_HITS = 0,           /* entries found */
    SDIMAGE_REMOTE_STATISTIC_MISSES = 1,         /* look-ups of entries that the server did not have */
    SDIMAGE_REMOTE_STATISTIC_STORED = 2,         /* entries that a server accepted */
    SDIMAGE_REMOTE_STATISTIC_FAILURES = 3,       /* look-ups and changes without a response of the server */
    SDIMAGE_REMOTE_STATISTIC_TIMEOUTS = 4,       /* look-ups ended by their budget */
    SDIMAGE_REMOTE_STATISTIC_BREAKER_OPENED = 5, /* openings of the breaker */
    SDIMAGE_REMOTE_STATISTIC_REFUSED = 6,        /* not sent: the breaker was open, or a look-up was late just before */
    SDIMAGE_REMOTE_STATISTIC_DAMAGED = 7,        /* values of another cache, or incomplete ones */
    SDIMAGE_REMOTE_STATISTIC_TOO_LARGE = 8,      /* not stored: over the limit */
    SDIMAGE_REMOTE_STATISTIC_DROPPED = 9,        /* not stored: too many bytes waited already */
    SDIMAGE_REMOTE_STATISTIC_LEASES = 10,        /* taken: one request to the origin for the whole fleet */
    SDIMAGE_REMOTE_STATISTIC_WAITED = 11,        /* loads that waited for one in another process */
    SDIMAGE_REMOTE_STATISTIC_SPARED = 12,        /* loads that used its entry instead of the origin */
    SDIMAGE_REMOTE_STATISTIC_GIVEN_UP = 13,      /* loads that waited up to the limit */
    /* round trips to the servers: commands that waited together are sent together */
    SDIMAGE_REMOTE_STATISTIC_EXCHANGES = 14
} sdimage_remote_statistic;

#ifdef __cplusplus
}
#endif

#endif
