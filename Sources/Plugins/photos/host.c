/* host.c: the queue and the thread of a library of the host (see host.h).
 *
 * One thread passes requests to the host, one after the other, and waits for each reply. A reply may be completed on
 * any thread, also after its request was cancelled: its state is shared and counted. The queue is counted too, because
 * the thread may run its last instructions after the library was freed. No lock is held while functions of the host or
 * callbacks run.
 *
 * Locks: that of the queue may be held when that of a reply is acquired, never the other way round. */
#include "host.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "support.h"

/* The state of a reply, shared by the reply and its waiter. */
typedef struct reply_state {
    atomic_uint references;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_complete, is_cancelled;
    sdimage_photos_asset *asset;
    sdimage_error *error;
} reply_state;

/* The host's handle of a reply. The state remains while the thread waits for it. */
struct sdimage_photos_reply {
    sdphoto_object object;
    reply_state *state;
};

/* A request: for an identifier, or for the image of a known asset. */
typedef struct job {
    struct job *next;
    char *identifier; /* NULL for a known asset */
    sdimage_photos_fetch_options *options;
    sdimage_photos_asset *asset; /* NULL for an identifier */
    const void *owner;           /* the load's sink, which identifies it for cancellation */
    bool is_cancelled;           /* guarded by the lock of the queue */
    sdphoto_fetched_fn fetched;
    void *user_data;
} job;

/* The data of the thread; it may briefly outlive the library. */
typedef struct queue {
    atomic_uint references;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    job *first, **last;   /* `last`: the link that the next job is stored in */
    job *current;         /* the job that the thread runs */
    reply_state *pending; /* the reply being waited for */
    bool is_closing;
    sdimage_photos_library_vtable table; /* functions of the host; those it lacks are NULL */
    void *user_data;
    sdimage_destroy_fn destroy;
    uint64_t number; /* the library's number */
} queue;

/* A library of the host. */
typedef struct host {
    struct sdimage_photos_library library;
    queue *queue;
    pthread_t thread;
    bool has_thread; /* guarded by the lock of the queue */
} host;

/* --- Replies. */

/* Releases a reference to the state of a reply. */
static void drop_state(reply_state *state) {
    if (atomic_fetch_sub(&state->references, 1) != 1)
        return;
    sdimage_photos_asset_unref(state->asset);
    sdimage_error_unref(state->error);
    pthread_mutex_destroy(&state->lock);
    pthread_cond_destroy(&state->changed);
    free(state);
}

/* Completes a reply; only the first completion counts. Takes over its arguments. */
static void complete(reply_state *state, sdimage_photos_asset *asset, sdimage_error *error) {
    pthread_mutex_lock(&state->lock);
    bool is_first = !state->is_complete;
    if (is_first) {
        state->is_complete = true;
        state->asset = asset;
        state->error = error;
        pthread_cond_broadcast(&state->changed);
    }
    pthread_mutex_unlock(&state->lock);
    if (is_first)
        return;
    sdimage_photos_asset_unref(asset);
    sdimage_error_unref(error);
}

/* Wakes the thread that waits for a reply. The host can read the flag (sdimage_photos_reply_is_cancelled). */
static void cancel_state(reply_state *state) {
    pthread_mutex_lock(&state->lock);
    state->is_cancelled = true;
    pthread_cond_broadcast(&state->changed);
    pthread_mutex_unlock(&state->lock);
}

/* Makes a reply for the host; NULL if memory is exhausted. */
static sdimage_photos_reply *new_reply(void) {
    sdimage_photos_reply *reply = sdphoto_new(SDPHOTO_REPLY, sizeof *reply);
    reply_state *state = reply ? calloc(1, sizeof *state) : NULL;
    if (!state) {
        free(reply);
        return NULL;
    }
    atomic_init(&state->references, 1);
    pthread_mutex_init(&state->lock, NULL);
    pthread_cond_init(&state->changed, NULL);
    reply->state = state;
    return reply;
}

