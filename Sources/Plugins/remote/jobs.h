/* jobs.h: the data shared by the parts of a tier: jobs, workers and deadlines. Private to the tier. */
#ifndef SDREMOTE_JOBS_H
#define SDREMOTE_JOBS_H

#include <pthread.h>
#include <sdimage/cache.h>
#include <sdimage/plugins/remote.h>
#include <sys/types.h>

#include "breaker.h"
#include "engine.h"
#include "settings.h"
#include "sha256.h"

#define SDREMOTE_KEY_MAX 250u
#define SDREMOTE_STATISTICS 15u
#define SDREMOTE_BUCKETS 256u
/* The maximum number of jobs in a batch. */
#define SDREMOTE_BATCH 32u

typedef enum job_kind { JOB_QUERY, JOB_LEASE, JOB_PROBE, JOB_STORE, JOB_REPLACE, JOB_REMOVE, JOB_END_LEASE } job_kind;

typedef struct job {
    struct job *next;
    /* The list of the timer thread, earliest deadline first. */
    struct job *earlier, *later;
    bool is_watched;
    job_kind kind;
    /* Held by a queue or a worker, and by the timer. Guarded by the lock. */
    unsigned references;
    /* NULL once a thread has taken it to complete it. */
    sdimage_reply *reply;
    /* The deadline of the look-up, nanoseconds of the monotonic clock. */
    uint64_t deadline;
    /* The worker whose exchange contains the job; the timer counts a failure for it. */
    struct worker *worker;
    /* For a lease: the date that an entry must be newer than, the end of the wait for other processes, the time of the
     * next attempt, and the pause before it. */
    uint64_t newer_than, wait_until, due, pause;
    bool has_waited;
    /* For a store: the next one in its bucket of pending stores. */
    struct job *next_pending;
    sdimage_cache_entry *entry;
    /* For a replacement: the entry that must still be stored. */
    sdimage_cache_entry *old;
    size_t cost;
    uint64_t ttl_ms;
    /* The names of the entry and of the lease on the server. */
    char name[SDREMOTE_KEY_MAX + 1], lease_name[SDREMOTE_KEY_MAX + 1];
    /* The digest of the key, used in the envelope instead of the key. */
    uint8_t digest[SDCS_SHA256_BYTES];
    size_t key_length;
    uint8_t key[];
} job;

typedef struct job_queue {
    job *first, *last;
} job_queue;

/* A lease that this process holds. */
typedef struct held_lease {
    struct held_lease *next;
    uint64_t taken;
    /* It is being released. */
    bool is_ended;
    char name[SDREMOTE_KEY_MAX + 1];
} held_lease;

typedef struct worker {
    struct tier *tier;
    bool stores;
    /* The failure of the current exchange was counted already. */
    bool is_failure_counted;
} worker;

typedef struct tier {
    const sdremote_engine *engine;
    void *servers;
    sdremote_options options;
    pid_t owner;

    pthread_mutex_t lock;
    pthread_cond_t to_look_up, to_store, to_watch;
    /* Held by the cache and by each thread. */
    unsigned references;
    bool is_stopped, has_timer;
    worker workers[16];
    unsigned readers, idle_readers;
    bool has_storer;
    job_queue lookups, stores;
    size_t queued_bytes;
    /* Stores that the servers have not confirmed, hashed by name: look-ups find their entries here. */
    job *pending[SDREMOTE_BUCKETS];
    job *first_watched, *last_watched;
    job_queue waiting;
    uint64_t timer_wakes;
    held_lease *held;
    sdremote_breaker breaker;
    /* Until then look-ups are refused, so that a load that was delayed once is not delayed again. */
    uint64_t refuse_until;
    uint64_t statistics[SDREMOTE_STATISTICS];

    /* The list of all tiers. */
    struct tier *next;
    const sdimage_cache *cache;
} tier;

/* --- tier.c */

/* Returns NULL if memory is exhausted. The caller owns the one reference. */
job *sdremote_job_new(tier *self, job_kind kind, const void *key, size_t length, sdimage_reply *reply);

/* Requires the lock. Returns true for the last reference: the caller then frees the job without the lock. */
bool sdremote_job_drop(job *job);
void sdremote_job_free(job *job);

/* Complete a reply (NULL for none) and release it. Must not be called under the lock. */
void sdremote_complete(sdimage_reply *reply, sdimage_cache_entry *entry);
void sdremote_refuse(sdimage_reply *reply, sdimage_status status, const char *message);

void sdremote_tier_drop(tier *self);

/* --- names.c */

/* Sets the names of entry and lease from the key of the job. */
void sdremote_make_names(const tier *self, job *job);

/* --- queues.c; all require the lock. */

void sdremote_push(job_queue *queue, job *job);
job *sdremote_pop(job_queue *queue);
/* Add a job to the timer's list until its deadline, and remove it. */
void sdremote_watch(tier *self, job *job);
void sdremote_unwatch(tier *self, job *job);
/* Takes the reply; only the first call returns it. */
sdimage_reply *sdremote_take_reply(job *job);
/* Register a store as pending, and remove it; return the latest entry of a key, borrowed, or NULL. */
void sdremote_note_pending(tier *self, job *job);
void sdremote_forget_pending(tier *self, job *job);
/* Hides the pending stores of a key that is being removed, including those in an exchange. */
void sdremote_hide_pending(tier *self, const job *removal);
sdimage_cache_entry *sdremote_pending(tier *self, const job *job);
/* Returns the lease of that name that this process holds; NULL for none. */
held_lease *sdremote_find_lease(tier *self, const char *name);
void sdremote_forget_lease(tier *self, held_lease *held);
/* Wakes or starts a thread for look-ups, or for stores; false if there is none. */
bool sdremote_wake(tier *self, bool stores);
/* Makes the timer wake by `time`. */
void sdremote_wake_timer(tier *self, uint64_t time);
/* Sends a probe to servers that failed. */
void sdremote_probe(tier *self);

/* --- worker.c and timer.c: threads. */

void *sdremote_work(void *worker);
void *sdremote_run_timer(void *tier);

/* Returns the lifetime of an entry in milliseconds; 0 if it has expired. */
uint64_t sdremote_time_to_live(const tier *self, const sdimage_cache_entry *entry);

#endif
