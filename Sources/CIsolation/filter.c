/* filter.c: the filter of system calls: a seccomp program (seccomp(2)) that is made of a list of rules. The kernel runs
   it for each call of the worker, from the first rule on. A call without a rule kills the process.

   A rule is added for a call that a decoder needs and that reaches nothing outside of the process. A call that
   libraries can do without fails with an error. */
#define _GNU_SOURCE
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif
#ifndef CLONE_DETACHED
#define CLONE_DETACHED 0x400000
#endif

#ifdef ARCHITECTURE

/* The action if all conditions hold; otherwise the next rules decide. */
struct rule {
    int number;      /* the system call: SYS_… */
    unsigned action; /* SECCOMP_RET_… */
    struct {
        unsigned mask; /* 0: no condition */
        unsigned char argument, is_upper_half;
        unsigned value; /* the expected bits of the argument under the mask */
    } conditions[2];
};

/* ALLOW lets a call pass, FAIL returns an error in its place, TRAP leaves it to the handler of files.c. */
#define ALLOW(call)                                                                                                    \
    {                                                                                                                  \
        SYS_##call, SECCOMP_RET_ALLOW, {                                                                               \
            { 0 }                                                                                                      \
        }                                                                                                              \
    }
#define FAIL(call, error)                                                                                              \
    {                                                                                                                  \
        SYS_##call, SECCOMP_RET_ERRNO | (error), {                                                                     \
            { 0 }                                                                                                      \
        }                                                                                                              \
    }
#define TRAP(call)                                                                                                     \
    {                                                                                                                  \
        SYS_##call, SECCOMP_RET_TRAP, {                                                                                \
            { 0 }                                                                                                      \
        }                                                                                                              \
    }
/* Arguments are compared in their lower half: the kernel reads no more of these. */
#define ALLOW_IF(call, index, bits, expected)                                                                          \
    {                                                                                                                  \
        SYS_##call, SECCOMP_RET_ALLOW, {                                                                               \
            { bits, index, 0, expected }                                                                               \
        }                                                                                                              \
    }
#define ALLOW_IF_BOTH(call, i, bits, expected, i2, bits2, expected2)                                                   \
    {                                                                                                                  \
        SYS_##call, SECCOMP_RET_ALLOW, {                                                                               \
            {bits, i, 0, expected}, {                                                                                  \
                bits2, i2, 0, expected2                                                                                \
            }                                                                                                          \
        }                                                                                                              \
    }

