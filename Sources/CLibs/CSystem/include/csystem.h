/* The few functions of the GNU C library that Swift's own module of it does not show. */
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Names the calling thread, at most 15 characters. */
void csys_name_thread(const char *name);

/* Processors in the CPU set of this process, at least 1. */
int csys_available_processors(void);

/* Open-file-description locks (fcntl(2), F_OFD_SETLK): 0, or errno; EAGAIN when another holds it. */
int csys_try_lock_file(int descriptor, int exclusive);

/* A number greater than any that the calling thread got before; between threads ordered as well as their clocks are.
   The processor's own counter where it has a fine one: a shared counter would bounce between the cores. */
uint64_t csys_next_order(void);
#if defined(__x86_64__)
static inline uint64_t csys_order(void) {
    return __builtin_ia32_rdtsc();
}
#else
static inline uint64_t csys_order(void) {
    return csys_next_order();
}
#endif

/* Sleeps on a 32-bit word of this process while it holds `expected`, until a wake or a time of the monotonic clock in
   nanoseconds (UINT64_MAX = none); may return early. Wakes at most `count` sleepers. See futex(2). */
void csys_futex_wait(const void *word, uint32_t expected, uint64_t deadline);
void csys_futex_wake(const void *word, int count);

/* A hint to the processor that this is a waiting loop. */
static inline void csys_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* What ThreadSanitizer must know of a lock that is not a pthread mutex (tsan_interface.h). Nothing in other builds. */
#ifdef SDIMAGE_TSAN
void csys_will_lock(const void *lock);
void csys_did_lock(const void *lock);
void csys_will_try_lock(const void *lock);
void csys_did_try_lock(const void *lock, bool is_locked);
void csys_will_unlock(const void *lock);
void csys_did_unlock(const void *lock);
/* What one thread did before the first call happened before what another does after the second one at that address. */
void csys_note_release(const void *address);
void csys_note_acquire(const void *address);
#else
static inline void csys_will_lock(const void *lock) {
    (void)lock;
}
static inline void csys_did_lock(const void *lock) {
    (void)lock;
}
static inline void csys_will_try_lock(const void *lock) {
    (void)lock;
}
static inline void csys_did_try_lock(const void *lock, bool is_locked) {
    (void)lock, (void)is_locked;
}
static inline void csys_will_unlock(const void *lock) {
    (void)lock;
}
static inline void csys_did_unlock(const void *lock) {
    (void)lock;
}
static inline void csys_note_release(const void *address) {
    (void)address;
}
static inline void csys_note_acquire(const void *address) {
    (void)address;
}
#endif

/* Asks for the line of memory at an address that will be read soon. Any address will do. */
static inline void csys_prefetch(const void *address) {
    __builtin_prefetch(address);
}

/* memcmp(3) == 0 without a call: for keys, which are about as long as a URL and differ early or not at all. */
static inline bool csys_equal(const void *one, const void *other, size_t length) {
    const char *a = (const char *)one, *b = (const char *)other;
    if (length < 16)
        return memcmp(a, b, length) == 0;
    for (; length > 16; a += 16, b += 16, length -= 16)
        if (memcmp(a, b, 16) != 0)
            return false;
    /* The last 16 bytes overlap what came before. */
    return memcmp(a + length - 16, b + length - 16, 16) == 0;
}

/* Gives memory that the C allocator holds without need back to the system (malloc_trim(3)). */
void csys_trim_heap(void);

/* The file that this code was loaded from, by dladdr(3), or by the kernel where it was loaded by a name without a
   folder of its own, which another working directory would change; and a variable of the environment that is hidden
   from a program with more rights than its caller (secure_getenv(3)); NULL where there is none. Both live as long as
   the process. */
const char *csys_own_file(void);
const char *csys_environment(const char *name);

/* Descriptors that a child of fork closes at once, so that their locks end with the parent. Up to 256; one too many is
   not watched. */
void csys_watch_fork(int descriptor);
void csys_unwatch_fork(int descriptor);

/* Sets what runs before a fork, and after it in the parent and in the child (pthread_atfork(3)). The handlers are
   registered when the library is loaded: a thread that uses the library for the first time never misses a fork of
   another one. */
void csys_handle_forks(void (*prepare)(void), void (*parent)(void), void (*child)(void));
/* Calls `sdi_prepare_fork`, the function of that name in whatever is linked with this; does nothing without one. */
void csys_prepare_fork(void);
/* True in a child that must answer FORKED: its parent had a running engine, or the version of the Swift runtime is not
   known to work in a child. */
extern _Atomic bool csys_forked;
static inline bool csys_is_forked(void) {
    return __c11_atomic_load(&csys_forked, __ATOMIC_RELAXED);
}
static inline void csys_mark_forked(void) {
    __c11_atomic_store(&csys_forked, true, __ATOMIC_RELAXED);
}

/* A descriptor that is readable while signalled (eventfd(2), non-blocking, closed on exec); -errno when none is to be
   had. */
int csys_event_descriptor(void);
void csys_signal_event(int descriptor);
void csys_clear_event(int descriptor);

/* A descriptor that becomes readable at a moment of the monotonic clock in nanoseconds (timerfd_create(2),
   non-blocking, closed on exec), or -errno. Arming it again, or with 0 for never, makes it unreadable until then. */
int csys_timer_descriptor(void);
void csys_arm_timer(int descriptor, uint64_t moment);

/* O_PATH. */
static const int csys_open_path = 010000000;

#endif
