/* worker.c: a worker thread with its connection (see worker.h). Each round:
 *
 * 1. gather takes waiting jobs from a queue, under the lock.
 * 2. prepare makes their commands and the envelopes of entries.
 * 3. The engine exchanges all commands in one batch, without the lock.
 * 4. record_outcome informs the breaker, finish completes the replies, and release drops the jobs.
 *
 * The timer may complete a look-up at any time; the thread that takes its reply completes it. */
#include "worker.h"

#include <stdlib.h>
#include <string.h>

#include "deadlines.h"
#include "envelope.h"
#include "leases.h"
#include "pending.h"
#include "threads.h"

/* Limits of a batch: jobs and, over a single connection, bytes of stores, for whose end look-ups wait. */
enum { BATCH = 32, BATCH_BYTES = 256 << 10 };

/* Pauses between attempts at a lease that another process holds, in nanoseconds. */
static const uint64_t min_pause = 2000000, max_pause = 50000000;
/* Data up to this many bytes is copied: that is cheaper than a later release through the client library. */
static const size_t max_copied = 64 << 10;

/* The jobs of one exchange, in the order of their commands. */
typedef struct batch {
    job *jobs[BATCH];
    size_t count;
    /* A lease takes two commands: the lease and a look-up of the entry after it. */
    sdremote_command commands[2 * BATCH];
    size_t command_count;
    /* Envelopes of entries, and of the entries that they replace. */
    void *envelopes[BATCH], *old_envelopes[BATCH];
} batch;

/* Increments a statistic. Takes the lock. */
static void count(tier *self, sdimage_remote_statistic statistic) {
    pthread_mutex_lock(&self->lock);
    self->statistics[statistic]++;
    pthread_mutex_unlock(&self->lock);
}

/* --- Commands. */

/* Adds a command. Names and keys are borrowed from the job. */
static sdremote_command *add(batch *batch, sdremote_verb verb, const char *name, const char *server_key) {
    sdremote_command *command = &batch->commands[batch->command_count++];
    *command = (sdremote_command){.verb = verb, .key = name, .key_length = strlen(name)};
    command->server_key = server_key;
    command->server_key_length = server_key ? strlen(server_key) : 0;
    return command;
}

/* Makes the envelope of an entry with the key of a job; NULL if memory is exhausted. */
static void *envelope_of(const job *job, const sdimage_cache_entry *entry, size_t *length) {
    const sdimage_data *metadata = sdimage_cache_entry_metadata(entry), *data = sdimage_cache_entry_data(entry);
    size_t metadata_length = sdimage_data_length(metadata), data_length = sdimage_data_length(data);
    *length = sdremote_envelope_size(sizeof job->names.digest, metadata_length, data_length);
    uint8_t *bytes = *length ? malloc(*length) : NULL;
    if (bytes)
        sdremote_envelope_write(bytes, job->names.digest, sizeof job->names.digest, sdimage_data_bytes(metadata),
                                metadata_length, sdimage_data_bytes(data), data_length);
    return bytes;
}

