/* Start and end of worker processes. */
#define _GNU_SOURCE
#include "cisolation.h"
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif
#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif

/* Stacks of the two processes that share the memory of this one until exec. */
#define STACK ((size_t)64 << 10)

struct start {
    const char *path;
    char *const *arguments, *const *environment;
    char *stack;     /* of the worker */
    int socket;      /* end of the worker */
    int process, id; /* results */
    int error;
};

/* Makes `descriptor` the one with that number, which stays open on exec. */
static bool place(int descriptor, int number) {
    return descriptor == number ? fcntl(number, F_SETFD, 0) == 0 : dup2(descriptor, number) == number;
}

/* Runs in the worker, in memory shared with the host and with all signals blocked: only system calls, as after vfork(2). */
static int run_worker(void *context) {
    struct start *start = context;
    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &standard, NULL);
    /* Numbers above those that are about to be replaced. */
    int socket = fcntl(start->socket, F_DUPFD, CISO_SOCKET + 1);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), high = fcntl(null, F_DUPFD, CISO_SOCKET + 1);
    bool placed = start->process >= 0 && socket >= 0 && high >= 0 && place(high, 0) && place(high, 1) &&
                  place(high, 2) && place(socket, CISO_SOCKET);
    if (start->process < 0)
        errno = ENOSYS; /* a kernel without CLONE_PIDFD ignores the flag */
    if (placed && ciso_close_from(CISO_SOCKET + 1) == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        setsid(); /* signals of a terminal are for the host */
        execve(start->path, start->arguments, start->environment);
    }
    start->error = errno;
    _exit(127);
}

/* Runs in the process between. It shares the descriptors of the host, so that the pidfd becomes one of the host. */
static int run_between(void *context) {
    struct start *start = context;
    /* clone(2) rather than clone3(2): the filters of many containers refuse the latter. */
    start->id =
        clone(run_worker, start->stack + STACK, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, start, &start->process);
    if (start->id < 0)
        start->error = errno;
    _exit(0);
}

/* Runs `run_between` and waits for its end. */
static void run_start(struct start *start, char *stack) {
    sigset_t all, previous;
    int state;
    sigfillset(&all);
    /* A handler of the host would run in the new processes, on its memory. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    /* No exit signal: execve(2) would set it to SIGCHLD, but this process does not call that. */
    int between = clone(run_between, stack + STACK, CLONE_VM | CLONE_VFORK | CLONE_FILES, start);
    if (between < 0)
        start->error = errno;
    else
        while (waitpid(between, NULL, __WALL) < 0 && errno == EINTR) {
        }
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
    pthread_setcancelstate(state, NULL);
}

int ciso_start(const char *path, char *const arguments[], char *const environment[], struct ciso_worker *worker) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
        return errno;
    char *stacks = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    struct start start = {
        .path = path, .arguments = arguments, .environment = environment, .socket = sockets[1], .process = -1};
    if (stacks == MAP_FAILED) {
        start.error = errno;
    } else {
        start.stack = stacks;
        run_start(&start, stacks + STACK);
        munmap(stacks, 2 * STACK);
    }
    close(sockets[1]);
    *worker = (struct ciso_worker){.process = start.process, .socket = sockets[0], .id = start.id};
    if (start.error == 0)
        return 0;
    close(sockets[0]);
    if (start.process >= 0) {
        worker->socket = -1;
        ciso_forget(worker, NULL);
    }
    return start.error;
}

int ciso_kill(const struct ciso_worker *worker) {
    return syscall(SYS_pidfd_send_signal, worker->process, SIGKILL, NULL, 0) == 0 || errno == ESRCH ? 0 : errno;
}

int ciso_wait(const struct ciso_worker *worker, uint64_t deadline) {
    return ciso_poll(worker->process, POLLIN, deadline);
}

void ciso_forget(struct ciso_worker *worker, struct ciso_end *end) {
    if (end != NULL)
        *end = (struct ciso_end){0};
    siginfo_t info;
    if (ciso_kill(worker) == 0)
        ciso_wait(worker, ciso_now() + 1000000000);
    /* ECHILD unless the kernel made the worker a child of this process. */
    waitid((idtype_t)P_PIDFD, (id_t)worker->process, &info, WEXITED | WNOHANG | __WALL);
    close(worker->process);
    if (worker->socket >= 0)
        close(worker->socket);
    *worker = (struct ciso_worker){.process = -1, .socket = -1};
}
