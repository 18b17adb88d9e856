/* tier_state.c: making and freeing of a tier (see tier_state.h). */
#include "tier_state.h"

#include <stdlib.h>
#include <time.h>

bool sdremote_tier_make_locks(tier *self) {
    pthread_condattr_t monotonic;
    pthread_cond_t *conditions[] = {&self->to_look_up, &self->to_store, &self->to_watch};
    size_t count = 0;
    if (pthread_condattr_init(&monotonic))
        return false;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    bool is_made = !pthread_mutex_init(&self->lock, NULL);
    /* Only the timer waits with a time limit, which is one of the monotonic clock. */
    while (is_made && count < 3 && !pthread_cond_init(conditions[count], count == 2 ? &monotonic : NULL))
        count++;
    pthread_condattr_destroy(&monotonic);
    if (count == 3)
        return true;
    while (count > 0)
        pthread_cond_destroy(conditions[--count]);
    if (is_made)
        pthread_mutex_destroy(&self->lock);
    return false;
}

/* Frees the jobs of a queue; replies that they still have are refused with SHUTDOWN. */
static void free_all(job_queue *queue) {
    for (job *job; (job = sdremote_pop(queue));)
        sdremote_job_free(job);
}

void sdremote_tier_drop(tier *self) {
    pthread_mutex_lock(&self->lock);
    bool is_last = --self->references == 0;
    pthread_mutex_unlock(&self->lock);
    if (!is_last)
        return;
    /* The last reference: no thread is left, and the lock is not needed. */
    free_all(&self->lookups);
    free_all(&self->stores);
    free_all(&self->waiting);
    while (self->held) {
        held_lease *held = self->held;
        self->held = held->next;
        free(held);
    }
    if (self->servers)
        self->engine->release(self->servers);
    pthread_cond_destroy(&self->to_look_up);
    pthread_cond_destroy(&self->to_store);
    pthread_cond_destroy(&self->to_watch);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

uint64_t sdremote_time_to_live(const tier *self, const sdimage_cache_entry *entry) {
    /* Milliseconds; `expiry` and `date` are nanoseconds since 1970. */
    uint64_t most = self->options.ttl_s * 1000, expiry = sdimage_cache_entry_expiry_ns(entry);
    if (!expiry)
        return most;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t date = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    uint64_t left = expiry > date ? (expiry - date) / 1000000 : 0;
    return left < most ? left : most;
}
