/* queues.c: the queues of jobs and the threads that run them. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "fnv.h"
#include "jobs.h"

void sdremote_push(job_queue *queue, job *job) {
    job->next = NULL;
    if (queue->last)
        queue->last->next = job;
    else
        queue->first = job;
    queue->last = job;
}

job *sdremote_pop(job_queue *queue) {
    job *job = queue->first;
    if (job)
        queue->first = job->next;
    if (!queue->first)
        queue->last = NULL;
    return job;
}

void sdremote_watch(tier *self, job *watched) {
    /* Budgets are equal, so the deadline is nearly always the last one. */
    job *before = self->last_watched;
    while (before && before->deadline > watched->deadline)
        before = before->earlier;
    watched->earlier = before;
    watched->later = before ? before->later : self->first_watched;
    *(before ? &before->later : &self->first_watched) = watched;
    *(watched->later ? &watched->later->earlier : &self->last_watched) = watched;
    watched->is_watched = true;
    watched->references++;
    sdremote_wake_timer(self, watched->deadline);
}

void sdremote_unwatch(tier *self, job *watched) {
    if (!watched->is_watched)
        return;
    *(watched->earlier ? &watched->earlier->later : &self->first_watched) = watched->later;
    *(watched->later ? &watched->later->earlier : &self->last_watched) = watched->earlier;
    watched->is_watched = false;
    /* The caller holds another reference. */
    watched->references--;
}

sdimage_reply *sdremote_take_reply(job *job) {
    sdimage_reply *reply = job->reply;
    job->reply = NULL;
    return reply;
}

static unsigned bucket_of(const job *job) {
    uint64_t hash = sdcs_fnv1a(job->name, strlen(job->name));
    return (unsigned)((hash ^ hash >> 32) % SDREMOTE_BUCKETS);
}

void sdremote_note_pending(tier *self, job *job) {
    unsigned bucket = bucket_of(job);
    job->next_pending = self->pending[bucket];
    self->pending[bucket] = job;
}

void sdremote_forget_pending(tier *self, job *finished) {
    for (job **link = &self->pending[bucket_of(finished)]; *link; link = &(*link)->next_pending) {
        if (*link == finished) {
            *link = finished->next_pending;
            return;
        }
    }
}

void sdremote_hide_pending(tier *self, const job *removal) {
    for (job **link = &self->pending[bucket_of(removal)]; *link;) {
        if (strcmp((*link)->name, removal->name))
            link = &(*link)->next_pending;
        else
            *link = (*link)->next_pending;
    }
}

sdimage_cache_entry *sdremote_pending(tier *self, const job *query) {
    for (job *job = self->pending[bucket_of(query)]; job; job = job->next_pending) {
        if (job->key_length == query->key_length && !memcmp(job->key, query->key, job->key_length))
            return job->entry;
    }
    return NULL;
}

held_lease *sdremote_find_lease(tier *self, const char *name) {
    held_lease *held = self->held;
    while (held && strcmp(held->name, name))
        held = held->next;
    return held;
}

void sdremote_forget_lease(tier *self, held_lease *held) {
    held_lease **link = &self->held;
    while (*link && *link != held)
        link = &(*link)->next;
    if (*link)
        *link = held->next;
    free(held);
}

/* Starts a thread with all signals blocked: writing to a closed connection raises SIGPIPE in the writing thread. */
static bool start(tier *self, void *(*body)(void *), void *argument) {
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_started = !pthread_create(&thread, NULL, body, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_started) {
        pthread_setname_np(thread, "sdimage-remote");
        pthread_detach(thread);
        self->references++;
    }
    return is_started;
}

bool sdremote_wake(tier *self, bool stores) {
    if (stores && self->options.connections > 1) {
        if (!self->has_storer)
            self->has_storer = start(self, sdremote_work, &self->workers[15]);
        pthread_cond_signal(&self->to_store);
        return self->has_storer;
    }
    unsigned most = self->options.connections > 1 ? self->options.connections - 1 : 1;
    if (!self->idle_readers && self->readers < most && start(self, sdremote_work, &self->workers[self->readers]))
        self->readers++;
    pthread_cond_signal(&self->to_look_up);
    return self->readers > 0;
}

void sdremote_wake_timer(tier *self, uint64_t time) {
    if (!self->has_timer)
        self->has_timer = start(self, sdremote_run_timer, self);
    if (time < self->timer_wakes)
        pthread_cond_signal(&self->to_watch);
}

void sdremote_probe(tier *self) {
    job *probe = sdremote_job_new(self, JOB_PROBE, "", 0, NULL);
    if (probe) {
        sdremote_push(&self->lookups, probe);
        sdremote_wake(self, false);
    } else {
        /* The next look-up tries again. */
        self->breaker.is_probing = false;
    }
}
