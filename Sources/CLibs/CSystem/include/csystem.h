/* The few functions of the GNU C library that Swift's own module of it does not show. */
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <stdint.h>

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
static inline uint64_t csys_order(void) { return __builtin_ia32_rdtsc(); }
#else
static inline uint64_t csys_order(void) { return csys_next_order(); }
#endif

/* Sleeping on a 32-bit word of this process while it holds `expected`, for less than a second at most, and waking one
   sleeper (futex(2)); a hint to the processor that this is a waiting loop. */
void csys_futex_wait(const void *word, uint32_t expected, uint32_t nanoseconds);
void csys_futex_wake(const void *word);
static inline void csys_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Asks for the line of memory at an address that will be read soon. Any address will do. */
static inline void csys_prefetch(const void *address) { __builtin_prefetch(address); }

/* Gives memory that the C allocator holds without need back to the system (malloc_trim(3)). */
void csys_trim_heap(void);

/* The file that this code was loaded from, by dladdr(3), or by the kernel where it was loaded by a name without a folder of its
   own, which another working directory would change; and a variable of the environment that is hidden from a program with
   more rights than its caller (secure_getenv(3)); NULL where there is none. Both live as long as the process. */
const char *csys_own_file(void);
const char *csys_environment(const char *name);

/* Descriptors that a child of fork closes at once, so that their locks end with the parent. Up to 64; one too many is
   not watched. */
void csys_watch_fork(int descriptor);
void csys_unwatch_fork(int descriptor);
void csys_close_watched(void);

/* A descriptor that is readable while signalled (eventfd(2), non-blocking, closed on exec); -errno when none is to be had. */
int csys_event_descriptor(void);
void csys_signal_event(int descriptor);
void csys_clear_event(int descriptor);

/* A descriptor that becomes readable at a moment of the monotonic clock in nanoseconds (timerfd_create(2), non-blocking,
   closed on exec), or -errno. Arming it again, or with 0 for never, makes it unreadable until then. */
int csys_timer_descriptor(void);
void csys_arm_timer(int descriptor, uint64_t moment);

/* What runs before a fork, and in the child. Swift's locks keep the number of the thread that holds them, and each thread
   remembers its own number, which the child's only thread no longer has: the kernel would look for its owner in the parent.
   The second call makes it forget; no lock of Swift may be held across both. */
void csys_before_fork(void);
void csys_after_fork_in_child(void);

/* O_PATH. */
static const int csys_open_path = 010000000;

#endif
