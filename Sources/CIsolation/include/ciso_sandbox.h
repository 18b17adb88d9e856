/* ciso_sandbox.h: the sandbox that a worker enters. See ciso_worker.h for results. */
#ifndef CISO_SANDBOX_H
#define CISO_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First call of a worker, before it starts threads or opens libraries.
   - It gets no new privileges, writes no core dumps, and other processes of the user cannot access its memory
     (PR_SET_DUMPABLE).
   - malloc uses at most eight arenas. A file that exceeds its limit sends no signal (SIGXFSZ).
   - Where the kernel has Landlock, no file is created or written, no TCP port is connected or bound, and no process
     outside is signaled. */
int ciso_prepare(void);

/* Limits of a worker. */
struct ciso_limits {
    /* Bytes of address space besides those mapped at the call of ciso_enter (RLIMIT_AS), and of each memfd
       (RLIMIT_FSIZE). */
    uint64_t memory;
    /* Processor time of all threads until the end of the process (RLIMIT_CPU). */
    uint64_t cpu_seconds;
    /* Numbers of descriptors are lower than this (RLIMIT_NOFILE), except for those of kept files. */
    uint32_t descriptors;
};

/* Mechanisms that ciso_enter could use. */
enum {
    CISO_SECCOMP = 1,  /* system calls outside the list kill the process; always set on success */
    CISO_LANDLOCK = 2, /* the calling thread, and those that it starts, cannot open files by Landlock either */
};

/* Enters the sandbox irrevocably: limits and a seccomp filter for all threads, and Landlock for the calling one and
   those that it starts. The filter kills the process at a system call outside its list. Allowed are calls on open
   descriptors, memory without PROT_EXEC, threads, clocks, events, memfds, and messages on open sockets. A few harmless
   calls fail instead (ioctl: ENOTTY; priorities: EPERM; look-ups of files: ENOENT). Closes all descriptors but 0 to 3
   and kept files. Libraries must be open before. `mechanisms` receives flags of the enum. ENOSYS: no seccomp, or no
   list for this processor; the caller must not decode. */
int ciso_enter(const struct ciso_limits *limits, unsigned *mechanisms);

#endif
