#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attacks.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The results do not matter: the sandbox ends the process during the call. */
static void ignore(long result) {
    (void)result;
}

static void open_file(void) {
    ignore(open("/etc/passwd", O_RDONLY | O_CLOEXEC));
}

static void open_to_write(void) {
    ignore(open("/dev/null", O_WRONLY | O_CLOEXEC));
}

static void open_directory(void) {
    ignore(syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
}

static void open_how(void) {
    uint64_t how[3] = {O_RDONLY | O_CLOEXEC, 0, 0};
    ignore(syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", how, sizeof how));
}

/* A file that the worker may open, but for reading only. */
static void open_kept_to_write(void) {
    ignore(open("/sys/devices/system/cpu/online", O_RDWR | O_CLOEXEC));
}

static void connect_to_server(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ignore(connect(descriptor, (struct sockaddr *)&address, sizeof address));
}

static void connect_open_socket(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/nonexistent"};
    ignore(connect(3, (struct sockaddr *)&address, sizeof address));
}

static void send_to_address(void) {
    ignore(sendto(-1, "", 0, 0, NULL, 0));
}

static void make_sockets(void) {
    int sockets[2];
    ignore(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets));
}

static void execute(void) {
    char *arguments[] = {"/nonexistent", NULL};
    ignore(execve("/nonexistent", arguments, arguments + 1));
}

static void execute_memory(void) {
    char *arguments[] = {"x", NULL};
    ignore(syscall(SYS_execveat, 0, "", arguments, arguments + 1, AT_EMPTY_PATH));
}

static void fork_process(void) {
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
}

/* 4096 processes, unless the first call is stopped. */
static void fork_bomb(void) {
    for (int i = 0; i < 12; i++)
        if (fork() < 0)
            break;
}

static void clone_process(void) {
    long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0)
        _exit(0);
    waitpid((pid_t)child, NULL, 0);
}

static void unshare_user(void) {
    ignore(unshare(CLONE_FS));
}

static void trace(void) {
    ignore(ptrace(PTRACE_PEEKDATA, getppid(), NULL, NULL));
}

static void signal_host(void) {
    ignore(kill(getppid(), 0));
}

static void signal_all(void) {
    ignore(kill(INT32_MAX, SIGKILL));
}

static void signal_thread(void) {
    ignore(syscall(SYS_tgkill, getppid(), getppid(), 0));
}

static void signal_by_descriptor(void) {
    ignore(syscall(SYS_pidfd_open, getppid(), 0));
}

static void take_descriptor(void) {
    ignore(syscall(SYS_pidfd_getfd, 3, 0, 0));
}

