/* pending.c: a hash table of pending stores, linked by `next_pending` of the jobs (see pending.h). */
#include "pending.h"

#include <string.h>

#include "fnv.h"

/* Hashes the name, so that a removal finds the stores of the same entry. */
static unsigned bucket_of(const job *job) {
    uint64_t hash = sdcs_fnv1a(job->names.entry, strlen(job->names.entry));
    return (unsigned)((hash ^ hash >> 32) % SDREMOTE_BUCKETS);
}

void sdremote_note_pending(tier *self, job *job) {
    unsigned bucket = bucket_of(job);
    /* At the beginning, so that the latest store of a key is found first. */
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
        if (strcmp((*link)->names.entry, removal->names.entry))
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
