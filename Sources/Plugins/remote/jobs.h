/* jobs.h: what the parts of a tier share: what is to be done, by whom, until when. Within the tier only. */
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
/* Commands that go together. */
#define SDREMOTE_BATCH 32u

typedef enum job_kind { JOB_QUERY, JOB_LEASE, JOB_PROBE, JOB_STORE, JOB_REPLACE, JOB_REMOVE, JOB_END_LEASE } job_kind;

typedef struct job {
    struct job *next;
    /* Among those that the clock watches, the earliest deadline first. */
    struct job *earlier, *later;
    bool is_watched;
    job_kind kind;
    /* Of a queue or a worker, and of the clock; under the lock. */
    unsigned references;
    /* NULL once somebody took it to answer. */
    sdimage_reply *reply;
    /* Of the look-up, nanoseconds of the monotonic clock. */
    uint64_t deadline;
    /* In whose exchange it is, for the clock to blame. */
    struct worker *worker;
    /* A lease: what counts as an answer; how long to wait for others, and when to look again. */
    uint64_t newer_than, wait_until, due, pause;
    bool has_waited;
    /* A store; the one after it among those that are not there yet. */
    struct job *next_pending;
    sdimage_cache_entry *entry;
    /* Of a replacement: the entry that must still be there. */
    sdimage_cache_entry *old;
    size_t cost;
    uint64_t ttl_ms;
    /* The names of entry and lease on the server. */
    char name[SDREMOTE_KEY_MAX + 1], lease_name[SDREMOTE_KEY_MAX + 1];
    /* Of the key; stands for it in the envelope. */
    uint8_t digest[SDREMOTE_DIGEST];
    size_t key_length;
    uint8_t key[];
} job;

typedef struct job_queue {
    job *first, *last;
} job_queue;

/* A lease of this process. */
typedef struct held_lease {
    struct held_lease *next;
    uint64_t taken;
    /* It is being given back. */
    bool is_ended;
    char name[SDREMOTE_KEY_MAX + 1];
} held_lease;

typedef struct worker {
    struct tier *tier;
    bool stores;
    /* The failure of the exchange under way was counted. */
    bool is_blamed;
} worker;

typedef struct tier {
    const sdremote_engine *engine;
    void *place;
    sdremote_options options;
    pid_t owner;

    pthread_mutex_t lock;
    pthread_cond_t to_look_up, to_store, to_watch;
    /* The cache, and each thread. */
    unsigned references;
    bool is_stopped, has_clock;
    worker workers[16];
    unsigned readers, idle_readers;
    bool has_storer;
    job_queue lookups, stores;
    size_t queued_bytes;
    /* Stores that the servers have not confirmed, by their names: a look-up finds them here. */
    job *pending[SDREMOTE_BUCKETS];
    job *first_watched, *last_watched;
    job_queue waiting;
    uint64_t clock_wakes;
    held_lease *held;
    sdremote_breaker breaker;
    /* Until then look-ups are not asked: a load that was late once is not to be late again. */
    uint64_t quiet_until;
    uint64_t statistics[SDREMOTE_STATISTICS];

    /* All that there are. */
    struct tier *next;
    const sdimage_cache *cache;
} tier;

/* --- tier.c */

/* NULL when memory is refused. One reference, for the caller. */
job *sdremote_job_new(tier *self, job_kind kind, const void *key, size_t length, sdimage_reply *reply);

/* Under the lock; true where that was the last, and the caller has to free it without the lock. */
bool sdremote_job_drop(job *job);
void sdremote_job_free(job *job);

/* Each answers a reply, NULL for none, and lets go of it; never under the lock. */
void sdremote_answer(sdimage_reply *reply, sdimage_cache_entry *entry);
void sdremote_refuse(sdimage_reply *reply, sdimage_status status, const char *message);

void sdremote_tier_drop(tier *self);

/* --- names.c */

/* Of an entry and of its lease, by the key of the job. */
void sdremote_make_names(const tier *self, job *job);

/* --- queues.c; all under the lock. */

void sdremote_push(job_queue *queue, job *job);
job *sdremote_pop(job_queue *queue);
/* Puts it among those that the clock watches until its deadline, and takes it out. */
void sdremote_watch(tier *self, job *job);
void sdremote_unwatch(tier *self, job *job);
/* The reply, for the only one who gets it. */
sdimage_reply *sdremote_take_reply(job *job);
/* Notes that a store is under way, and that it is over; the latest entry of a key, borrowed, or NULL. */
void sdremote_note_pending(tier *self, job *job);
void sdremote_forget_pending(tier *self, job *job);
/* What is not there yet under a key that is being removed is no answer any more, also where it is on its way. */
void sdremote_hide_pending(tier *self, const job *removal);
sdimage_cache_entry *sdremote_pending(tier *self, const job *job);
/* The lease of that name which this process has; NULL for none. */
held_lease *sdremote_held(tier *self, const char *name);
void sdremote_forget_lease(tier *self, held_lease *held);
/* Has a thread that looks up, or stores, take notice of what was pushed; false where there can be none. */
bool sdremote_wake(tier *self, bool stores);
/* Has the clock look again by `time`. */
void sdremote_wake_clock(tier *self, uint64_t time);
/* Asks servers that failed whether they are back. */
void sdremote_probe(tier *self);

/* --- worker.c and clock.c: threads. */

void *sdremote_work(void *worker);
void *sdremote_watch_time(void *tier);

/* Milliseconds for which an entry is kept; 0 where it is over already. */
uint64_t sdremote_time_to_live(const tier *self, const sdimage_cache_entry *entry);

#endif
