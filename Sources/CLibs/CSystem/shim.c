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
#include <link.h>
#include <linux/futex.h>
#include <malloc.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void csys_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int csys_available_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int count = CPU_COUNT(&set);
        if (count > 0)
            return count;
    }
    /* More processors than the set has bits. */
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int csys_try_lock_file(int descriptor, int exclusive) {
    struct flock lock = {.l_type = exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

uint64_t csys_next_order(void) {
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

void csys_futex_wait(const void *word, uint32_t expected, uint32_t nanoseconds) {
    struct timespec time = {.tv_nsec = nanoseconds};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, &time, NULL, 0);
}

void csys_futex_wake(const void *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

void csys_trim_heap(void) { malloc_trim(0); }

/* Holds descriptor + 1, so that 0 is a free place. */
static _Atomic int watched[256];

static void exchange_watched(int from, int to) {
    for (unsigned i = 0; i < sizeof watched / sizeof watched[0]; i++) {
        int expected = from;
        if (atomic_compare_exchange_strong(&watched[i], &expected, to))
            return;
    }
}

void csys_watch_fork(int descriptor) { exchange_watched(0, descriptor + 1); }

void csys_unwatch_fork(int descriptor) { exchange_watched(descriptor + 1, 0); }

void csys_close_watched(void) {
    for (unsigned i = 0; i < sizeof watched / sizeof watched[0]; i++) {
        int held = atomic_exchange(&watched[i], 0);
        if (held > 0)
            close(held - 1);
    }
}

int csys_event_descriptor(void) {
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return descriptor >= 0 ? descriptor : -errno;
}

void csys_signal_event(int descriptor) {
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
    struct itimerspec time = {.it_value = {.tv_sec = (time_t)(moment / 1000000000), .tv_nsec = (long)(moment % 1000000000)}};
    timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &time, NULL);
}

/* What the kernel mapped at an address (proc_pid_maps(5)). */
static const char *mapped_file(uintptr_t address) {
    static char line[4096 + 128];
    FILE *maps = fopen("/proc/self/maps", "re");
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

static const char *own_file;

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

const char *csys_environment(const char *name) { return secure_getenv(name); }

/* Of the thread that forks: its number, and this library's thread-local memory, which is where Swift remembers it. */
static pid_t forking_thread;
static int *forking_memory;
static size_t forking_words;

static int find_thread_memory(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    (void)data;
    bool is_own = false;
    size_t bytes = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr, own = (uintptr_t)&forking_thread;
        if (part->p_type == PT_LOAD && own >= start && own - start < part->p_memsz)
            is_own = true;
        if (part->p_type == PT_TLS)
            bytes = part->p_memsz;
    }
    if (!is_own)
        return 0;
    forking_memory = info->dlpi_tls_data;
    forking_words = forking_memory ? bytes / sizeof(int) : 0;
    return 1;
}

void csys_before_fork(void) {
    forking_thread = (pid_t)syscall(SYS_gettid);
    forking_words = 0;
    dl_iterate_phdr(find_thread_memory, NULL);
}

void csys_after_fork_in_child(void) {
    for (size_t i = 0; i < forking_words; i++)
        if (forking_memory[i] == forking_thread)
            forking_memory[i] = 0;
}
