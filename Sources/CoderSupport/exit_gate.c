#include "exit_gate.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "fail.h"

/* Nanoseconds that the end of the process waits for calls: libraries cannot be interrupted. */
static const uint64_t LONGEST_WAIT = 1000000000;

/* Atomic, because a lock may be held forever in a forked child. */
static atomic_int calls;
static atomic_uint ended_calls;
static atomic_bool is_closed;

/* Called by exit(3) once for each registration; all share one wait. */
static void close_gate(void) {
    static uint64_t end;
    if (!end)
        end = sdcs_monotonic_ns() + LONGEST_WAIT;
    atomic_store(&is_closed, true);
    while (atomic_load(&calls) > 0 && sdcs_monotonic_ns() < end)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Handlers and destructors run in the reverse order of their registration. */
static void add_handler(void) {
    /* Fails when the last handler has run, or without memory. */
    if (atexit(close_gate) != 0)
        atomic_store(&is_closed, true);
}

/* The child of a fork does not have the threads of the calls. */
static void forget_calls(void) {
    atomic_store(&calls, 0);
}

static void open_gate(void) {
    pthread_atfork(NULL, NULL, forget_calls);
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
    atomic_fetch_sub(&calls, 1);
    return sdcs_fail(error, SDIMAGE_STATUS_SHUTDOWN, "coder: process is ending");
}

void sdcs_exit_gate_leave(void) {
    /* Functions construct further objects when they are first called. The handler is registered again after the first
     * call, the second, the fourth and so on, which is after the objects of all functions in regular use. */
    unsigned ended = atomic_fetch_add(&ended_calls, 1) + 1;
    if ((ended & (ended - 1)) == 0)
        add_handler();
    atomic_fetch_sub(&calls, 1);
}
