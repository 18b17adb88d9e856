/* files.c: files that were opened before the sandbox, and the system calls that look for files.

   A worker cannot open files: the filter turns the calls that do into the signal SIGSYS. Its handler answers them from
   the table of kept files, on the thread that made the call. The table is filled before the sandbox by one thread, and
   only read afterwards. */
#define _GNU_SOURCE
#include "ciso_files.h"
#include "ciso_worker.h"
#include "files.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* A kept file. Neither path nor descriptor is ever freed. */
struct file_entry {
    char *path;     /* as it was passed to ciso_keep_file */
    int descriptor; /* -1: there is no such file */
};

static struct file_entry files[CISO_MAX_FILES];
static size_t file_count;

/* Opens a file and adds it to the table: 0, ENOSPC, ENOMEM, or errno of open(2). O_NONBLOCK keeps it from waiting for
   the writer of a FIFO. */
static int keep(const char *path, bool is_optional) {
    if (file_count == CISO_MAX_FILES)
        return ENOSPC;
    /* The limit of most systems is 1024, and may be raised. */
    struct rlimit limit;
    if (file_count > 0 && file_count % 512 == 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0 && !is_optional)
        return errno;
    char *copy = strdup(path);
    if (copy == NULL) {
        if (descriptor >= 0)
            close(descriptor);
        return ENOMEM;
    }
    files[file_count].path = copy;
    files[file_count++].descriptor = descriptor;
    return 0;
}

int ciso_keep_file(const char *path) {
    return keep(path, false);
}

int ciso_keep_file_or_absence(const char *path) {
    return keep(path, true);
}

/* Finds a file by its path, which must be spelled as it was kept. Called by a signal handler: no lock, no
   allocation. */
static const struct file_entry *find(const char *path) {
    for (size_t i = 0; i < file_count; i++)
        if (strcmp(files[i].path, path) == 0)
            return &files[i];
    return NULL;
}

bool ciso_keeps_file(const char *path) {
    const struct file_entry *file = find(path);
    return file != NULL && file->descriptor >= 0;
}

/* Ends the process like the filter does. */
static void end_process(void) {
    sigaction(SIGSYS, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSYS);
}

/* Returns another descriptor of a kept file, at the beginning of the file. Opening another file ends the process. */
static long reopen(const char *path, int flags) {
    const struct file_entry *file = find(path);
    if (file == NULL || (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) != 0) {
        end_process();
        return -EPERM;
    }
    if (file->descriptor < 0)
        return -ENOENT;
    /* The caller closes what it has opened; the kept descriptor stays. */
    int copy = fcntl(file->descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return -errno;
    lseek(copy, 0, SEEK_SET);
    return copy;
}

/* Status of a kept file. */
static long status(const char *path, struct stat *result) {
    const struct file_entry *file = find(path);
    if (file == NULL || file->descriptor < 0)
        return -ENOENT;
    return syscall(SYS_fstat, file->descriptor, result) == 0 ? 0 : -errno;
}

/* The value of a trapped call, like that of the kernel. Only functions that are safe in signal handlers. */
static long run_call(int number, const long *arguments) {
    switch (number) {
    case SYS_openat: return reopen((const char *)arguments[1], (int)arguments[2]);
    case SYS_newfstatat:
        /* The filter cannot compare the path. */
        if (*(const char *)arguments[1] == 0 && (arguments[3] & AT_EMPTY_PATH) != 0)
            return syscall(SYS_fstat, arguments[0], arguments[2]) == 0 ? 0 : -errno;
        return status((const char *)arguments[1], (struct stat *)arguments[2]);
    case SYS_faccessat: return ciso_keeps_file((const char *)arguments[1]) ? 0 : -ENOENT;
#ifdef SYS_open
    case SYS_open: return reopen((const char *)arguments[0], (int)arguments[1]);
    case SYS_stat:
    case SYS_lstat: return status((const char *)arguments[0], (struct stat *)arguments[1]);
    case SYS_access: return ciso_keeps_file((const char *)arguments[0]) ? 0 : -ENOENT;
#endif
    default: return -ENOSYS;
    }
}

/* Handles SIGSYS: runs the call that was trapped, and stores its value in the register where the kernel would. */
static void handle(int signal, siginfo_t *info, void *context) {
    (void)signal;
    /* The interrupted code may not have read its own errno yet. */
    int error = errno;
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
    const long arguments[] = {machine->gregs[REG_RDI], machine->gregs[REG_RSI], machine->gregs[REG_RDX],
                              machine->gregs[REG_R10]};
    machine->gregs[REG_RAX] = run_call(info->si_syscall, arguments);
#elif defined(__aarch64__)
    const long arguments[] = {(long)machine->regs[0], (long)machine->regs[1], (long)machine->regs[2],
                              (long)machine->regs[3]};
    machine->regs[0] = (unsigned long long)run_call(info->si_syscall, arguments);
#endif
    errno = error;
}

/* Compares two descriptors for qsort(3). */
static int compare(const void *left, const void *right) {
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

int ciso_close_others(void) {
    static int numbers[CISO_MAX_FILES];
    for (size_t i = 0; i < file_count; i++)
        numbers[i] = files[i].descriptor;
    qsort(numbers, file_count, sizeof *numbers, compare);
    /* Closes the gaps between the kept descriptors, then everything above. Files that are missing have the number
       -1. */
    int next = CISO_SOCKET + 1, error = 0;
    for (size_t i = 0; i < file_count && error == 0; i++) {
        if (numbers[i] > next)
            error = ciso_close_range((unsigned)next, (unsigned)numbers[i] - 1);
        if (numbers[i] >= next)
            next = numbers[i] + 1;
    }
    return error != 0 ? error : ciso_close_range((unsigned)next, UINT32_MAX);
}

int ciso_handle_trapped_calls(void) {
    /* SA_NODEFER: a call inside of the handler may be trapped too, and a blocked SIGSYS ends the process. */
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    return sigaction(SIGSYS, &action, NULL) == 0 ? 0 : errno;
}
