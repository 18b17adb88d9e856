/* tier.c: the functions of the cache that the library calls, on any thread: they make a job, queue it and return (see
 * tier.h).
 *
 * The path of a look-up: query, submit, is_permitted (breaker), enqueue; then gather, exchange and finish in worker.c,
 * unless the timer is faster. No reply is completed while the lock of the tier is held. */
#include "tier.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deadlines.h"
#include "envelope.h"
#include "leases.h"
#include "pending.h"
#include "threads.h"
#include "timer.h"
#include "worker.h"

/* Reports that requests may be sent now, and sends a probe if one is due. Requires the lock. */
static bool is_permitted(tier *self, bool is_change) {
    uint64_t now = sdcs_monotonic_ns();
    sdremote_permit permit = sdremote_breaker_permit(&self->breaker, now);
    /* Changes delay no load. */
    if (permit == SDREMOTE_ALLOW && !is_change && now < self->refuse_until)
        permit = SDREMOTE_REFUSE;
    if (permit == SDREMOTE_PROBE)
        sdremote_probe(self);
    self->statistics[SDIMAGE_REMOTE_STATISTIC_REFUSED] += permit != SDREMOTE_ALLOW;
    return permit == SDREMOTE_ALLOW;
}

/* A forked process has neither the threads nor the right to use the connections. */
static bool is_forked(const tier *self) {
    return self->owner != getpid();
}

/* Forgets a lease that cannot be released now: it expires on the server. */
static void abandon(tier *self, const job *job) {
    pthread_mutex_lock(&self->lock);
    held_lease *held = sdremote_find_lease(self, job->names.lease);
    if (held)
        sdremote_forget_lease(self, held);
    pthread_mutex_unlock(&self->lock);
}

/* Completes a look-up of an entry whose store is pending; true if the job is finished. The servers may still have an
 * older entry. */
static bool complete_from_pending(tier *self, job *job) {
    pthread_mutex_lock(&self->lock);
    sdimage_cache_entry *pending = job->kind == JOB_QUERY ? sdimage_cache_entry_ref(sdremote_pending(self, job)) : NULL;
    self->statistics[SDIMAGE_REMOTE_STATISTIC_HITS] += pending != NULL;
    pthread_mutex_unlock(&self->lock);
    if (!pending)
        return false;
    sdremote_complete(sdremote_take_reply(job), pending);
    sdimage_cache_entry_unref(pending);
    sdremote_job_free(job);
    return true;
}

/* Adds a job to its queue and its tables. Requires the lock. */
static void enqueue(tier *self, job *job) {
    bool is_change = job->kind >= JOB_STORE;
    sdremote_push(is_change ? &self->stores : &self->lookups, job);
    self->queued_bytes += job->cost;
    if (job->kind == JOB_STORE)
        sdremote_note_pending(self, job);
    if (job->kind == JOB_REMOVE)
        sdremote_hide_pending(self, job);
    if (!is_change)
        sdremote_watch(self, job);
}

/* Reports that an entry would exceed the limit of queued bytes; a single entry never does. */
static bool is_full(const tier *self, const job *job) {
    size_t most = self->options.queue_bytes;
    return job->cost && self->queued_bytes && (job->cost > most || self->queued_bytes > most - job->cost);
}

/* Passes a job to the threads, or completes it at once. Takes ownership of it. */
static void submit(tier *self, job *job) {
    bool is_change = job->kind >= JOB_STORE;
    /* Before the breaker: such an entry needs no server. */
    if (complete_from_pending(self, job))
        return;
    pthread_mutex_lock(&self->lock);
    bool exceeds_limit = is_full(self, job);
    bool is_accepted = !exceeds_limit && is_permitted(self, is_change) && sdremote_wake(self, is_change);
    self->statistics[SDIMAGE_REMOTE_STATISTIC_DROPPED] += exceeds_limit;
    if (is_accepted)
        enqueue(self, job);
    pthread_mutex_unlock(&self->lock);
    /* The job belongs to the threads, which may have freed it already. */
    if (is_accepted)
        return;
    /* The server is not contacted: the lease expires there. */
    if (job->kind == JOB_END_LEASE)
        abandon(self, job);
    sdremote_refuse(sdremote_take_reply(job), SDIMAGE_STATUS_BUSY,
                    exceeds_limit ? "remote cache: write queue is full"
                                  : "remote cache: servers failed recently, next attempt is due later");
    sdremote_job_free(job);
}

/* Returns NULL, and completes the reply, on failure. */
static job *new_job(tier *self, job_kind kind, const void *key, size_t length, sdimage_reply *reply) {
    job *job = is_forked(self) ? NULL : sdremote_job_new(kind, self->options.prefix, key, length, reply);
    if (!job)
        sdremote_refuse(reply, is_forked(self) ? SDIMAGE_STATUS_FORKED : SDIMAGE_STATUS_NO_MEMORY,
                        "remote cache: request cannot be made");
    return job;
}

/* --- The functions of the cache. */

