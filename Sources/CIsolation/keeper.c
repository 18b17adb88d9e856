/* keeper.c: the keeper while its worker runs (docs/decisions.md, "The parent of a worker is a keeper"). It shares the
   memory of the host, whose threads run at the same time, and the thread-local storage of the thread that started it,
   which may end. So it calls no function of the C library, and uses neither errno nor the stack protector. */
#define _GNU_SOURCE
#include "keeper.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PROCESS_BY_DESCRIPTOR 3 /* P_PIDFD */

#if defined(__clang__)
#define BARE                                                                                                           \
    __attribute__((no_stack_protector, no_sanitize("address", "thread", "undefined"),                                  \
                   disable_sanitizer_instrumentation))
#else
#define BARE __attribute__((no_stack_protector, no_sanitize("address", "thread", "undefined")))
#endif

/* A system call: its value, or a negative errno. */
BARE static inline __attribute__((always_inline)) long call(long number, long a, long b, long c, long d, long e) {
#if defined(__x86_64__)
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e;
    long value;
    __asm__ volatile("syscall"
                     : "=a"(value)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return value;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
                     x3 __asm__("x3") = d, x4 __asm__("x4") = e;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
#else
    (void)number, (void)a, (void)b, (void)c, (void)d, (void)e;
    return -38; /* ENOSYS */
#endif
}

BARE _Noreturn void ciso_keep(struct ciso_keeper *keeper, const struct msghdr *message) {
    struct pollfd entries[2];
    siginfo_t info;
    /* Either descriptor is readable after its process has ended (pidfd_open(2)). */
    entries[0].fd = CISO_HOST;
    entries[1].fd = CISO_WORKER;
    entries[0].events = entries[1].events = POLLIN;
    /* From here on, the thread that started the keeper runs. */
    long error = call(SYS_sendmsg, CISO_CHANNEL, (long)message, MSG_NOSIGNAL, 0, 0) < 0;
    call(SYS_close, CISO_CHANNEL, 0, 0, 0, 0);
    while (error == 0)
        error = call(SYS_ppoll, (long)entries, 2, 0, 0, 0); /* the number of events is an end, too */
    /* The host or the worker has ended, or the message failed. If the worker has ended, the signal has no effect. */
    call(SYS_pidfd_send_signal, CISO_WORKER, SIGKILL, 0, 0, 0);
    if (call(SYS_waitid, PROCESS_BY_DESCRIPTOR, CISO_WORKER, (long)&info, WEXITED | __WALL, 0) == 0) {
        /* Written before the keeper ends, for which the host waits: no lock is needed. */
        keeper->status = info.si_status;
        keeper->code = info.si_code;
    }
    for (;;)
        call(SYS_exit, 0, 0, 0, 0, 0);
}