/* Makes the commands of a batch. Runs without the lock: the jobs belong to this thread. */
static void prepare(tier *self, batch *batch) {
    batch->command_count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        job *job = batch->jobs[i];
        sdremote_command *command = NULL;
        batch->envelopes[i] = batch->old_envelopes[i] = NULL;
        switch (job->kind) {
        case JOB_QUERY:
        case JOB_PROBE: add(batch, SDREMOTE_GET, job->names.entry, NULL); break;
        case JOB_LEASE:
            command = add(batch, SDREMOTE_ADD, job->names.lease, job->names.entry);
            command->value = "1", command->value_length = 1;
            command->ttl_ms = self->options.lease_ms;
            /* Must follow the lease: entries stored before it are found, and later writers find the lease taken. */
            add(batch, SDREMOTE_GET, job->names.entry, NULL);
            break;
        case JOB_STORE:
            command = add(batch, SDREMOTE_SET, job->names.entry, NULL);
            command->value = batch->envelopes[i] = envelope_of(job, job->entry, &command->value_length);
            command->ttl_ms = job->ttl_ms;
            /* Without memory for the new entry the old one is removed: it is outdated. */
            if (!command->value)
                command->verb = SDREMOTE_DELETE;
            break;
        case JOB_REPLACE:
            command = add(batch, SDREMOTE_SWAP, job->names.entry, NULL);
            command->value = batch->envelopes[i] = envelope_of(job, job->entry, &command->value_length);
            command->expected = batch->old_envelopes[i] = envelope_of(job, job->old, &command->expected_length);
            command->ttl_ms = job->ttl_ms;
            /* Without memory the old entry stays. */
            if (!command->value || !command->expected)
                command->verb = SDREMOTE_GET;
            break;
        case JOB_REMOVE: add(batch, SDREMOTE_DELETE, job->names.entry, NULL); break;
        case JOB_END_LEASE: add(batch, SDREMOTE_DELETE, job->names.lease, job->names.entry); break;
        }
    }
}

/* --- Results. */

/* Makes an entry of the bytes that GET found; NULL for none, or for an invalid envelope. */
static sdimage_cache_entry *found(tier *self, const job *job, sdremote_command *command) {
    if (!command->has_response || !command->is_true)
        return NULL;
    sdremote_envelope parts;
    sdimage_data *data = NULL, *metadata = NULL;
    sdimage_cache_entry *entry = NULL;
    if (sdremote_envelope_read(command->bytes, command->length, job->names.digest, sizeof job->names.digest, &parts)) {
        sdimage_status status = SDIMAGE_STATUS_OK;
        /* Without metadata the pointer stays NULL. */
        if (parts.metadata_length)
            status = sdimage_data_new(parts.metadata, parts.metadata_length, &metadata, NULL);
        if (status >= 0 && parts.data_length > max_copied) {
            status =
                sdimage_data_new_adopting(parts.data, parts.data_length, command->owner, command->release, &data, NULL);
            /* The data owns the reply, also if making it failed. */
            command->owner = NULL;
        } else if (status >= 0) {
            status = sdimage_data_new(parts.data, parts.data_length, &data, NULL);
        }
        if (status >= 0)
            sdimage_cache_entry_new(data, metadata, &entry, NULL);
    }
    if (!entry)
        count(self, SDIMAGE_REMOTE_STATISTIC_DAMAGED);
    sdimage_data_unref(data);
    sdimage_data_unref(metadata);
    return entry;
}

/* Takes the reply of a job, unless the timer has it, and counts a statistic for it. */
static sdimage_reply *take(tier *self, job *job, sdimage_remote_statistic statistic) {
    pthread_mutex_lock(&self->lock);
    sdimage_reply *reply = sdremote_take_reply(job);
    sdremote_unwatch(self, job);
    if (reply)
        self->statistics[statistic]++;
    pthread_mutex_unlock(&self->lock);
    return reply;
}

static void end_query(tier *self, job *job, sdremote_command *get) {
    sdimage_cache_entry *entry = found(self, job, get);
    sdimage_reply *reply = take(self, job,
                                entry               ? SDIMAGE_REMOTE_STATISTIC_HITS
                                : get->has_response ? SDIMAGE_REMOTE_STATISTIC_MISSES
                                                    : SDIMAGE_REMOTE_STATISTIC_FAILURES);
    if (get->has_response)
        sdremote_complete(reply, entry);
    else
        sdremote_refuse(reply, SDIMAGE_STATUS_CONNECT_FAILED, "remote cache: no response from the servers");
    sdimage_cache_entry_unref(entry);
}

/* Registers a lease of this process. Returns false, and the lease must be released, if no waiter remains or memory is
 * exhausted. */
