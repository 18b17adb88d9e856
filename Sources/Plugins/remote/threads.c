/* threads.c: the threads of a tier, which start when first needed (see threads.h).
 *
 * Look-ups have `connections` - 1 workers, stores the last one. With a single connection one worker does both. All
 * threads are detached: each holds a reference to the tier and drops it at its end. */
#include "threads.h"

#include <signal.h>

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
    /* The worker for stores is always the last of the array. */
    if (stores && self->options.connections > 1) {
        if (!self->has_storer)
            self->has_storer = start(self, self->work, &self->workers[15]);
        pthread_cond_signal(&self->to_store);
        return self->has_storer;
    }
    unsigned most = self->options.connections > 1 ? self->options.connections - 1 : 1;
    /* A further worker only if all others are busy. */
    if (!self->idle_readers && self->readers < most && start(self, self->work, &self->workers[self->readers]))
        self->readers++;
    pthread_cond_signal(&self->to_look_up);
    return self->readers > 0;
}

void sdremote_wake_timer(tier *self, uint64_t time) {
    if (!self->has_timer)
        self->has_timer = start(self, self->run_timer, self);
    /* The timer sleeps until `timer_wakes`; 0 while it is awake and will see the new time itself. */
    if (time < self->timer_wakes)
        pthread_cond_signal(&self->to_watch);
}

void sdremote_probe(tier *self) {
    job *probe = sdremote_job_new(JOB_PROBE, self->options.prefix, "", 0, NULL);
    /* The thread waits for the lock before it takes the probe. */
    if (probe && sdremote_wake(self, false)) {
        sdremote_push(&self->lookups, probe);
        return;
    }
    /* The next look-up tries again. */
    self->breaker.is_probing = false;
    if (probe)
        sdremote_job_free(probe);
}
