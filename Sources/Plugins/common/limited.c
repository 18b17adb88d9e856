#include "limited.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "../../Modules/common/picture.h"

typedef struct run {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool is_over, is_abandoned;
    void *job;
    sdplug_work work, release;
} run;

/* Whether somebody's work goes on unseen. */
static pthread_mutex_t unseen_lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_unseen;

static bool take_unseen(void) {
    pthread_mutex_lock(&unseen_lock);
    bool taken = !is_unseen;
    is_unseen = true;
    pthread_mutex_unlock(&unseen_lock);
    return taken;
}

static void give_unseen(void) {
    pthread_mutex_lock(&unseen_lock);
    is_unseen = false;
    pthread_mutex_unlock(&unseen_lock);
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
        give_unseen();
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

/* Whether the work ended in time. */
static bool wait_for(run *run, sdplug_deadline deadline) {
    struct timespec moment = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
    pthread_mutex_lock(&run->lock);
    while (!run->is_over && pthread_cond_timedwait(&run->ended, &run->lock, &moment) == 0)
        continue;
    if (!run->is_over && take_unseen())
        run->is_abandoned = true;
    while (!run->is_over && !run->is_abandoned)
        pthread_cond_wait(&run->ended, &run->lock);
    bool over = !run->is_abandoned;
    pthread_mutex_unlock(&run->lock);
    return over;
}

sdimage_status sdplug_run(void *job, sdplug_work work, sdimage_status (*collect)(void *job, void *place, sdimage_error **error),
                          void *place, sdplug_work release, sdplug_deadline deadline, sdimage_error **error) {
    run *run = make(job, work, release);
    pthread_t thread;
    if (!run || pthread_create(&thread, NULL, body, run) != 0) {
        if (run)
            destroy(run);
        else
            release(job);
        return sdmod_fail(error, SDIMAGE_STATUS_NO_MEMORY, "no memory for a thread");
    }
    if (!wait_for(run, deadline)) {
        pthread_detach(thread);
        return sdmod_fail(error, SDIMAGE_STATUS_TIMEOUT, "decoding took longer than max_work_ms allows");
    }
    pthread_join(thread, NULL);
    sdimage_status status = collect(job, place, error);
    destroy(run);
    return status;
}