static void read_memory(void) {
    char byte;
    struct iovec here = {&byte, 1}, there = {&byte, 1};
    ignore(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}

static void write_memory(void) {
    char byte = 0;
    struct iovec here = {&byte, 1}, there = {(void *)8, 1};
    ignore(process_vm_writev(getppid(), &here, 1, &there, 1, 0));
}

static void map_code(void) {
    ignore((long)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

static void make_code(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ignore(mprotect(page, 4096, PROT_READ | PROT_EXEC));
}

static void make_huge_memory(void) {
    ignore(memfd_create("attack", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB));
}

static void remove_file(void) {
    ignore(syscall(SYS_unlinkat, AT_FDCWD, "/nonexistent", 0));
}

static void make_directory(void) {
    ignore(syscall(SYS_mkdirat, AT_FDCWD, "/nonexistent/folder", 0700));
}

static void rename_file(void) {
    ignore(syscall(SYS_renameat2, AT_FDCWD, "/nonexistent", AT_FDCWD, "/nonexistent", 0));
}

static void change_root(void) {
    ignore(chroot("/nonexistent"));
}

static void mount_files(void) {
    ignore(syscall(SYS_mount, "none", "/nonexistent", "tmpfs", 0, NULL));
}

static void change_user(void) {
    ignore(syscall(SYS_setresuid, -1, -1, -1));
}

static void raise_limit(void) {
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    ignore(setrlimit(RLIMIT_CORE, &limit));
}

static void use_ring(void) {
    ignore(syscall(SYS_io_uring_setup, 0, NULL));
}

static void load_program(void) {
    ignore(syscall(SYS_bpf, -1, NULL, 0));
}

static void use_keys(void) {
    ignore(syscall(SYS_keyctl, -1, 0, 0, 0, 0));
}

static void handle_faults(void) {
    ignore(syscall(SYS_userfaultfd, -1));
}

static void measure(void) {
    ignore(syscall(SYS_perf_event_open, NULL, 0, 0, -1, 0));
}

static void share_memory(void) {
    ignore(syscall(SYS_shmget, 1, 0, 0));
}

static void watch_files(void) {
    ignore(syscall(SYS_inotify_init1, -1));
}

#if defined(__x86_64__)
/* The same call by the numbers of the x32 interface. */
static void call_x32(void) {
    ignore(syscall(0x40000000 | SYS_getpid));
}
#endif

#define ATTACK(function)                                                                                               \
    { #function, function }

const attack forbidden_calls[] = {
    ATTACK(open_file),
    ATTACK(open_to_write),
    ATTACK(open_directory),
    ATTACK(open_how),
    ATTACK(open_kept_to_write),
    ATTACK(connect_to_server),
    ATTACK(connect_open_socket),
    ATTACK(send_to_address),
    ATTACK(make_sockets),
    ATTACK(execute),
    ATTACK(execute_memory),
    ATTACK(fork_process),
    ATTACK(clone_process),
    ATTACK(unshare_user),
    ATTACK(trace),
    ATTACK(signal_host),
    ATTACK(signal_all),
    ATTACK(signal_thread),
    ATTACK(signal_by_descriptor),
    ATTACK(take_descriptor),
    ATTACK(read_memory),
    ATTACK(write_memory),
    ATTACK(map_code),
    ATTACK(make_code),
    ATTACK(make_huge_memory),
    ATTACK(remove_file),
    ATTACK(make_directory),
    ATTACK(rename_file),
    ATTACK(change_root),
    ATTACK(mount_files),
    ATTACK(change_user),
    ATTACK(raise_limit),
    ATTACK(use_ring),
    ATTACK(load_program),
    ATTACK(use_keys),
    ATTACK(handle_faults),
    ATTACK(measure),
    ATTACK(share_memory),
    ATTACK(watch_files),
#if defined(__x86_64__)
    ATTACK(call_x32),
#endif
};
const size_t forbidden_call_count = COUNT(forbidden_calls);

static void read_null(void) {
    *(volatile int *)8 = 1;
}

static void trap(void) {
    __builtin_trap();
}

/* Calls itself until the stack is full. `depth` is never that large. */
static size_t overflow(size_t depth) {
    volatile char frame[4096];
    frame[0] = (char)depth;
    return depth == SIZE_MAX ? 0 : overflow(depth + 1) + (size_t)frame[0];
}

static void overflow_stack(void) {
    ignore((long)overflow(0));
}

static void loop(void) {
    for (volatile unsigned i = 0;; i++) {
    }
}

static void sleep_forever(void) {
    for (;;)
        sleep(1000);
}

static void exit_process(void) {
    _exit(0);
}

const attack faults[] = {
    ATTACK(abort), ATTACK(read_null),     ATTACK(trap),         ATTACK(overflow_stack),
    ATTACK(loop),  ATTACK(sleep_forever), ATTACK(exit_process), ATTACK(fork_bomb),
};
const size_t fault_count = COUNT(faults);

int run_attack(const char *name) {
    for (size_t i = 0; i < forbidden_call_count; i++)
        if (strcmp(forbidden_calls[i].name, name) == 0)
            return forbidden_calls[i].run(), 1;
    for (size_t i = 0; i < fault_count; i++)
        if (strcmp(faults[i].name, name) == 0)
            return faults[i].run(), 1;
    return 0;
}
