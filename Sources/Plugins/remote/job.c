/* job.c: the jobs of a tier: replies of the library, reference counts and queues (see job.h). */
#include "job.h"

#include <stdlib.h>
#include <string.h>

void sdremote_complete(sdimage_reply *reply, sdimage_cache_entry *entry) {
    if (entry)
        sdimage_reply_complete_with_entry(reply, entry);
    else
        sdimage_reply_complete(reply);
    sdimage_reply_unref(reply);
}

void sdremote_refuse(sdimage_reply *reply, sdimage_status status, const char *message) {
    if (!reply)
        return;
    /* Without memory for the error the library reports one of its own. */
    sdimage_error *error = sdimage_error_new(status, message);
    sdimage_reply_complete_with_error(reply, error);
    sdimage_error_unref(error);
    sdimage_reply_unref(reply);
}

job *sdremote_job_new(job_kind kind, const char *prefix, const void *key, size_t length, sdimage_reply *reply) {
    /* The key follows the job in the same block. */
    job *job = length < SIZE_MAX - sizeof *job ? calloc(1, sizeof *job + length) : NULL;
    if (!job)
        return NULL;
    job->kind = kind;
    job->references = 1;
    job->reply = reply;
    job->key_length = length;
    if (length)
        memcpy(job->key, key, length);
    sdremote_make_names(&job->names, prefix, key, length);
    return job;
}

bool sdremote_job_drop(job *job) {
    return --job->references == 0;
}

/* A job that is freed with its reply was never run: the cache was closed before. */
void sdremote_job_free(job *job) {
    sdremote_refuse(job->reply, SDIMAGE_STATUS_SHUTDOWN, "remote cache: cache was closed");
    sdimage_cache_entry_unref(job->entry);
    sdimage_cache_entry_unref(job->old);
    free(job);
}

sdimage_reply *sdremote_take_reply(job *job) {
    sdimage_reply *reply = job->reply;
    job->reply = NULL;
    return reply;
}

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