sdimage_photos_reply *sdimage_photos_reply_ref(const sdimage_photos_reply *reply) {
    return sdphoto_ref(reply, SDPHOTO_REPLY);
}

void sdimage_photos_reply_unref(sdimage_photos_reply *reply) {
    if (!sdphoto_unref(reply, SDPHOTO_REPLY))
        return;
    /* No effect if the reply is complete. */
    complete(reply->state, NULL, sdimage_error_new(SDIMAGE_STATUS_INTERNAL_ERROR, "photos: host dropped its reply"));
    drop_state(reply->state);
    free(reply);
}

void sdimage_photos_reply_complete(sdimage_photos_reply *reply, sdimage_photos_asset *asset) {
    if (sdphoto_is(reply, SDPHOTO_REPLY))
        complete(reply->state, sdimage_photos_asset_ref(asset), NULL);
}

void sdimage_photos_reply_fail(sdimage_photos_reply *reply, sdimage_error *error) {
    if (!sdphoto_is(reply, SDPHOTO_REPLY))
        return;
    complete(reply->state, NULL,
             error ? sdimage_error_ref(error)
                   : sdimage_error_new(SDIMAGE_STATUS_INTERNAL_ERROR, "photos: host failed without an error"));
}

bool sdimage_photos_reply_is_cancelled(const sdimage_photos_reply *reply) {
    if (!sdphoto_is(reply, SDPHOTO_REPLY))
        return false;
    pthread_mutex_lock(&reply->state->lock);
    bool is_cancelled = reply->state->is_cancelled;
    pthread_mutex_unlock(&reply->state->lock);
    return is_cancelled;
}

/* --- The thread. */

/* Releases a reference to the queue; the last one calls the host's destroy function. */
static void drop_queue(queue *queue) {
    if (atomic_fetch_sub(&queue->references, 1) != 1)
        return;
    if (queue->destroy)
        queue->destroy(queue->user_data);
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->changed);
    free(queue);
}

/* Frees a job and its references. The user data belongs to the callback. */
static void free_job(job *job) {
    free(job->identifier);
    sdimage_photos_fetch_options_unref(job->options);
    sdimage_photos_asset_unref(job->asset);
    free(job);
}

/* Asks the host and waits for its reply, unless the request is cancelled. */
static void fetch_asset(queue *queue, job *job) {
    sdimage_photos_reply *reply = new_reply();
    if (!reply) {
        job->fetched(job->user_data, NULL, SDIMAGE_STATUS_NO_MEMORY, NULL);
        return;
    }
    reply_state *state = reply->state;
    atomic_fetch_add(&state->references, 1);
    pthread_mutex_lock(&queue->lock);
    /* In one step with `pending`: a later cancellation finds the reply. */
    bool is_active = !job->is_cancelled && !queue->is_closing;
    queue->pending = state;
    pthread_mutex_unlock(&queue->lock);
    if (is_active)
        /* Without a lock: the host may complete the reply at once. */
        queue->table.fetch(queue->user_data, job->identifier, job->options, reply);
    else
        sdimage_photos_reply_unref(reply);
    pthread_mutex_lock(&state->lock);
    while (is_active && !state->is_complete && !state->is_cancelled)
        pthread_cond_wait(&state->changed, &state->lock);
    bool is_cancelled = !is_active || state->is_cancelled;
    sdimage_photos_asset *asset = is_cancelled ? NULL : sdimage_photos_asset_ref(state->asset);
    sdimage_error *error = is_cancelled ? NULL : sdimage_error_ref(state->error);
    pthread_mutex_unlock(&state->lock);
    pthread_mutex_lock(&queue->lock);
    queue->pending = NULL;
    pthread_mutex_unlock(&queue->lock);
    drop_state(state);
    /* The host may ignore the options. */
    if (asset && !sdimage_photos_fetch_options_should_include(job->options, asset)) {
        sdimage_photos_asset_unref(asset);
        asset = NULL;
    }
    sdimage_status status = is_cancelled ? SDIMAGE_STATUS_CANCELLED
                            : error      ? sdimage_error_code(error)
                            : asset      ? SDIMAGE_STATUS_OK
                                         : SDIMAGE_STATUS_PHOTOS_NOT_FOUND;
    if (asset && asset->library != queue->number) {
        /* The load can request it again without a look-up. */
        sdimage_photos_asset *own = sdphoto_asset_copy(asset);
        if (own)
            own->library = queue->number;
        sdimage_photos_asset_unref(asset);
        asset = own;
        status = own ? status : SDIMAGE_STATUS_NO_MEMORY;
    }
    job->fetched(job->user_data, asset, status, error);
    sdimage_error_unref(error);
    sdimage_photos_asset_unref(asset);
}