static bool register_lease(tier *self, job *job) {
    held_lease *held = malloc(sizeof *held);
    sdimage_reply *reply = take(self, job, SDIMAGE_REMOTE_STATISTIC_LEASES);
    if (!held || !reply) {
        free(held);
        sdremote_refuse(reply, SDIMAGE_STATUS_NO_MEMORY, "remote cache: no memory for a lease");
        return false;
    }
    memcpy(held->name, job->names.lease, sizeof held->name);
    held->acquired = sdcs_monotonic_ns();
    held->is_ended = false;
    pthread_mutex_lock(&self->lock);
    held->next = self->held;
    self->held = held;
    pthread_mutex_unlock(&self->lock);
    sdremote_complete(reply, NULL);
    return true;
}

/* Queues the removal of a lease that no load of this process uses. */
static void release_lease(tier *self, const job *job) {
    pthread_mutex_lock(&self->lock);
    struct job *end = sdremote_job_new(JOB_END_LEASE, self->options.prefix, job->key, job->key_length, NULL);
    if (end) {
        sdremote_push(&self->stores, end);
        sdremote_wake(self, true);
    }
    pthread_mutex_unlock(&self->lock);
}

/* Another process holds the lease: retries after a pause, or fails if the time limit would pass. */
static void retry_lease(tier *self, job *job) {
    uint64_t now = sdcs_monotonic_ns();
    pthread_mutex_lock(&self->lock);
    sdremote_unwatch(self, job);
    self->statistics[SDIMAGE_REMOTE_STATISTIC_WAITED] += !job->has_waited;
    job->has_waited = true;
    /* From 2 to 50 milliseconds, growing by half. */
    job->pause = job->pause ? job->pause + job->pause / 2 : min_pause;
    job->pause = job->pause < max_pause ? job->pause : max_pause;
    job->due = now + job->pause;
    sdremote_wake_timer(self, job->due);
    /* Without a timer nothing would retry it. */
    bool is_finished = job->due >= job->wait_until || !self->has_timer || !job->reply || self->is_stopped ||
                       sdimage_reply_is_cancelled(job->reply);
    sdimage_reply *reply = is_finished ? sdremote_take_reply(job) : NULL;
    if (reply)
        self->statistics[SDIMAGE_REMOTE_STATISTIC_GIVEN_UP]++;
    if (!is_finished) {
        /* For the list of waiting leases; the batch drops its own. */
        job->references++;
        sdremote_push(&self->waiting, job);
    }
    pthread_mutex_unlock(&self->lock);
    sdremote_refuse(reply, SDIMAGE_STATUS_TIMEOUT, "remote cache: another process has held the lease for too long");
}

/* Completes an attempt at a lease. An entry that another process has stored meanwhile has precedence over the lease. */
static void end_lease(tier *self, job *job, sdremote_command *lease, sdremote_command *get) {
    sdimage_cache_entry *entry = found(self, job, get);
    /* This process holds the lease, whatever follows. */
    bool is_own = lease->has_response && lease->is_true;
    if (entry && sdimage_cache_entry_date_ns(entry) > job->newer_than) {
        sdremote_complete(take(self, job, SDIMAGE_REMOTE_STATISTIC_SPARED), entry);
    } else if (!lease->has_response || !get->has_response) {
        sdremote_refuse(take(self, job, SDIMAGE_REMOTE_STATISTIC_FAILURES), SDIMAGE_STATUS_CONNECT_FAILED,
                        "remote cache: no response from the servers");
    } else if (is_own) {
        is_own = !register_lease(self, job);
    } else {
        retry_lease(self, job);
    }
    /* The lease was taken, but no load will use it. */
    if (is_own)
        release_lease(self, job);
    sdimage_cache_entry_unref(entry);
}

