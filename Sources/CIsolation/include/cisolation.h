/* Worker processes on Linux: start, messages with descriptors, sealed memory, and the sandbox that a worker enters.
   Nothing here knows images or Swift. Functions return 0 or an errno value unless stated otherwise; results are
   written only on success. They may be called from any thread. Times are absolute, in nanoseconds of CLOCK_MONOTONIC;
   UINT64_MAX means no limit, 0 does not wait. */
#ifndef CISOLATION_H
#define CISOLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Start and end of a worker, for the host. */

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

/* --- Messages: one datagram each, with descriptors (SCM_RIGHTS). */

/* Most bytes and descriptors of a message. */
#define CISO_MAX_MESSAGE 65536
#define CISO_MAX_DESCRIPTORS 16

/* Sends a message. The descriptors remain those of the caller. EPIPE: the other process ended. ETIMEDOUT: the other
   process does not read. */
int ciso_send(int socket, const void *bytes, size_t length, const int *descriptors, size_t count, uint64_t deadline);

/* A received message. The receiver owns the descriptors, which are closed on exec and of any kind. */
struct ciso_message {
    size_t length;
    size_t count;
    int descriptors[CISO_MAX_DESCRIPTORS];
};

/* Receives a message of at most `capacity` bytes. EPIPE: the other process ended, closed its socket, or sent an empty
   message. EBADMSG: a message that is too long or has too many descriptors, which are closed. EMFILE: this process
   cannot open its descriptors, and the message is lost. ETIMEDOUT: none has come. */
int ciso_receive(int socket, void *bytes, size_t capacity, struct ciso_message *message, uint64_t deadline);

/* Closes the descriptors and sets their count to 0. */
void ciso_close_descriptors(struct ciso_message *message);

/* --- Memory of two processes: memfds. Sealed ones are written once, sent, and mapped. Pinned ones are sent once; the
       other process reads from its mapping what is written later. */

/* Makes a memfd of `size` bytes, all 0 and not sealed. */
int ciso_memory_new(size_t size, int *descriptor);

/* Maps all of a memfd that this process made, to write into it. ciso_memory_unmap must precede ciso_memory_seal. */
int ciso_memory_map_to_write(int descriptor, size_t size, void **address);

/* Shrinks the memfd to `size` bytes, writes zeros where nothing was written, and seals size and contents forever.
   EBUSY: it is still mapped to write. */
int ciso_memory_seal(int descriptor, size_t size);

/* Checks a descriptor from another process: a memfd in ordinary memory with sealed size and contents, and without
   holes. Then the memory of its mapping neither changes nor disappears (SIGBUS), and reading it allocates nothing.
   EBADMSG: anything else. */
int ciso_memory_check(int descriptor, size_t *size);

/* Maps the first `size` bytes of a memfd that ciso_memory_check accepts; `size` is at least 1 and at most the size it
   returned. Writing into the mapping, if allowed, copies pages and is not seen by other mappings. */
int ciso_memory_map(int descriptor, size_t size, bool is_writable, void **address);

void ciso_memory_unmap(void *address, size_t size);

/* Allocates the pages of a part of a memfd that ciso_memory_map_to_write mapped at `address`, and keeps their contents:
   three times as fast as the first writes. Nothing else writes there meanwhile. `offset` is a multiple of the page size.
   ENOMEM, ENOSPC: the system has no memory left; without this call, the first write raises SIGBUS. */
int ciso_memory_allocate(int descriptor, void *address, size_t offset, size_t size);

/* Seals the size of a memfd, and its pages: none that was allocated disappears. Existing mappings may be written, other
   writes are refused. EINVAL: the kernel has no
   F_SEAL_FUTURE_WRITE (Linux 5.1), as some that run in user space. */
int ciso_memory_pin(int descriptor);

/* Maps a memfd of another process, of which ciso_memory_pin has made exactly `size` bytes. Forked children do not have
   the mapping. The other process may change what is read there. EBADMSG: anything else. */
int ciso_memory_map_pinned(int descriptor, size_t size, const void **address);

/* Returns the offset of the first page, from that of `offset` on, that is not allocated: reading it from a mapping may
   raise SIGBUS. The size of the memfd if there is none; 0 for errors. */
size_t ciso_memory_first_hole(int descriptor, size_t offset);

/* --- The sandbox, for the worker. */

/* First call of a worker, before it starts threads or opens libraries: no new privileges, no core dumps, no access to
   its memory by other processes of the user (PR_SET_DUMPABLE), at most eight malloc arenas, no signal for a file that
   exceeds its limit (SIGXFSZ); and where the kernel has Landlock, no file is created or written, no TCP port is connected
   or bound, and no process outside is signalled. */
int ciso_prepare(void);

/* Opens a file for the sandbox: ciso_enter keeps it, and there open(2) and openat(2) for reading by exactly this path
   return another descriptor of it, which shares its position; stat(2) and access(2) find it. Examples are fonts, and
   files of the system that ciso_prepare adds: `/sys/devices/system/cpu/online`, `/proc/loadavg` and
   `/proc/sys/vm/overcommit_memory`. Not during or after ciso_enter. Errors of open(2); ENOSPC: more than
   CISO_MAX_FILES. */
#define CISO_MAX_FILES 8192
int ciso_keep_file(const char *path);

/* The same for a file that may be missing: opening it in the sandbox then fails with ENOENT, in place of ending the
   process. */
int ciso_keep_file_or_absence(const char *path);

/* Keeps all fonts of the system if libfontconfig is open in this process, and lets it look for changed fonts no
   longer. 0 also without fonts. ENOSPC: more than CISO_MAX_FILES. */
int ciso_keep_fonts(void);

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

/* Enters the sandbox, for all threads and irrevocably: limits, Landlock, and a seccomp filter that kills the process
   at a system call outside its list. Allowed are calls on open descriptors, memory without PROT_EXEC, threads, clocks,
   events, memfds, and messages on open sockets. A few harmless calls fail instead (ioctl: ENOTTY; priorities: EPERM;
   look-ups of files: ENOENT). Closes all descriptors but 0 to 3 and kept files. Libraries must be open before. `mechanisms` receives flags of the enum. ENOSYS: no seccomp, or no list for this processor; the
   caller must not decode. */
int ciso_enter(const struct ciso_limits *limits, unsigned *mechanisms);

#endif
