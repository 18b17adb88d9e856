/* shim.c: system calls and functions of the C library, for the Swift targets: processors, locks, forks, descriptors.
 * Functions may be called from any thread.
 *
 * At a fork, the order is: prepare_fork before it, then end_fork in the parent, or start_child in the child. */
#define _GNU_SOURCE
#include "csystem.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/futex.h>
#include <malloc.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void csys_name_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

int csys_available_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int count = CPU_COUNT(&set);
        if (count > 0)
            return count;
    }
    /* The CPU set has fewer bits than there are processors. */
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int csys_try_lock_file(int descriptor, int exclusive) {
    struct flock lock = {.l_type = exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

uint64_t csys_next_order(void) {
    /* Relaxed: only the order within a thread is promised. */
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/* Errors are not reported: the caller checks the word again after every return. */
void csys_futex_wait(const void *word, uint32_t expected, uint64_t deadline) {
    struct timespec time = {.tv_sec = (time_t)(deadline / 1000000000), .tv_nsec = (long)(deadline % 1000000000)};
    /* FUTEX_WAIT_BITSET takes an absolute time of the monotonic clock. */
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected, deadline == UINT64_MAX ? NULL : &time, NULL,
            FUTEX_BITSET_MATCH_ANY);
}

void csys_futex_wake(const void *word, int count) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

#ifdef SDIMAGE_TSAN
#include <sanitizer/tsan_interface.h>

void csys_will_lock(const void *lock) {
    __tsan_mutex_pre_lock((void *)lock, 0);
}
void csys_did_lock(const void *lock) {
    __tsan_mutex_post_lock((void *)lock, 0, 0);
}
void csys_will_try_lock(const void *lock) {
    __tsan_mutex_pre_lock((void *)lock, __tsan_mutex_try_lock);
}
void csys_did_try_lock(const void *lock, bool is_locked) {
    __tsan_mutex_post_lock((void *)lock, __tsan_mutex_try_lock | (is_locked ? 0 : __tsan_mutex_try_lock_failed), 0);
}
void csys_will_unlock(const void *lock) {
    __tsan_mutex_pre_unlock((void *)lock, 0);
}
void csys_did_unlock(const void *lock) {
    __tsan_mutex_post_unlock((void *)lock, 0);
}
void csys_note_release(const void *address) {
    __tsan_release((void *)address);
}
void csys_note_acquire(const void *address) {
    __tsan_acquire((void *)address);
}
#endif

void csys_trim_heap(void) {
    /* No padding stays at the end of the heap. */
    malloc_trim(0);
}

/* Holds descriptor + 1, so that 0 is a free slot. */
static _Atomic int watched[4096];

/* Replaces one entry with a value by another. Without a lock, because a fork may happen at any moment and would copy
 * it. */
static void exchange_watched(int from, int to) {
    for (unsigned i = 0; i < sizeof watched / sizeof watched[0]; i++) {
        int expected = from;
        if (atomic_load_explicit(&watched[i], memory_order_relaxed) == from &&
            atomic_compare_exchange_strong(&watched[i], &expected, to))
            return;
    }
}

void csys_watch_fork(int descriptor) {
    exchange_watched(0, descriptor + 1);
}

void csys_unwatch_fork(int descriptor) {
    exchange_watched(descriptor + 1, 0);
}

/* Runs in the child, on its only thread. */
static void close_watched(void) {
    for (unsigned i = 0; i < sizeof watched / sizeof watched[0]; i++) {
        /* A slot that is free is only read, which saves an atomic exchange. */
        int held = atomic_load(&watched[i]) == 0 ? 0 : atomic_exchange(&watched[i], 0);
        if (held > 0)
            close(held - 1);
    }
}

/* The id of the calling thread, which the Swift runtime caches for `swift_once` (Threading/Impl/Linux/ulock.h). The
 * definition in the static runtime is weak: this one replaces it. */
__thread int32_t runtime_thread __asm__("_ZZN5swift14threading_impl5linux13ulock_get_tidEvE3tid");

extern void swift_once(void *token, void (*function)(void *), void *context);

/* The function of a token that is never used otherwise. */
static void do_nothing(void *context) {
    (void)context;
}

/* Clears the cached thread id in a forked child. The child's only thread inherits the id of the forking thread. If
 * another thread waited for a `swift_once` that it runs, it could not unlock it, and both would hang. Returns false if
 * the runtime caches the id elsewhere, as any version of the runtime may. */
static bool forget_runtime_thread(void) {
    intptr_t token[2] = {0};
    runtime_thread = 0;
    swift_once(token, do_nothing, NULL);
#ifdef SDIMAGE_TSAN
    return true; /* The runtime is a shared library in these builds. */
#else
    return runtime_thread == (int32_t)syscall(SYS_gettid);
#endif
}

_Atomic bool csys_forked;
static void (*_Atomic will_fork)(void), (*_Atomic did_fork)(void), (*_Atomic did_fork_in_child)(void);
/* The handlers may be set while this thread forks. */
static __thread bool is_handled;

/* Runs before the fork, on the thread that forks. */
static void prepare_fork(void) {
    void (*prepare)(void) = atomic_load(&will_fork);
    is_handled = prepare;
    if (prepare)
        prepare();
}

/* Runs after the fork, on the same thread of the parent. */
static void end_fork(void) {
    if (is_handled)
        atomic_load (&did_fork)();
}

/* Runs in the child. Descriptors are closed first: the locks of the parent must not depend on this process. */
static void start_child(void) {
    close_watched();
    if (!forget_runtime_thread())
        atomic_store(&csys_forked, true);
    if (is_handled)
        atomic_load (&did_fork_in_child)();
}

/* Registers when the library is loaded, so that no fork comes before. */
__attribute__((constructor)) static void handle_forks(void) {
    pthread_atfork(prepare_fork, end_fork, start_child);
}

void csys_handle_forks(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
    /* will_fork comes last: prepare_fork reads it, and then expects the others. */
    atomic_store(&did_fork, parent);
    atomic_store(&did_fork_in_child, child);
    atomic_store(&will_fork, prepare);
}

/* Defined by SDImageABI; the address is NULL in programs without it. */
extern void sdi_prepare_fork(void) __attribute__((weak));

void csys_prepare_fork(void) {
    if (sdi_prepare_fork)
        sdi_prepare_fork();
}

int csys_event_descriptor(void) {
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return descriptor >= 0 ? descriptor : -errno;
}

void csys_signal_event(int descriptor) {
    /* An event that is signaled already stays so: EAGAIN is no failure. */
    uint64_t one = 1;
    while (write(descriptor, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

void csys_clear_event(int descriptor) {
    uint64_t count;
    while (read(descriptor, &count, sizeof count) < 0 && errno == EINTR) {
    }
}

int csys_timer_descriptor(void) {
    int descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    return descriptor >= 0 ? descriptor : -errno;
}

void csys_arm_timer(int descriptor, uint64_t moment) {
    struct itimerspec time = {
        .it_value = {.tv_sec = (time_t)(moment / 1000000000), .tv_nsec = (long)(moment % 1000000000)}};
    timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &time, NULL);
}

/* Returns the file mapped at an address (proc_pid_maps(5)). */
static const char *mapped_file(uintptr_t address) {
    static char line[4096 + 128];
    FILE *maps = fopen("/proc/self/maps", "re");
    /* A line has the range of addresses, in hexadecimal, and after other fields the path. */
    const char *found = NULL;
    while (maps && !found && fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        char *path = strchr(line, '/');
        if (path && sscanf(line, "%lx-%lx", &from, &to) == 2 && address >= from && address < to) {
            path[strcspn(path, "\n")] = 0;
            found = path;
        }
    }
    if (maps)
        fclose(maps);
    return found;
}

/* Written once, by find_own_file. */
static const char *own_file;

/* Finds the file of this code. dladdr(3) has the name by which it was loaded, which may be relative. */
static void find_own_file(void) {
    Dl_info info;
    if (!dladdr((const void *)&watched, &info))
        return;
    own_file = info.dli_fname && info.dli_fname[0] == '/' ? info.dli_fname : mapped_file((uintptr_t)find_own_file);
}

const char *csys_own_file(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_own_file);
    return own_file;
}

const char *csys_environment(const char *name) {
    return secure_getenv(name);
}