/* Looks up an entry; the options of the request are not used. */
static void query(void *user_data, const void *key, size_t length, const sdimage_options *options,
                  sdimage_reply *reply) {
    (void)options;
    tier *self = user_data;
    job *job = new_job(self, JOB_QUERY, key, length, reply);
    if (!job)
        return;
    job->deadline = sdcs_monotonic_ns() + self->options.budget_ms * 1000000ull;
    submit(self, job);
}

/* Stores an entry, or replaces `old` by it. Called for stores of loads, and for updates after revalidation. */
static void store(tier *self, const void *key, size_t length, sdimage_cache_entry *old, sdimage_cache_entry *entry,
                  sdimage_reply *reply) {
    size_t size = sdremote_envelope_size(SDPX_SHA256_BYTES, sdimage_data_length(sdimage_cache_entry_metadata(entry)),
                                         sdimage_data_length(sdimage_cache_entry_data(entry)));
    uint64_t ttl_ms = sdremote_time_to_live(self, entry);
    /* An expired entry is not worth a command. */
    if (!ttl_ms) {
        sdremote_complete(reply, NULL);
        return;
    }
    if (!size || size > self->options.max_entry) {
        pthread_mutex_lock(&self->lock);
        self->statistics[SDIMAGE_REMOTE_STATISTIC_TOO_LARGE]++;
        pthread_mutex_unlock(&self->lock);
        sdremote_refuse(reply, SDIMAGE_STATUS_TOO_LARGE, "remote cache: entry is empty or exceeds the size limit");
        return;
    }
    job *job = new_job(self, old ? JOB_REPLACE : JOB_STORE, key, length, reply);
    if (!job)
        return;
    job->entry = sdimage_cache_entry_ref(entry);
    job->old = sdimage_cache_entry_ref(old);
    job->cost = size;
    job->ttl_ms = ttl_ms;
    submit(self, job);
}

static void store_entry(void *user_data, const void *key, size_t length, sdimage_cache_entry *entry,
                        const sdimage_options *options, sdimage_reply *reply) {
    (void)options;
    store(user_data, key, length, NULL, entry, reply);
}

static void replace_entry(void *user_data, const void *key, size_t length, sdimage_cache_entry *old,
                          sdimage_cache_entry *entry, sdimage_reply *reply) {
    store(user_data, key, length, old, entry, reply);
}

/* Removes an entry. Servers are the disk layer of the cache; it has no memory layer. */
static void remove_entry(void *user_data, const void *key, size_t length, sdimage_cache_layers layers,
                         sdimage_reply *reply) {
    tier *self = user_data;
    bool keeps_entry = !(layers & SDIMAGE_CACHE_LAYERS_DISK);
    job *job = keeps_entry ? NULL : new_job(self, JOB_REMOVE, key, length, reply);
    if (keeps_entry)
        sdremote_complete(reply, NULL);
    if (job)
        submit(self, job);
}

/* Requests the lease of an entry: the load contacts the origin once it is granted. */
static void lease(void *user_data, const void *key, size_t length, uint64_t newer_than_ns,
                  const sdimage_options *options, sdimage_reply *reply) {
    (void)options;
    tier *self = user_data;
    job *job = new_job(self, JOB_LEASE, key, length, reply);
    if (!job)
        return;
    pthread_mutex_lock(&self->lock);
    held_lease *held = sdremote_find_lease(self, job->names.lease);
    /* This process tried in vain a moment ago, and its lease is still being released. */
    bool is_ended = held && held->is_ended;
    pthread_mutex_unlock(&self->lock);
    if (is_ended) {
        sdremote_refuse(sdremote_take_reply(job), SDIMAGE_STATUS_BUSY, "remote cache: lease is being released");
        sdremote_job_free(job);
        return;
    }
    uint64_t now = sdcs_monotonic_ns();
    job->newer_than = newer_than_ns;
    /* The deadline limits each attempt, `wait_until` all of them. */
    job->wait_until = now + self->options.lease_wait_ms * 1000000ull;
    job->deadline = now + self->options.budget_ms * 1000000ull;
    submit(self, job);
}

/* Ends a lease of this process, after its load has stored the entry or failed. */
static void end_lease(void *user_data, const void *key, size_t length) {
    tier *self = user_data;
    job *job = is_forked(self) ? NULL : sdremote_job_new(JOB_END_LEASE, self->options.prefix, key, length, NULL);
    if (!job)
        return;
    pthread_mutex_lock(&self->lock);
    held_lease *held = sdremote_find_lease(self, job->names.lease);
    /* A lease that may have expired could belong to another process: three quarters of its lifetime are taken as safe.
     * Otherwise it is left to expire. */
    bool is_own = held && sdcs_monotonic_ns() - held->acquired < self->options.lease_ms * 750000ull;
    if (is_own)
        held->is_ended = true;
    else if (held)
        sdremote_forget_lease(self, held);
    pthread_mutex_unlock(&self->lock);
    if (is_own)
        submit(self, job);
    else
        sdremote_job_free(job);
}