/* Completes a change. A replacement succeeds also if the server kept its entry. */
static void end_change(tier *self, job *job, sdremote_command *command) {
    /* Without memory for the entry, prepare() has put another command in the place of the change. Engines may change
     * the verb of a SWAP themselves. */
    bool lacks_memory = (job->kind == JOB_STORE && command->verb == SDREMOTE_DELETE) ||
                        (job->kind == JOB_REPLACE && command->verb == SDREMOTE_GET);
    bool is_done = !lacks_memory && command->has_response && (job->kind != JOB_STORE || command->is_true);
    pthread_mutex_lock(&self->lock);
    sdimage_reply *reply = sdremote_take_reply(job);
    if (!is_done)
        self->statistics[SDIMAGE_REMOTE_STATISTIC_FAILURES]++;
    else if (job->kind == JOB_STORE || (job->kind == JOB_REPLACE && command->is_true))
        self->statistics[SDIMAGE_REMOTE_STATISTIC_STORED]++;
    /* The queue has this room again. */
    self->queued_bytes -= job->cost;
    job->cost = 0;
    if (job->kind == JOB_STORE)
        sdremote_forget_pending(self, job);
    /* A lease that was taken again meanwhile stays. */
    held_lease *held = job->kind == JOB_END_LEASE ? sdremote_find_lease(self, job->names.lease) : NULL;
    if (held && held->is_ended)
        sdremote_forget_lease(self, held);
    pthread_mutex_unlock(&self->lock);
    if (is_done)
        sdremote_complete(reply, NULL);
    else if (lacks_memory)
        sdremote_refuse(reply, SDIMAGE_STATUS_NO_MEMORY, "remote cache: no memory for the entry");
    else if (command->has_response)
        sdremote_refuse(reply, SDIMAGE_STATUS_IO_ERROR, "remote cache: server refused the entry");
    else
        sdremote_refuse(reply, SDIMAGE_STATUS_CONNECT_FAILED, "remote cache: no response from the servers");
}

/* Completes all jobs of a batch. Each kind consumes as many commands as prepare has made for it. */
static void finish(tier *self, batch *batch) {
    sdremote_command *command = batch->commands;
    for (size_t i = 0; i < batch->count; i++) {
        job *job = batch->jobs[i];
        switch (job->kind) {
        case JOB_QUERY: end_query(self, job, command++); break;
        case JOB_PROBE: command++; break;
        case JOB_LEASE:
            end_lease(self, job, command, command + 1);
            command += 2;
            break;
        default: end_change(self, job, command++); break;
        }
        free(batch->envelopes[i]);
        free(batch->old_envelopes[i]);
    }
    for (size_t i = 0; i < batch->command_count; i++) {
        /* Values that were copied, not adopted. */
        if (batch->commands[i].owner)
            batch->commands[i].release(batch->commands[i].owner);
    }
}

/* --- The thread. */

/* Takes jobs from a queue until the batch is full; drops look-ups that the timer has completed. Requires the lock. */
static void take_jobs(worker *worker, batch *batch, job_queue *queue) {
    bool is_single = worker->tier->options.connections == 1;
    size_t bytes = 0;
    while (batch->count < BATCH && queue->first && !(is_single && bytes >= BATCH_BYTES)) {
        job *job = sdremote_pop(queue);
        bool is_finished = !job->reply && (job->kind == JOB_QUERY || job->kind == JOB_LEASE);
        if (is_finished && sdremote_job_drop(job)) {
            sdremote_job_free(job);
        } else if (!is_finished) {
            job->worker = worker;
            bytes += job->cost;
            batch->jobs[batch->count++] = job;
        }
    }
}

/* Collects waiting jobs; none if both queues of the worker are empty. Requires the lock. */
static void gather(worker *worker, batch *batch) {
    tier *self = worker->tier;
    bool is_single = self->options.connections == 1;
    batch->count = 0;
    /* A single connection runs all jobs. Look-ups that keep coming alternate with stores, which would wait forever. */
    if (!worker->stores && !(is_single && worker->has_looked_up && self->stores.first))
        take_jobs(worker, batch, &self->lookups);
    worker->has_looked_up = batch->count > 0;
    /* The look-ups of the queue may all have been completed. */
    if (worker->stores || (is_single && !batch->count))
        take_jobs(worker, batch, &self->stores);
    worker->is_failure_counted = false;
}

