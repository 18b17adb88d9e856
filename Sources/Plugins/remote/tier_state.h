/* tier_state.h: the data shared by the threads of a tier. `lock` guards all members that change after the tier was
 * made, except `next` and `cache`, which `all_lock` of tier.c guards. */
#ifndef SDREMOTE_TIER_STATE_H
#define SDREMOTE_TIER_STATE_H

#include <pthread.h>
#include <sdimage/plugins/remote.h>
#include <sys/types.h>

#include "breaker.h"
#include "engine.h"
#include "job.h"
#include "settings.h"

/* Numbers of statistics (sdimage_remote_statistic), and of buckets of pending stores. */
#define SDREMOTE_STATISTICS 15u
#define SDREMOTE_BUCKETS 256u

/* A lease that this process holds. */
typedef struct held_lease {
    struct held_lease *next;
    uint64_t acquired;
    /* It is being released. */
    bool is_ended;
    char name[SDREMOTE_KEY_MAX + 1];
} held_lease;

/* A worker thread: `stores` tells which queue it serves. */
typedef struct worker {
    struct tier *tier;
    bool stores;
    /* The failure of the current exchange was counted already. */
    bool is_failure_counted;
    /* The last batch was one of look-ups. */
    bool has_looked_up;
} worker;

/* One cache. Times are nanoseconds of the monotonic clock. */
typedef struct tier {
    const sdremote_engine *engine;
    void *servers; /* the parsed address; engine->release frees it */
    sdremote_options options;
    pid_t owner; /* the process that made the cache: a forked one must not use it */

    pthread_mutex_t lock;
    pthread_cond_t to_look_up, to_store, to_watch; /* wake workers for look-ups and stores, and the timer */
    /* Held by the cache and by each thread. */
    unsigned references;
    bool is_stopped, has_timer;
    worker workers[16]; /* the last one stores if there are several connections */
    /* The bodies of the threads: of a worker, and of the timer, whose argument is the tier. */
    void *(*work)(void *worker);
    void *(*run_timer)(void *tier);
    unsigned readers, idle_readers; /* workers for look-ups: started, and waiting */
    bool has_storer;                /* the worker for stores was started */
    job_queue lookups, stores;      /* jobs that wait for a worker */
    size_t queued_bytes;            /* sum of the costs of waiting and running stores */
    /* Stores that the servers have not confirmed, hashed by name: look-ups find their entries here. */
    job *pending[SDREMOTE_BUCKETS];
    job *first_watched, *last_watched; /* look-ups with a deadline (deadlines.h) */
    job_queue waiting;                 /* leases that wait for their next attempt */
    uint64_t timer_wakes;              /* time at which the timer wakes; 0 while it looks for that time */
    held_lease *held;                  /* leases of this process (leases.h) */
    sdremote_breaker breaker;
    /* Until then look-ups are refused, so that a load that was delayed once is not delayed again. */
    uint64_t refuse_until;
    uint64_t statistics[SDREMOTE_STATISTICS];

    /* The list of all tiers. */
    struct tier *next;
    const sdimage_cache *cache;
} tier;

/* Makes the locks; false, with none made, if one cannot be. */
bool sdremote_tier_make_locks(tier *self);

/* Releases a reference. The last one frees the tier, its jobs and its servers. */
void sdremote_tier_drop(tier *self);

/* Returns the lifetime of an entry in milliseconds; 0 if it has expired. */
uint64_t sdremote_time_to_live(const tier *self, const sdimage_cache_entry *entry);

#endif
