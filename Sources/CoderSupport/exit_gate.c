#include "exit_gate.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"

/* Milliseconds that the end of the process waits for calls: libraries cannot be interrupted. */
enum { LONGEST_WAIT = 1000 };

/* Atomic, because a lock may be held forever in a forked child. */
static atomic_int calls;
static atomic_bool is_closed;
/* The process in which the threads of the calls exist. */
static pid_t owner;

/* Called by exit(3). */
static void close_gate(void) {
    if (getpid() != owner)
        return;
    atomic_store(&is_closed, true);
    for (int waited = 0; atomic_load(&calls) > 0 && waited < LONGEST_WAIT; waited++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Handlers and destructors run in the reverse order of their registration. */
static void add_handler(void) {
    /* Fails when the last handler has run. */
    if (atexit(close_gate) != 0)
        atomic_store(&is_closed, true);
}

static void open_gate(void) {
    owner = getpid();
    add_handler();
}

void sdcs_exit_gate_open(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_gate);
}

sdimage_status sdcs_exit_gate_enter(sdimage_error **error) {
    /* Counted first: either close_gate sees this call, or the call sees the closed gate. */
    atomic_fetch_add(&calls, 1);
    if (!atomic_load(&is_closed))
        return SDIMAGE_STATUS_OK;
    sdcs_exit_gate_leave();
    return sdcs_fail(error, SDIMAGE_STATUS_SHUTDOWN, "decoder: process is ending");
}

void sdcs_exit_gate_leave(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    /* Once more, because functions construct further objects when they are first called. */
    pthread_once(&once, add_handler);
    atomic_fetch_sub(&calls, 1);
}