#define ANY_BIT 0xffffffffu
#define OWN_PROCESS 0 /* replaced by the process id */
/* The flags of clone(2) that pthread_create(3) passes. */
#define THREAD_FLAGS                                                                                                   \
    (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS |                 \
     CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

/* Frequent calls first. */
static const struct rule rules[] = {
    ALLOW(futex),
    ALLOW(read),
    ALLOW(write),
    ALLOW(clock_gettime),
    ALLOW(munmap),
    ALLOW(madvise),
    ALLOW(brk),
    /* No memory becomes executable. */
    ALLOW_IF(mmap, 2, PROT_EXEC, 0),
    ALLOW_IF(mprotect, 2, PROT_EXEC, 0),
    ALLOW(mremap),
    ALLOW(sched_yield),
    ALLOW(getpid),
    ALLOW(gettid),

    /* Open descriptors. */
    ALLOW(close),
    ALLOW(fstat),
    ALLOW(lseek),
    ALLOW(pread64),
    ALLOW(pwrite64),
    ALLOW(readv),
    ALLOW(writev),
    ALLOW_IF(fcntl, 1, ANY_BIT, F_GETFD),
    ALLOW_IF(fcntl, 1, ANY_BIT, F_SETFD),
    ALLOW_IF(fcntl, 1, ANY_BIT, F_GETFL),
    ALLOW_IF(fcntl, 1, ANY_BIT, F_DUPFD_CLOEXEC),
    /* Results are sealed before they are sent. */
    ALLOW_IF(fcntl, 1, ANY_BIT, F_ADD_SEALS),
    ALLOW_IF(fcntl, 1, ANY_BIT, F_GET_SEALS),
    /* The error of a descriptor that is no terminal. */
    FAIL(ioctl, ENOTTY),

    /* Memory that is sent to the host, and messages. */
    ALLOW_IF(memfd_create, 1, ANY_BIT, MFD_CLOEXEC | MFD_ALLOW_SEALING),
    ALLOW(ftruncate),
    ALLOW(fallocate),
    ALLOW(fstatfs),
    ALLOW(sendmsg),
    ALLOW(recvmsg),
    ALLOW(ppoll),
    ALLOW(epoll_create1),
    ALLOW(epoll_ctl),
    ALLOW(epoll_pwait),
    ALLOW(eventfd2),
    ALLOW(timerfd_create),
    ALLOW(timerfd_settime),

    /* Threads. clone3 hides its flags from the filter; the C library then calls clone. */
    ALLOW_IF(clone, 0, ~(unsigned)CLONE_DETACHED, THREAD_FLAGS),
    FAIL(clone3, ENOSYS),
    ALLOW(set_robust_list),
    ALLOW(rseq),
    ALLOW(set_tid_address),
    ALLOW(membarrier),
    ALLOW(getcpu),
    ALLOW(exit),
    ALLOW(exit_group),
    ALLOW(nanosleep),
    ALLOW(clock_nanosleep),
    ALLOW(clock_getres),
    ALLOW(gettimeofday),
    ALLOW(sched_getaffinity),
    ALLOW(sched_getparam),
    ALLOW(sched_getscheduler),
    ALLOW(sched_get_priority_max),
    ALLOW(sched_get_priority_min),
    ALLOW(sched_getattr),
    FAIL(sched_setattr, EPERM),
    FAIL(sched_setaffinity, EPERM),
    FAIL(sched_setscheduler, EPERM),
    FAIL(sched_setparam, EPERM),
    FAIL(setpriority, EPERM),
    ALLOW(getpriority),
    ALLOW_IF(prctl, 0, ANY_BIT, PR_SET_NAME),
    ALLOW_IF(prctl, 0, ANY_BIT, PR_GET_NAME),
    FAIL(prctl, EINVAL),

    /* Signals of this process only: abort(3) and raise(3). */
    ALLOW(rt_sigaction),
    ALLOW(rt_sigprocmask),
    ALLOW(rt_sigreturn),
    ALLOW(sigaltstack),
    ALLOW_IF(tgkill, 0, ANY_BIT, OWN_PROCESS),
    ALLOW(restart_syscall),

    /* Facts. */
    ALLOW(getrandom),
    ALLOW(uname),
    ALLOW(sysinfo),
    ALLOW(getrusage),
    ALLOW(times),
    ALLOW(getuid),
    ALLOW(geteuid),
    ALLOW(getgid),
    ALLOW(getegid),
    ALLOW(getppid),
    /* Reads limits: the third argument, a new limit, is NULL. */
    {SYS_prlimit64, SECCOMP_RET_ALLOW, {{ANY_BIT, 2, 0, 0}, {ANY_BIT, 2, 1, 0}}},

    /* Look-ups of files, for which files.c has the answers. fstat(3) of glibc is newfstatat of an empty path. */
    TRAP(openat),
    TRAP(newfstatat),
    TRAP(faccessat),
    FAIL(faccessat2, ENOSYS),
    FAIL(readlinkat, ENOENT),
    FAIL(statfs, ENOENT),
    FAIL(statx, ENOSYS),
#ifdef SYS_open
    ALLOW(time),
    ALLOW(poll),
    ALLOW(epoll_wait),
    TRAP(open),
    TRAP(stat),
    TRAP(lstat),
    TRAP(access),
    FAIL(readlink, ENOENT),
    FAIL(arch_prctl, EINVAL),
#endif
};

#define LENGTH (sizeof rules / sizeof rules[0])
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
/* Skips `count` instructions unless the loaded value is `value`. */
#define UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)
#define END(action) BPF_STMT(BPF_RET | BPF_K, action)

/* The instructions so far; at most nine for each rule. */
struct program {
    size_t length; /* instructions in `code` */
    struct sock_filter code[8 + 9 * LENGTH];
};

/* Appends an instruction. */
static void add(struct program *program, struct sock_filter instruction) {
    program->code[program->length++] = instruction;
}

/* Adds a rule. At its start and at its end, the accumulator holds the number of the call. */
static void add_rule(struct program *program, const struct rule *rule) {
    int count = 0;
    while (count < 2 && rule->conditions[count].mask != 0)
        count++;
    /* Each condition has three instructions; the last two are the action, and loading the number again for the next
       rule. */
    unsigned char left = (unsigned char)(count == 0 ? 1 : 3 * count + 2);
    add(program, (struct sock_filter)UNLESS((unsigned)rule->number, left));
    for (int i = 0; i < count; i++) {
        size_t offset = offsetof(struct seccomp_data, args) + 8 * rule->conditions[i].argument +
                        4 * rule->conditions[i].is_upper_half;
        /* OWN_PROCESS is known only at run time. */
        unsigned value = rule->number == SYS_tgkill ? (unsigned)getpid() : rule->conditions[i].value;
        add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
        add(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, rule->conditions[i].mask));
        add(program, (struct sock_filter)UNLESS(value, (unsigned char)(3 * (count - 1 - i) + 1)));
    }
    add(program, (struct sock_filter)END(rule->action));
    if (count > 0)
        add(program, (struct sock_filter)LOAD(nr));
}

int ciso_filter_calls(void) {
    static struct program program;
    program.length = 0;
    /* Numbers of calls have a meaning only together with the architecture. */
    add(&program, (struct sock_filter)LOAD(arch));
    add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    add(&program, (struct sock_filter)END(SECCOMP_RET_KILL_PROCESS));
    /* Numbers of the x32 interface of x86_64 have a bit set, and are in no rule. */
    add(&program, (struct sock_filter)LOAD(nr));
    for (size_t i = 0; i < LENGTH; i++)
        add_rule(&program, &rules[i]);
    add(&program, (struct sock_filter)END(SECCOMP_RET_KILL_PROCESS));
    struct sock_fprog filter = {.len = (unsigned short)program.length, .filter = program.code};
    /* TSYNC applies the filter to all threads. A positive result is a thread that could not be synchronized. */
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    return result == 0 ? 0 : result > 0 ? EAGAIN : errno == EINVAL ? ENOSYS : errno;
}

#else

int ciso_filter_calls(void) {
    return ENOSYS;
}

#endif