/* --- Caches. */

/* The list of all tiers, in which statistics find the tier of a cache. `all_lock` is acquired before the lock of a
 * tier. */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static tier *all;

/* Empties the list in a forked process, whose caches are those of its parent. A thread of the parent may have held the
 * lock. */
static void forget_all(void) {
    pthread_mutex_init(&all_lock, NULL);
    all = NULL;
}

static void handle_forks(void) {
    pthread_atfork(NULL, NULL, forget_all);
}

/* Called once when the cache is freed. The threads finish their queues and drop their references. */
static void destroy(void *user_data) {
    tier *self = user_data;
    /* The locks are in their state at the time of the fork, and no thread remains to release them. */
    if (is_forked(self))
        return;
    pthread_mutex_lock(&all_lock);
    for (tier **link = &all; *link; link = &(*link)->next) {
        if (*link == self) {
            *link = self->next;
            break;
        }
    }
    pthread_mutex_unlock(&all_lock);
    pthread_mutex_lock(&self->lock);
    self->is_stopped = true;
    pthread_cond_broadcast(&self->to_look_up);
    pthread_cond_broadcast(&self->to_store);
    pthread_cond_broadcast(&self->to_watch);
    pthread_mutex_unlock(&self->lock);
    sdremote_tier_drop(self);
}

/* Parses the address; returns the status of the error that the engine reports. */
static sdimage_status parse(tier *self, const char *address, sdimage_error **error) {
    sdimage_error *reported = NULL;
    self->servers = self->engine->parse(address, &reported);
    if (self->servers)
        return SDIMAGE_STATUS_OK;
    sdimage_status status = reported ? sdimage_error_code(reported) : SDIMAGE_STATUS_NO_MEMORY;
    if (error)
        *error = reported;
    else
        sdimage_error_unref(reported);
    return status;
}

/* Makes a tier with one reference, that of the cache. No thread is started and no server contacted. */
static sdimage_status tier_new(const sdremote_engine *engine, const char *address, const sdimage_options *options,
                               tier **made, sdimage_error **error) {
    tier *self = calloc(1, sizeof *self);
    if (!self || !sdremote_tier_make_locks(self)) {
        free(self);
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "remote cache: no memory for the cache");
    }
    sdimage_status status = sdremote_options_read(&self->options, options, error);
    self->engine = engine;
    self->references = 1;
    if (status >= 0)
        status = parse(self, address, error);
    if (status < 0) {
        sdremote_tier_drop(self);
        return status;
    }
    self->owner = getpid();
    self->work = sdremote_work;
    self->run_timer = sdremote_run_timer;
    /* More failures if there are several servers: those of one server should not stop the others. */
    self->breaker.limit = self->options.failures * engine->count(self->servers);
    self->breaker.pause_ms = self->breaker.next_pause_ms = self->options.pause_ms;
    for (size_t i = 0; i < 16; i++)
        self->workers[i] = (worker){.tier = self, .stores = i == 15};
    *made = self;
    return SDIMAGE_STATUS_OK;
}

sdimage_status sdremote_cache_new(const sdremote_engine *engine, const char *address, const sdimage_options *options,
                                  sdimage_cache **cache, sdimage_error **error) {
    sdimage_cache_vtable table = {.size = sizeof table,
                                  .query = query,
                                  .store_entry = store_entry,
                                  .remove = remove_entry,
                                  .lease = lease,
                                  .end_lease = end_lease,
                                  .replace_entry = replace_entry,
                                  .is_shared = true};
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    tier *self = NULL;
    if (!address || !cache)
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "remote cache: address or result pointer is NULL");
    pthread_once(&once, handle_forks);
    sdimage_status status = tier_new(engine, address, options, &self, error);
    if (status < 0)
        return status;
    /* Loads then do not wait for other processes. */
    if (!self->options.lease_ms)
        table.lease = NULL;
    status = sdimage_cache_new_custom(&table, self, destroy, cache, error);
    /* `destroy` was called by the library. */
    if (status < 0)
        return status;
    /* At the beginning: a freed cache at the same address is found later. */
    pthread_mutex_lock(&all_lock);
    self->cache = *cache;
    self->next = all;
    all = self;
    pthread_mutex_unlock(&all_lock);
    return status;
}

uint64_t sdremote_cache_statistic(const sdimage_cache *cache, sdimage_remote_statistic statistic) {
    uint64_t number = 0;
    if ((unsigned)statistic >= SDREMOTE_STATISTICS)
        return 0;
    pthread_mutex_lock(&all_lock);
    tier *self = all;
    while (self && self->cache != cache)
        self = self->next;
    if (self) {
        pthread_mutex_lock(&self->lock);
        number =
            statistic == SDIMAGE_REMOTE_STATISTIC_BREAKER_OPENED ? self->breaker.opened : self->statistics[statistic];
        pthread_mutex_unlock(&self->lock);
    }
    pthread_mutex_unlock(&all_lock);
    return number;
}
