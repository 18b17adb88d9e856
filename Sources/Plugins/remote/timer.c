/* timer.c: the timer thread of a tier, one for all of its look-ups (see timer.h). */
#include "timer.h"

#include "deadlines.h"
#include "threads.h"

/* Removes the jobs past their deadline from the list, and returns them linked by `later`. The caller takes over their
 * references. */
static job *late(tier *self, uint64_t now) {
    job *all = NULL;
    while (self->first_watched && self->first_watched->deadline <= now) {
        job *job = self->first_watched;
        job->references++;
        sdremote_unwatch(self, job);
        /* One exchange counts as one failure, however many of its jobs are late. */
        if (job->worker && !job->worker->is_failure_counted) {
            job->worker->is_failure_counted = true;
            sdremote_breaker_fail(&self->breaker, now);
        }
        /* NULL: a worker has just completed it. */
        if (job->reply) {
            self->statistics[SDIMAGE_REMOTE_STATISTIC_TIMEOUTS]++;
            self->refuse_until = now + self->options.budget_ms * 1000000ull;
        }
        job->due = 0;
        job->later = all;
        all = job;
    }
    return all;
}

/* Completes late jobs with TIMEOUT. Called without the lock, because it completes replies. Their exchanges continue. */
static void fail_expired(tier *self, job *all) {
    while (all) {
        job *job = all;
        all = job->later;
        pthread_mutex_lock(&self->lock);
        sdimage_reply *reply = sdremote_take_reply(job);
        bool is_last = sdremote_job_drop(job);
        pthread_mutex_unlock(&self->lock);
        sdremote_refuse(reply, SDIMAGE_STATUS_TIMEOUT, "remote cache: no response from the servers within the budget");
        if (is_last)
            sdremote_job_free(job);
    }
}

/* Moves leases that are due to the look-up queue; returns the due time of the next one. */
static uint64_t requeue_leases(tier *self, uint64_t now) {
    /* Jobs that are not due return to the list. */
    job_queue all = self->waiting;
    uint64_t next = UINT64_MAX;
    bool is_any = false;
    self->waiting = (job_queue){NULL, NULL};
    for (job *job; (job = sdremote_pop(&all));) {
        if (job->due > now) {
            next = job->due < next ? job->due : next;
            sdremote_push(&self->waiting, job);
            continue;
        }
        job->deadline = now + self->options.budget_ms * 1000000ull;
        sdremote_push(&self->lookups, job);
        sdremote_watch(self, job);
        is_any = true;
    }
    if (is_any)
        sdremote_wake(self, false);
    return next;
}

void *sdremote_run_timer(void *argument) {
    tier *self = argument;
    pthread_mutex_lock(&self->lock);
    while (!self->is_stopped) {
        uint64_t now = sdcs_monotonic_ns();
        job *all = late(self, now);
        /* Takes the time again, because completing replies may have taken long. */
        if (all) {
            pthread_mutex_unlock(&self->lock);
            fail_expired(self, all);
            pthread_mutex_lock(&self->lock);
            continue;
        }
        /* Nothing wakes the timer while it looks for its next time. */
        self->timer_wakes = 0;
        uint64_t next = requeue_leases(self, now);
        if (self->first_watched && self->first_watched->deadline < next)
            next = self->first_watched->deadline;
        self->timer_wakes = next;
        struct timespec until = {(time_t)(next / 1000000000), (long)(next % 1000000000)};
        /* No deadline at all. */
        if (next == UINT64_MAX)
            pthread_cond_wait(&self->to_watch, &self->lock);
        else
            pthread_cond_timedwait(&self->to_watch, &self->lock, &until);
    }
    pthread_mutex_unlock(&self->lock);
    sdremote_tier_drop(self);
    return NULL;
}