/* Informs the breaker: any response counts as a success of the exchange. `elapsed`: nanoseconds. */
static void record_outcome(worker *worker, const batch *batch, uint64_t elapsed) {
    tier *self = worker->tier;
    size_t responses = 0;
    for (size_t i = 0; i < batch->command_count; i++)
        responses += batch->commands[i].has_response;
    pthread_mutex_lock(&self->lock);
    self->statistics[SDIMAGE_REMOTE_STATISTIC_EXCHANGES]++;
    /* A late response does not count as a success: its failure was counted at the deadline. */
    if (responses && !worker->is_failure_counted)
        sdremote_breaker_succeed(&self->breaker);
    else if (!responses && !worker->is_failure_counted)
        sdremote_breaker_fail(&self->breaker, sdcs_monotonic_ns());
    /* A failure after more than half of the budget delays loads as much as a timeout. */
    uint64_t budget = self->options.budget_ms * 1000000ull;
    if (responses < batch->command_count && batch->jobs[0]->kind < JOB_STORE && elapsed > budget / 2)
        self->refuse_until = sdcs_monotonic_ns() + budget;
    /* The exchange has ended: the timer must not count failures for it. */
    for (size_t i = 0; i < batch->count; i++)
        batch->jobs[i]->worker = NULL;
    pthread_mutex_unlock(&self->lock);
}

/* Drops the references of the batch. Jobs that wait again, or that the timer holds, stay. */
static void release(tier *self, batch *batch) {
    for (size_t i = 0; i < batch->count; i++) {
        pthread_mutex_lock(&self->lock);
        bool is_last = sdremote_job_drop(batch->jobs[i]);
        pthread_mutex_unlock(&self->lock);
        if (is_last)
            sdremote_job_free(batch->jobs[i]);
    }
}

void *sdremote_work(void *argument) {
    worker *worker = argument;
    tier *self = worker->tier;
    const sdremote_options *options = &self->options;
    sdremote_settings settings = {options->failures, options->pause_ms, options->max_entry};
    void *connection = NULL;
    /* Not in memory of its own: without that, no thread would run the jobs of the queue. */
    batch batch = {.count = 0};
    pthread_mutex_lock(&self->lock);
    /* The lock is held except while a batch runs. */
    while (true) {
        gather(worker, &batch);
        if (!batch.count) {
            /* Only when gather found nothing: waiting jobs are completed first. */
            if (self->is_stopped)
                break;
            self->idle_readers += !worker->stores;
            pthread_cond_wait(worker->stores ? &self->to_store : &self->to_look_up, &self->lock);
            self->idle_readers -= !worker->stores;
            continue;
        }
        pthread_mutex_unlock(&self->lock);
        prepare(self, &batch);
        /* Kept for the life of the thread; the engine reconnects it. */
        connection = connection ? connection : self->engine->open(self->servers, &settings);
        uint64_t started = sdcs_monotonic_ns();
        /* Longer than the budget, so that the timer acts first and counts the late look-ups. */
        uint64_t limit =
            batch.jobs[0]->kind < JOB_STORE ? options->budget_ms + options->budget_ms / 10 : options->store_timeout_ms;
        if (connection)
            self->engine->exchange(connection, batch.commands, batch.command_count, started + limit * 1000000);
        record_outcome(worker, &batch, sdcs_monotonic_ns() - started);
        finish(self, &batch);
        release(self, &batch);
        pthread_mutex_lock(&self->lock);
    }
    pthread_mutex_unlock(&self->lock);
    if (connection)
        self->engine->close(connection);
    sdremote_tier_drop(self);
    return NULL;
}
