#include "limited.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "../../Modules/common/picture.h"

/* The stack size in bytes. Pages are committed as needed. It is large because the libraries recurse as deep as a file
 * demands. */
static const size_t STACK = sizeof(size_t) > 4 ? (size_t)512 << 20 : (size_t)64 << 20;

typedef struct run {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool is_over, is_abandoned;
    void *job;
    sdplug_work work, release;
} run;

/* Count of this plug-in's jobs that outlived their deadline, and its limit. While the limit is reached no work begins.
 * More than one, so that a single endless image does not stop all others. Few, because each may occupy a processor
 * indefinitely. */
enum { MOST_UNSEEN = 4 };
static pthread_mutex_t unseen_lock = PTHREAD_MUTEX_INITIALIZER;
static int unseen;

static int add_unseen(int change) {
    pthread_mutex_lock(&unseen_lock);
    int count = unseen += change;
    pthread_mutex_unlock(&unseen_lock);
    return count;
}

static void destroy(run *run) {
    run->release(run->job);
    pthread_cond_destroy(&run->ended);
    pthread_mutex_destroy(&run->lock);
    free(run);
}

static void *body(void *argument) {
    run *run = argument;
    run->work(run->job);
    pthread_mutex_lock(&run->lock);
    run->is_over = true;
    bool abandoned = run->is_abandoned;
    pthread_cond_signal(&run->ended);
    pthread_mutex_unlock(&run->lock);
    if (abandoned) {
        destroy(run);
        add_unseen(-1);
    }
    return NULL;
}

static run *make(void *job, sdplug_work work, sdplug_work release) {
    run *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    made->job = job, made->work = work, made->release = release;
    return made;
}

/* Waits for the work; reports that it ended in time. */
static bool wait_for(run *run, sdplug_deadline deadline, bool *abandoned) {
    struct timespec moment = {(time_t)(deadline.end / 1000000000u), (long)(deadline.end % 1000000000u)};
    pthread_mutex_lock(&run->lock);
    while (!run->is_over && pthread_cond_timedwait(&run->ended, &run->lock, &moment) == 0)
        continue;
    bool in_time = run->is_over;
    *abandoned = run->is_abandoned = !in_time;
    if (!in_time)
        add_unseen(1);
    pthread_mutex_unlock(&run->lock);
    return in_time;
}

static bool start(pthread_t *thread, run *run) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    bool started =
        pthread_attr_setstacksize(&attributes, STACK) == 0 && pthread_create(thread, &attributes, body, run) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

sdimage_status sdplug_run(void *job, sdplug_work work,
                          sdimage_status (*collect)(void *job, void *place, sdimage_error **error), void *place,
                          sdplug_work release, sdplug_deadline deadline, sdimage_error **error) {
    if (add_unseen(0) >= MOST_UNSEEN) {
        release(job);
        return sdmod_fail(error, SDIMAGE_STATUS_TIMEOUT, "decoder: all threads are taken by calls that do not return");
    }
    run *run = make(job, work, release);
    pthread_t thread;
    if (!run || !start(&thread, run)) {
        if (run)
            destroy(run);
        else
            release(job);
        return sdmod_fail(error, SDIMAGE_STATUS_NO_MEMORY, "decoder: no memory for a thread");
    }
    bool abandoned = false, in_time = wait_for(run, deadline, &abandoned);
    if (abandoned)
        pthread_detach(thread);
    else
        pthread_join(thread, NULL);
    sdimage_status status = SDIMAGE_STATUS_TIMEOUT;
    if (in_time)
        status = collect(job, place, error);
    else
        sdmod_fail(error, status, "decoder: took longer than max_work_ms allows");
    if (!abandoned)
        destroy(run);
    return status;
}
