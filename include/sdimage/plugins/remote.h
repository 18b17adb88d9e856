/* remote.h: what the remote caches of the plug-ins (memcached.h, redis.h) have in common: options, promises, numbers.
 *
 * A remote cache keeps encoded bytes, with all that belongs to them, on servers that a fleet of processes shares. It is
 * a cache like any other, and has its place below memory and disk:
 *
 *   sdimage_redis_cache_new("redis://cache.example:6379/0", NULL, &shared, &error);
 *   sdimage_cache_new_tiered(local, shared, &cache, &error);
 *   sdimage_manager_config_set_cache(config, cache);
 *
 * Nothing that servers do fails a load or makes it wrong: what is missing, late, damaged or of another version is a
 * miss.
 *
 * A look-up is answered within its budget, whatever the servers do, and the look-ups that follow one that was late are
 * answered at once, so that no load pays twice. After some failures in a row no server is asked for a
 * while (the breaker is open), and look-ups are answered at once; then one question that no load waits for decides
 * whether loads ask again.
 *
 * Of all processes that miss an entry one gets a lease and asks the origin; the others wait for what it stores. A
 * process that dies leaves a lease that ends by itself; nobody waits longer than SDIMAGE_REMOTE_LEASE_WAIT_MS.
 *
 * Names on servers are the namespace, ":h:" (entries) or ":l:" (leases) and the SHA-256 of the key in hexadecimal;
 * values carry the same digest and a checksum. No URL, and no password or token in one, is stored. Private responses
 * are not stored (sdimage_cache_vtable.is_shared in cache.h).
 *
 * A revalidated entry is renewed by compare-and-swap (EVAL of Redis, gets and cas of memcached): a newer entry that
 * another process stored meanwhile stays. A server that refuses it keeps the entry as it is. What is shared is nobody's
 * to empty: sdimage_cache_clear is UNSUPPORTED; change the namespace instead.
 *
 * Each cache has a connection and a thread for each of SDIMAGE_REMOTE_CONNECTIONS, the last one of which stores, and
 * one thread that watches the time. They start when first needed, and end some moments after the cache. Functions on
 * bytes (cache.h) answer CONNECT_FAILED, TIMEOUT, BUSY (the breaker is open, or too much waits to be stored) and
 * TOO_LARGE. */
#ifndef SDIMAGE_PLUGINS_REMOTE_H
#define SDIMAGE_PLUGINS_REMOTE_H

#include "../base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Options: names of values in an sdimage_options (options.h). What is out of range becomes the nearest that is
   not. */

/* Text before every key, so that programs that share servers do not see each other's entries; 1 to 64 printable
 * ASCII characters without spaces, anything else is INVALID_ARGUMENT. Default "sdimage". */
#define SDIMAGE_REMOTE_NAMESPACE "remote.namespace"
/* Seconds after which servers forget an entry; less where the entry itself ends sooner. Default 604800 (a week). */
#define SDIMAGE_REMOTE_TTL_S "remote.ttl_s"
/* Bytes of the largest entry that is stored and read, key and metadata included. Default 1000000: what memcached
   takes. */
#define SDIMAGE_REMOTE_MAX_ENTRY "remote.max_entry"
/* Milliseconds after which a look-up is a miss. Default 50. */
#define SDIMAGE_REMOTE_BUDGET_MS "remote.budget_ms"
/* Milliseconds after which a store has failed. Default 1000. */
#define SDIMAGE_REMOTE_STORE_TIMEOUT_MS "remote.store_timeout_ms"
/* Connections to each server, 1 to 16. Default 2. */
#define SDIMAGE_REMOTE_CONNECTIONS "remote.connections"
/* Bytes of entries that wait to be stored; what goes beyond is dropped. Default 33554432. */
#define SDIMAGE_REMOTE_QUEUE_BYTES "remote.queue_bytes"
/* Failures in a row that open the breaker, of each server. Default 3. */
#define SDIMAGE_REMOTE_BREAKER_FAILURES "remote.breaker_failures"
/* Milliseconds for which it stays open; twice as long each time that the servers still fail then, up to 30 s. Default
   1000. */
#define SDIMAGE_REMOTE_BREAKER_PAUSE_MS "remote.breaker_pause_ms"
/* Milliseconds after which a lease ends that nobody gave back. 0: no leases. Default 5000. */
#define SDIMAGE_REMOTE_LEASE_MS "remote.lease_ms"
/* Milliseconds that a load waits at most for one in another process. Default 5000. */
#define SDIMAGE_REMOTE_LEASE_WAIT_MS "remote.lease_wait_ms"

/* --- Numbers since the cache was made. */

/* What is counted. */
typedef enum SDIMAGE_ENUM sdimage_remote_statistic {
    SDIMAGE_REMOTE_STATISTIC_HITS = 0,           /* entries that were found */
    SDIMAGE_REMOTE_STATISTIC_MISSES = 1,         /* the server had no such entry */
    SDIMAGE_REMOTE_STATISTIC_STORED = 2,         /* entries that a server has taken */
    SDIMAGE_REMOTE_STATISTIC_FAILURES = 3,       /* look-ups and changes that a server did not answer */
    SDIMAGE_REMOTE_STATISTIC_TIMEOUTS = 4,       /* look-ups that were answered because their budget was over */
    SDIMAGE_REMOTE_STATISTIC_BREAKER_OPENED = 5, /* how often */
    SDIMAGE_REMOTE_STATISTIC_REFUSED = 6,        /* not even asked: the breaker was open */
    SDIMAGE_REMOTE_STATISTIC_DAMAGED = 7,        /* values that were none of this cache's, or not whole */
    SDIMAGE_REMOTE_STATISTIC_TOO_LARGE = 8,      /* not stored: over the limit */
    SDIMAGE_REMOTE_STATISTIC_DROPPED = 9,        /* not stored: too much waited already */
    SDIMAGE_REMOTE_STATISTIC_LEASES = 10,        /* taken: the origin was asked for the whole fleet */
    SDIMAGE_REMOTE_STATISTIC_WAITED = 11,        /* loads that waited for one in another process, */
    SDIMAGE_REMOTE_STATISTIC_SPARED = 12,        /* those that need not ask the origin therefore, */
    SDIMAGE_REMOTE_STATISTIC_GIVEN_UP = 13,      /* and those that had waited long enough */
    /* journeys to the servers: commands that waited together went together */
    SDIMAGE_REMOTE_STATISTIC_EXCHANGES = 14
} sdimage_remote_statistic;

#ifdef __cplusplus
}
#endif

#endif