/* The body of the thread: runs jobs until the queue is closing and empty. Waiting jobs of a closing queue end as
 * cancelled. */
static void *run(void *argument) {
    queue *queue = argument;
    pthread_mutex_lock(&queue->lock);
    for (;;) {
        while (!queue->first && !queue->is_closing)
            pthread_cond_wait(&queue->changed, &queue->lock);
        job *job = queue->first;
        if (!job)
            break;
        queue->first = job->next;
        if (!queue->first)
            queue->last = &queue->first;
        /* From here on a cancellation finds the job as the current one. */
        queue->current = job;
        bool is_cancelled = job->is_cancelled || queue->is_closing;
        pthread_mutex_unlock(&queue->lock);
        if (is_cancelled)
            job->fetched(job->user_data, NULL, SDIMAGE_STATUS_CANCELLED, NULL);
        else if (job->asset)
            job->fetched(job->user_data, job->asset, SDIMAGE_STATUS_OK, NULL);
        else
            fetch_asset(queue, job);
        pthread_mutex_lock(&queue->lock);
        /* Before the job is freed, because a cancellation reads it under the lock. */
        queue->current = NULL;
        pthread_mutex_unlock(&queue->lock);
        free_job(job);
        pthread_mutex_lock(&queue->lock);
    }
    pthread_mutex_unlock(&queue->lock);
    drop_queue(queue);
    return NULL;
}

/* Requires the lock of the queue. The thread blocks all signals: they belong to the host. */
static bool start(host *host) {
    sigset_t all, before;
    if (host->has_thread)
        return true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    atomic_fetch_add(&host->queue->references, 1);
    host->has_thread = pthread_create(&host->thread, NULL, run, host->queue) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (host->has_thread)
        pthread_setname_np(host->thread, "sdimage-photos");
    else
        atomic_fetch_sub(&host->queue->references, 1);
    return host->has_thread;
}

/* Queues a job, which it takes over, and starts the thread. FORKED in a child process, which does not have the
 * thread. */
static sdimage_status submit(sdimage_photos_library *library, job *job) {
    host *own = (host *)library;
    if (sdphoto_library_is_forked(library)) {
        free_job(job);
        return SDIMAGE_STATUS_FORKED;
    }
    pthread_mutex_lock(&own->queue->lock);
    /* Started with the first request. */
    bool is_started = start(own);
    if (is_started) {
        *own->queue->last = job;
        own->queue->last = &job->next;
        pthread_cond_signal(&own->queue->changed);
    }
    pthread_mutex_unlock(&own->queue->lock);
    if (!is_started)
        free_job(job);
    return is_started ? SDIMAGE_STATUS_OK : SDIMAGE_STATUS_NO_MEMORY;
}

/* Makes a job; NULL if memory is exhausted. */
static job *new_job(const void *owner, sdphoto_fetched_fn fetched, void *user_data) {
    job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->owner = owner;
    job->fetched = fetched;
    job->user_data = user_data;
    return job;
}

sdimage_status sdphoto_host_fetch(sdimage_photos_library *library, const char *identifier,
                                  sdimage_photos_fetch_options *options, const void *owner, sdphoto_fetched_fn fetched,
                                  void *user_data) {
    job *job = new_job(owner, fetched, user_data);
    if (job)
        job->identifier = sdphoto_join(identifier, NULL, NULL);
    if (!job || !job->identifier) {
        free(job);
        return SDIMAGE_STATUS_NO_MEMORY;
    }
    job->options = sdimage_photos_fetch_options_ref(options);
    return submit(library, job);
}

