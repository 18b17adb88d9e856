/* worker.c: start and end of worker processes, in the host. The calling thread makes the keeper (run_keeper), the
   keeper makes the worker (run_worker), and the worker executes its program. The keeper then sends the pidfd of the
   worker, with which the start is complete.

   Keeper and worker run in the memory of the host, the worker until its exec. They have the thread-local storage of the
   thread that called ciso_start, which waits meanwhile.

   A failure before the exec is stored in `error` of the shared memory. The keeper then ends without a message, and the
   caller reads the error. */
#define _GNU_SOURCE
#include "ciso_worker.h"
#include "ciso_message.h"
#include "keeper.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif

/* The function of the C library by a name that ThreadSanitizer does not intercept: its version of clone(2) releases
   locks in both processes, as after a fork. */
int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);

/* The memory of a keeper, in pages of its own: `keeper` is the first member, for ciso_keeper. */
struct start {
    struct ciso_keeper keeper;
    const char *path; /* arguments of execve(2), in the memory of the caller */
    char *const *arguments, *const *environment;
    int host;                     /* pidfd of this process */
    int socket;                   /* end of the worker */
    int channel;                  /* end of the keeper, which sends the pidfd of the worker */
    int process, id, error;       /* pidfd and id of the worker; errno of a failure */
    struct ciso_datagram started; /* the message of the keeper */
    _Alignas(16) char keeper_stack[CISO_STACK], worker_stack[CISO_STACK];
};

/* Makes `descriptor`, which is none of those, the one with that number. It stays open on exec. */
static bool make_number(int descriptor, int number) {
    return descriptor >= 0 && syscall(SYS_dup3, descriptor, number, 0) == number;
}

/* A duplicate with a number above those that are placed; -1 for -1, with the same errno. */
static int moved(int descriptor) {
    return descriptor < 0 ? -1 : (int)syscall(SYS_fcntl, descriptor, F_DUPFD, CISO_SOCKET + 1);
}

/* Runs in the worker until exec, in the memory of the host, with all signals blocked. Makes only system calls, as after
   vfork(2). They bypass the interceptors of sanitizers, which would note them as calls of the host. */
static int run_worker(void *context) {
    struct start *start = context;
    /* struct sigaction of the kernel: SIG_DFL, no flags, an empty mask. */
    static const unsigned long standard[8];
    for (int number = 1; number < NSIG; number++)
        syscall(SYS_rt_sigaction, number, standard, NULL, 8);
    int socket = moved(start->socket),
        null = moved((int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0));
    if (start->process < 0) {
        errno = ENOSYS; /* a kernel without CLONE_PIDFD ignores it */
    } else if (make_number(null, 0) && make_number(null, 1) && make_number(null, 2) &&
               make_number(socket, CISO_SOCKET) && ciso_close_range(CISO_SOCKET + 1, UINT32_MAX) == 0) {
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, standard, NULL, 8);
        setsid(); /* signals of a terminal are for the host */
        execve(start->path, start->arguments, start->environment);
    }
    start->error = errno;
    _exit(127);
}

/* Runs in the keeper, with all signals blocked. The thread that started it is in recvmsg until ciso_keep sends the
   message: until then the keeper may use the C library. */
static int run_keeper(void *context) {
    struct start *start = context;
    /* SIG_DFL of the kernel: where the host ignores SIGCHLD, the end of a worker would not be known. */
    static const unsigned long standard[8];
    syscall(SYS_prctl, PR_SET_NAME, "sdimage-keeper", 0, 0, 0);
    syscall(SYS_rt_sigaction, SIGCHLD, standard, NULL, 8);
    start->id = __clone(run_worker, start->worker_stack + CISO_STACK, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD,
                        start, &start->process);
    if (start->id < 0)
        start->error = errno;
    int host = moved(start->host), process = moved(start->process), channel = moved(start->channel);
    /* Each descriptor was moved above the numbers it is to be placed at, so that none is overwritten. */
    bool placed = start->error == 0 && make_number(host, CISO_HOST) && make_number(process, CISO_WORKER) &&
                  make_number(channel, CISO_CHANNEL);
    if (start->error == 0 && !placed)
        start->error = errno;
    if (placed)
        start->error = ciso_close_range(CISO_CHANNEL + 1, UINT32_MAX);
    if (start->error == 0) {
        ciso_fill_message(&start->started, "", 1, (const int[]){CISO_WORKER}, 1);
        ciso_keep(&start->keeper, &start->started.header);
    }
    /* The host sees the end of the channel, and the error. */
    if (start->process >= 0)
        syscall(SYS_pidfd_send_signal, start->process, SIGKILL, NULL, 0);
    if (start->id > 0)
        waitpid(start->id, NULL, __WALL);
    _exit(0);
}

