/* ciso_worker.h: starts and ends worker processes, for the host. Nothing in this folder knows images or Swift.
   Functions return 0 or an errno value unless stated otherwise; results are written only on success. They may be called
   from any thread. Times are absolute, in nanoseconds of CLOCK_MONOTONIC; UINT64_MAX means no limit, 0 does not
   wait. */
#ifndef CISO_WORKER_H
#define CISO_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Descriptor of the socket in a worker; 0, 1 and 2 are /dev/null, and no other is open. */
#define CISO_SOCKET 3

/* A worker process. The host owns both descriptors, which are closed on exec. A child that the host forks should close
   its copies: the worker ends when the last copy of the socket is closed. */
struct ciso_worker {
    int process;                /* pidfd (pidfd_open(2)); readable (POLLIN) after the process ended */
    int socket;                 /* SOCK_SEQPACKET; hangs up after the process ended */
    int id;                     /* process id, for messages to people */
    struct ciso_keeper *keeper; /* NULL: no worker */
};

/* Starts a program with the arguments and the environment, both terminated by NULL; returns after its exec. Signal
   mask and dispositions of the worker are the default ones.

   execve(2) makes SIGCHLD the exit signal of every process. The worker is therefore the child of another one, the
   keeper (`sdimage-keeper`), which is a child of this process without exit signal. The end of a worker is not seen by
   handlers of SIGCHLD and wait(2) of the host. The keeper sleeps; it shares the memory of this process and has copies
   of none of its descriptors. It kills the worker when this process ends.

   ENOSYS: Linux before 5.4, an unsupported processor, or a filter of system calls refuses. ENOENT, EACCES and others
   are those of execve(2). */
int ciso_start(const char *path, char *const arguments[], char *const environment[], struct ciso_worker *worker);

/* Kills the process (SIGKILL); 0 as well if it ended before. */
int ciso_kill(const struct ciso_worker *worker);

/* Waits until the process ended. ETIMEDOUT: it still runs. */
int ciso_wait(const struct ciso_worker *worker, uint64_t deadline);

/* The end of a process. */
struct ciso_end {
    int signal; /* the signal that killed it: SIGSYS (31) for a forbidden system call; 0: it ended by itself */
    int status; /* exit status, if `signal` is 0 */
};

/* Kills the process if it runs, waits for its end, and closes both descriptors. `end` may be NULL. Blocks for about as
   long as the kernel needs to free the memory of the process. */
void ciso_forget(struct ciso_worker *worker, struct ciso_end *end);

/* Frees the memory that a forked child inherited of a worker, instead of ciso_forget: the worker is that of its parent.
   The child closes its copies of the descriptors itself, at the fork: a later file may have the same number. */
void ciso_abandon(struct ciso_worker *worker);

#endif
