/* job.h: the operations of a tier, as jobs of its threads, and their queues.
 *
 * A job is made by a call of the library (tier.c), waits in a queue, and runs in a batch of a worker (worker.c). The
 * timer (timer.c) completes a look-up at its deadline; the worker then discards the result. */
#ifndef SDREMOTE_JOB_H
#define SDREMOTE_JOB_H

#include <sdimage/sys/cache.h>

#include "names.h"

/* Kinds of jobs. Those from JOB_STORE on are changes, which run on the worker for stores and have no deadline.
 * JOB_PROBE has neither reply nor key. */
typedef enum job_kind { JOB_QUERY, JOB_LEASE, JOB_PROBE, JOB_STORE, JOB_REPLACE, JOB_REMOVE, JOB_END_LEASE } job_kind;

/* A job. The tier's lock guards the links, `references`, `reply`, `worker`, `deadline`, `due` and `cost`; the other
 * members belong to the thread that runs the job. */
typedef struct job {
    struct job *next; /* in its queue */
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
    /* Times of a lease:
     *
     * - newer_than: date that an entry must be newer than, in nanoseconds since 1970
     * - wait_until: end of the wait for other processes
     * - due: next attempt
     * - pause: nanoseconds between the last attempt and the next */
    uint64_t newer_than, wait_until, due, pause;
    bool has_waited;
    /* For a store: the next one in its bucket of pending stores. */
    struct job *next_pending;
    sdimage_cache_entry *entry;
    /* For a replacement: the entry that must still be stored. */
    sdimage_cache_entry *old;
    size_t cost;     /* bytes that it adds to `queued_bytes` of the tier */
    uint64_t ttl_ms; /* lifetime of the stored entry */
    sdremote_names names;
    size_t key_length;
    uint8_t key[]; /* key of the library, `key_length` bytes */
} job;

/* First in, first out, linked by `next`. */
typedef struct job_queue {
    job *first, *last;
} job_queue;

/* Makes a job with one reference; NULL if memory is exhausted. The prefix is that of the names. */
job *sdremote_job_new(job_kind kind, const char *prefix, const void *key, size_t length, sdimage_reply *reply);

/* Require the tier's lock. Drop returns true for the last reference: the caller then frees the job without the lock. */
bool sdremote_job_drop(job *job);
/* Takes the reply; only the first call returns it. */
sdimage_reply *sdremote_take_reply(job *job);
void sdremote_push(job_queue *queue, job *job);
job *sdremote_pop(job_queue *queue);

/* Complete a reply (NULL for none) and release it. Must not be called under the lock. */
void sdremote_complete(sdimage_reply *reply, sdimage_cache_entry *entry);
void sdremote_refuse(sdimage_reply *reply, sdimage_status status, const char *message);
void sdremote_job_free(job *job);

#endif