/* Starts the keeper and waits for its message. */
static int run_start(struct start *start, int channel, int *process) {
    struct ciso_message message;
    sigset_t all, previous;
    char byte;
    int state;
    /* A handler of the host would run in the new processes, in its memory. */
    sigfillset(&all);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    int id = __clone(run_keeper, start->keeper_stack + CISO_STACK, CLONE_VM, start), error = id < 0 ? errno : 0;
    start->keeper.id = id;
    /* The copy of the host: it would hide the end of the keeper. */
    close(start->channel);
    if (error == 0) {
        error = ciso_receive_blocking(channel, &byte, 1, &message);
        if (error == 0 && message.count == 1)
            *process = message.descriptors[0];
        else if (start->error != 0)
            error = start->error;
        else
            error = EMFILE; /* no descriptor is left for the pidfd */
    }
    if (id >= 0 && error != 0) {
        if (start->error == 0 && start->id > 0)
            kill(start->id, SIGKILL); /* not reaped yet: the keeper waits for it */
        waitpid(id, NULL, __WALL);
    }
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
    pthread_setcancelstate(state, NULL);
    return error;
}

/* Starts the worker with two pairs of sockets. */
static int start_with(struct start *start, const int sockets[2], const int channel[2], int *process) {
    start->host = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (start->host < 0) {
        close(channel[1]);
        return errno;
    }
    start->socket = sockets[1];
    start->channel = channel[1];
    start->process = -1;
    int error = run_start(start, channel[0], process);
    close(start->host);
    return error;
}

int ciso_start(const char *path, char *const arguments[], char *const environment[], struct ciso_worker *worker) {
    int sockets[2], channel[2], process = -1, error = 0;
    struct start *start =
        mmap(NULL, sizeof *start, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (start == MAP_FAILED)
        return errno;
    start->path = path, start->arguments = arguments, start->environment = environment;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) {
        error = errno;
    } else {
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) < 0) {
            error = errno;
        } else {
            error = start_with(start, sockets, channel, &process);
            close(channel[0]);
        }
        /* The worker has its copy. With this one, the socket would never hang up. */
        close(sockets[1]);
        if (error != 0)
            close(sockets[0]);
    }
    if (error == 0)
        *worker = (struct ciso_worker){process, sockets[0], start->id, &start->keeper};
    else
        munmap(start, sizeof *start);
    return error;
}

int ciso_kill(const struct ciso_worker *worker) {
    return syscall(SYS_pidfd_send_signal, worker->process, SIGKILL, NULL, 0) == 0 || errno == ESRCH ? 0 : errno;
}

int ciso_wait(const struct ciso_worker *worker, uint64_t deadline) {
    return ciso_poll(worker->process, POLLIN, deadline);
}

void ciso_abandon(struct ciso_worker *worker) {
    munmap(worker->keeper, sizeof(struct start));
    *worker = (struct ciso_worker){.process = -1, .socket = -1};
}

void ciso_forget(struct ciso_worker *worker, struct ciso_end *end) {
    ciso_kill(worker);
    /* ECHILD: the program waits for its children with __WALL. */
    while (waitpid(worker->keeper->id, NULL, __WALL) < 0 && errno == EINTR) {
    }
    /* A keeper that was killed has stored nothing: the end counts as SIGKILL. */
    int code = worker->keeper->code, status = worker->keeper->status;
    if (end != NULL)
        *end = code == CLD_EXITED ? (struct ciso_end){0, status} : (struct ciso_end){code == 0 ? SIGKILL : status, 0};
    close(worker->process);
    close(worker->socket);
    ciso_abandon(worker);
}
