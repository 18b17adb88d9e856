/* Functions of the GNU C library that are missing from Swift's module of it. */
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Names the calling thread; at most 15 characters. */
void csys_name_thread(const char *name);

/* Returns the number of processors in the CPU set of this process, at least 1. */
int csys_available_processors(void);

/* Open-file-description locks (fcntl(2), F_OFD_SETLK): 0, or errno; EAGAIN if another open file holds it. */
int csys_try_lock_file(int descriptor, int exclusive);

/* Return a number greater than any that the calling thread got from the same function before. Between threads the order
   of csys_order is as precise as their clocks. It uses the processor's own counter if there is a precise one: a shared
   counter would move between the caches of the cores. */
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
   nanoseconds (UINT64_MAX = none); may return early. The second function wakes at most `count` sleepers. See
   futex(2). */
void csys_futex_wait(const void *word, uint32_t expected, uint64_t deadline);
void csys_futex_wake(const void *word, int count);

/* Tells the processor that this is a spin loop. */
static inline void csys_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Annotations for ThreadSanitizer of a lock that is not a pthread mutex (tsan_interface.h). They do nothing in other
   builds. */
#ifdef SDIMAGE_TSAN
void csys_will_lock(const void *lock);
void csys_did_lock(const void *lock);
void csys_will_try_lock(const void *lock);
void csys_did_try_lock(const void *lock, bool is_locked);
void csys_will_unlock(const void *lock);
void csys_did_unlock(const void *lock);
/* Everything that one thread did before the first call happens before everything that another does after the second
   call with that address. */
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

/* Prefetches the cache line of an address that will be read soon. Any address is valid. */
static inline void csys_prefetch(const void *address) {
    __builtin_prefetch(address);
}

/* Prefetches the cache line of an address that will be written soon, for this processor alone: a line that another one
   has written then moves once instead of twice, for the read and for the write. PREFETCHW by name, because compilers
   emit it only for newer processors; 64-bit processors without it ignore it. */
static inline void csys_prefetch_write(const void *address) {
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)address));
#else
    __builtin_prefetch(address, 1);
#endif
}

/* memcmp(3) == 0 without a call. Optimized for keys: about as long as a URL, and different early or equal. */
static inline bool csys_equal(const void *one, const void *other, size_t length) {
    const char *a = (const char *)one, *b = (const char *)other;
    if (length < 16)
        return memcmp(a, b, length) == 0;
    for (; length > 16; a += 16, b += 16, length -= 16)
        if (memcmp(a, b, 16) != 0)
            return false;
    /* The last 16 bytes overlap the previous ones. */
    return memcmp(a + length - 16, b + length - 16, 16) == 0;
}

/* Returns unused memory of the C allocator to the system (malloc_trim(3)). */
void csys_trim_heap(void);

/* The first returns the file that contains this code, by dladdr(3). If it was loaded by a relative name, which another
   working directory would change, the kernel provides the path. The second returns an environment variable, hidden from
   a program with more rights than its caller (secure_getenv(3)). Both return NULL for none; the results stay valid as
   long as the process. */
const char *csys_own_file(void);
const char *csys_environment(const char *name);

/* Registers descriptors that a child of fork closes at once. Those of locked files: the locks end with the parent. The
   socket, the pidfd and the arena of a decoder process: it ends with the parent, and its memory is freed. Up to 4096;
   further ones stay open in the child. */
void csys_watch_fork(int descriptor);
void csys_unwatch_fork(int descriptor);

/* Sets the handlers that run before a fork, and after it in the parent and in the child (pthread_atfork(3)). Their
   registration happens when the library is loaded, so that a fork during the first use of the library by another thread
   is not missed. */
void csys_handle_forks(void (*prepare)(void), void (*parent)(void), void (*child)(void));
/* Calls `sdi_prepare_fork`, a function of the program this is linked with; does nothing without one. */
void csys_prepare_fork(void);
/* True in a child that must return FORKED: its parent had a running engine, or this version of the Swift runtime is not
   known to work in a child. */
extern _Atomic bool csys_forked;
static inline bool csys_is_forked(void) {
    return __c11_atomic_load(&csys_forked, __ATOMIC_RELAXED);
}
static inline void csys_mark_forked(void) {
    __c11_atomic_store(&csys_forked, true, __ATOMIC_RELAXED);
}

/* Makes a descriptor that is readable while signaled (eventfd(2), non-blocking, closed on exec); -errno on failure. */
int csys_event_descriptor(void);
void csys_signal_event(int descriptor);
void csys_clear_event(int descriptor);

/* Makes a descriptor that becomes readable at a time of the monotonic clock in nanoseconds (timerfd_create(2),
   non-blocking, closed on exec); -errno on failure. Arming it again, or with 0 for never, makes it unreadable until
   then. */
int csys_timer_descriptor(void);
void csys_arm_timer(int descriptor, uint64_t moment);

/* O_PATH. */
static const int csys_open_path = 010000000;

#endif
