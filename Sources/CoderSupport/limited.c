#include "limited.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "image.h"

/* The stack size in bytes. Pages are committed as needed. It is large because the libraries recurse as deep as a file
 * demands. */
static const size_t STACK = sizeof(size_t) > 4 ? (size_t)512 << 20 : (size_t)64 << 20;

/* A job in progress, shared by the caller and the thread that runs it. The one that is done last frees it. */
typedef struct task {
    pthread_mutex_t lock; /* guards both flags */
    pthread_cond_t ended; /* signaled when the work has finished */
    bool is_finished, is_abandoned;
    void *job; /* owned */
    sdcs_work work, release;
} task;

/* Count of this plug-in's jobs that outlived their deadline, and its limit. While the limit is reached no work begins.
 * More than one, so that a single endless image does not stop all others. Few, because each may occupy a processor
 * indefinitely. */
enum { MAX_ABANDONED = 4 };
static pthread_mutex_t abandoned_lock = PTHREAD_MUTEX_INITIALIZER;
static int abandoned_count;

/* Changes the count, and returns it. */
static int add_abandoned(int change) {
    pthread_mutex_lock(&abandoned_lock);
    int count = abandoned_count += change;
    pthread_mutex_unlock(&abandoned_lock);
    return count;
}

/* Releases the job and the task. */
static void destroy(task *task) {
    task->release(task->job);
    pthread_cond_destroy(&task->ended);
    pthread_mutex_destroy(&task->lock);
    free(task);
}

/* The thread of a job. After its unlock only one of the two threads refers to the task. */
static void *body(void *argument) {
    task *task = argument;
    task->work(task->job);
    pthread_mutex_lock(&task->lock);
    task->is_finished = true;
    bool is_abandoned = task->is_abandoned;
    pthread_cond_signal(&task->ended);
    pthread_mutex_unlock(&task->lock);
    if (is_abandoned) {
        destroy(task);
        add_abandoned(-1);
    }
    return NULL;
}

/* Makes the task of a job; NULL without memory. */
static task *make(void *job, sdcs_work work, sdcs_work release) {
    task *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    /* A change of the system time must not change the deadline. */
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    made->job = job, made->work = work, made->release = release;
    return made;
}

/* Waits for the work; reports that it ended in time. */
static bool wait_for(task *task, sdcs_deadline deadline, bool *is_abandoned) {
    struct timespec moment = {(time_t)(deadline.end / 1000000000u), (long)(deadline.end % 1000000000u)};
    pthread_mutex_lock(&task->lock);
    while (!task->is_finished && pthread_cond_timedwait(&task->ended, &task->lock, &moment) == 0)
        continue;
    bool in_time = task->is_finished;
    *is_abandoned = task->is_abandoned = !in_time;
    /* Counted under the lock, so that the thread cannot subtract it first. */
    if (!in_time)
        add_abandoned(1);
    pthread_mutex_unlock(&task->lock);
    return in_time;
}

/* Starts the thread with a large stack. */
static bool start(pthread_t *thread, task *task) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    bool started =
        pthread_attr_setstacksize(&attributes, STACK) == 0 && pthread_create(thread, &attributes, body, task) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

sdimage_status sdcs_run_limited(void *job, sdcs_work work,
                                sdimage_status (*collect)(void *job, void *result, sdimage_error **error), void *result,
                                sdcs_work release, sdcs_deadline deadline, sdimage_error **error) {
    /* No lock between this check and the start: a few more threads than the limit do no harm. */
    if (add_abandoned(0) >= MAX_ABANDONED) {
        release(job);
        return sdcs_fail(error, SDIMAGE_STATUS_TIMEOUT, "decoder: all threads are taken by calls that do not return");
    }
    task *task = make(job, work, release);
    pthread_t thread;
    if (!task || !start(&thread, task)) {
        if (task)
            destroy(task);
        else
            release(job);
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "decoder: no memory for a thread");
    }
    /* An abandoned thread owns the task, and frees it when its work ends. */
    bool is_abandoned = false, in_time = wait_for(task, deadline, &is_abandoned);
    if (is_abandoned)
        pthread_detach(thread);
    else
        pthread_join(thread, NULL);
    sdimage_status status = SDIMAGE_STATUS_TIMEOUT;
    if (in_time)
        /* The thread has ended: the job belongs to this one alone. */
        status = collect(job, result, error);
    else
        sdcs_fail(error, status, "decoder: took longer than max_work_ms allows");
    if (!is_abandoned)
        destroy(task);
    return status;
}