sdimage_status sdphoto_host_take(sdimage_photos_library *library, sdimage_photos_asset *asset, const void *owner,
                                 sdphoto_fetched_fn fetched, void *user_data) {
    job *job = new_job(owner, fetched, user_data);
    if (!job)
        return SDIMAGE_STATUS_NO_MEMORY;
    job->asset = sdimage_photos_asset_ref(asset);
    return submit(library, job);
}

/* Entry of sdphoto_library_kind. */
static void cancel_loads(sdimage_photos_library *library, const void *owner) {
    queue *queue = ((host *)library)->queue;
    pthread_mutex_lock(&queue->lock);
    for (job *job = queue->first; job; job = job->next)
        if (!owner || job->owner == owner)
            job->is_cancelled = true;
    /* The job that runs may wait for its reply. */
    if (queue->current && (!owner || queue->current->owner == owner)) {
        queue->current->is_cancelled = true;
        if (queue->pending)
            cancel_state(queue->pending);
    }
    pthread_mutex_unlock(&queue->lock);
}

const sdimage_photos_library_vtable *sdphoto_host_table(const sdimage_photos_library *library, void **user_data) {
    const host *own = (const host *)library;
    *user_data = own->queue->user_data;
    return &own->queue->table;
}

/* --- The library. */

/* Entry of sdphoto_library_kind: ends the thread. Waits for it, and so for functions of the host that it is in. */
static bool close_host(sdimage_photos_library *library) {
    host *own = (host *)library;
    queue *queue = own->queue;
    /* A forked process does not have the thread, and the state of the locks is undefined. */
    if (sdphoto_library_is_forked(library))
        return true;
    pthread_mutex_lock(&queue->lock);
    queue->is_closing = true;
    bool has_thread = own->has_thread;
    if (queue->pending)
        cancel_state(queue->pending);
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    /* The last load may release the library on the library's own thread. */
    if (has_thread && pthread_equal(own->thread, pthread_self()))
        pthread_detach(own->thread);
    else if (has_thread)
        pthread_join(own->thread, NULL);
    drop_queue(queue);
    return true;
}

static const sdphoto_library_kind host_kind = {.close = close_host, .cancel_loads = cancel_loads};

bool sdphoto_is_host(const sdimage_photos_library *library) {
    return library->kind == &host_kind;
}

sdimage_status sdimage_photos_library_new_custom(const char *name, const sdimage_photos_library_vtable *vtable,
                                                 void *user_data, sdimage_destroy_fn destroy,
                                                 sdimage_photos_library **library, sdimage_error **error) {
    sdimage_status status = SDIMAGE_STATUS_OK;
    sdimage_photos_library_vtable table = {0};
    /* Tables of older programs may end before `bytes`. */
    if (vtable && vtable->size >= offsetof(sdimage_photos_library_vtable, bytes))
        sdphoto_copy_table(&table, sizeof table, vtable, vtable->size);
    if (!library || !table.fetch || !table.image)
        status = sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT,
                           "photos: result pointer is NULL, or table lacks fetch or image");
    queue *queue = status >= 0 ? calloc(1, sizeof *queue) : NULL;
    host *own = queue ? sdphoto_library_new(&host_kind, name ? name : "custom", sizeof *own) : NULL;
    if (!own) {
        free(queue);
        /* Each failure releases the user data. */
        if (destroy)
            destroy(user_data);
        return status < 0 ? status : sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "photos: no memory for a library");
    }
    atomic_init(&queue->references, 1);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->last = &queue->first;
    queue->table = table;
    queue->user_data = user_data;
    queue->destroy = destroy;
    /* The thread needs it after the library may have been freed. */
    queue->number = own->library.number;
    own->queue = queue;
    *library = &own->library;
    return SDIMAGE_STATUS_OK;
}
