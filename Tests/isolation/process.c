/* Start and end of workers: what the host notices of them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "workers.h"

static atomic_int child_signals;

static void count_signal(int signal) {
    (void)signal;
    atomic_fetch_add(&child_signals, 1);
}

/* Processes whose parent is this one, zombies included. A keeper ends after its worker. */
static int children(void) {
    int count = 0, parent;
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    CHECK(folder != NULL);
    while ((entry = readdir(folder)) != NULL) {
        char path[300], line[600] = "", *name_end;
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *file = atoi(entry->d_name) > 0 ? fopen(path, "re") : NULL;
        if (file == NULL)
            continue;
        if (fgets(line, sizeof line, file) != NULL && (name_end = strrchr(line, ')')) != NULL)
            count += sscanf(name_end + 2, "%*c %d", &parent) == 1 && parent == getpid();
        fclose(file);
    }
    closedir(folder);
    return count;
}

/* Starts and ends workers in all ways. */
static void use_workers(void) {
    char answer[200];
    struct ciso_end end;
    struct ciso_worker worker = start_worker("sandbox");
    expect_answer(&worker, "threads", "0 failures");
    ciso_forget(&worker, &end);
    CHECK_EQUAL(end.signal, SIGKILL);
    worker = start_worker("sandbox");
    CHECK_EQUAL(send_command(&worker, "open_file", answer), EPIPE);
    ciso_forget(&worker, NULL);
    worker = start_worker("sandbox");
    CHECK_EQUAL(send_command(&worker, "exit_process", answer), EPIPE);
    CHECK_EQUAL(ciso_wait(&worker, LIMIT), 0);
    ciso_forget(&worker, &end);
    CHECK_EQUAL(end.signal, 0);
    CHECK_EQUAL(end.status, 0);
    char *nothing[] = {NULL};
    CHECK_EQUAL(ciso_start("/nonexistent", nothing, nothing, &worker), ENOENT);
    CHECK_EQUAL(ciso_start("/etc/passwd", nothing, nothing, &worker), EACCES);
}

static void nothing_is_left_in_the_host(void) {
    use_workers();
    size_t threads = thread_count(), descriptors = descriptor_count();
    for (int i = 0; i < 20; i++)
        use_workers();
    CHECK_EQUAL(thread_count(), threads);
    CHECK_EQUAL(descriptor_count(), descriptors);
    CHECK_EQUAL(children(), 0);
}

/* Every call that makes a descriptor fails once. */
static void a_start_without_descriptors_fails_cleanly(void) {
    struct rlimit limit, lower;
    struct ciso_worker worker;
    char *arguments[] = {"/bin/sleep", "1000", NULL}, *environment[] = {NULL};
    size_t descriptors = descriptor_count();
    int failures = 0, error = 0, next = dup(0);
    CHECK(next >= 0 && close(next) == 0);
    CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
    lower = limit;
    for (lower.rlim_cur = (rlim_t)next; lower.rlim_cur < (rlim_t)next + 20; lower.rlim_cur++) {
        CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &lower), 0);
        error = ciso_start(arguments[0], arguments, environment, &worker);
        CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
        failures += error != 0;
        if (error == 0)
            ciso_forget(&worker, NULL);
        else
            CHECK_EQUAL(error, EMFILE);
        CHECK_EQUAL(descriptor_count(), descriptors);
        CHECK_EQUAL(children(), 0);
    }
    CHECK(failures >= 5 && error == 0);
}

static void the_host_sees_no_child(void) {
    struct sigaction action = {.sa_handler = count_signal}, standard;
    CHECK_EQUAL(sigaction(SIGCHLD, &action, &standard), 0);
    struct ciso_worker worker = start_worker("sandbox");
    CHECK_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_EQUAL(errno, ECHILD);
    CHECK_EQUAL(ciso_kill(&worker), 0);
    CHECK_EQUAL(ciso_wait(&worker, LIMIT), 0);
    CHECK_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_EQUAL(errno, ECHILD);
    ciso_forget(&worker, NULL);
    use_workers();
    CHECK_EQUAL(child_signals, 0);
    /* The counter works. */
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    CHECK_EQUAL(waitpid(child, NULL, 0), child);
    CHECK_EQUAL(child_signals, 1);
}

static void signal_handling_of_the_host_is_unchanged(void) {
    sigset_t mask, after;
    struct sigaction action;
    signal(SIGUSR1, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    signal(SIGUSR2, count_signal);
    sigemptyset(&mask);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGUSR2);
    CHECK_EQUAL(pthread_sigmask(SIG_SETMASK, &mask, NULL), 0);
    struct ciso_worker worker = start_worker("free");
    expect_answer(&worker, "start", "descriptors 4, blocked 0, handled 0, variables 0");
    ciso_forget(&worker, NULL);
    use_workers(); /* SIGCHLD is ignored: their ends are known nevertheless */
    CHECK_EQUAL(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
    CHECK(sigismember(&after, SIGTERM) == 1 && sigismember(&after, SIGUSR2) == 1 && sigismember(&after, SIGINT) == 0);
    CHECK(sigaction(SIGUSR1, NULL, &action) == 0 && action.sa_handler == SIG_IGN);
    CHECK(sigaction(SIGUSR2, NULL, &action) == 0 && action.sa_handler == count_signal);
}

static void a_worker_starts_without_standard_descriptors(void) {
    int saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 50), inherited = open("/dev/null", O_RDONLY);
    CHECK(saved >= 50 && inherited >= 0);
    for (int i = 0; i < 5; i++)
        close(i);
    struct ciso_worker worker = start_worker("free");
    char answer[200];
    int error = send_command(&worker, "start", answer);
    ciso_forget(&worker, NULL);
    CHECK_EQUAL(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
    CHECK_EQUAL(error, 0);
    CHECK(strncmp(answer, "descriptors 4,", 14) == 0);
}

static void *start_many(void *argument) {
    for (int i = 0; i < 25; i++) {
        struct ciso_worker worker = start_worker("sandbox");
        expect_answer(&worker, "threads", "0 failures");
        ciso_forget(&worker, NULL);
    }
    return argument;
}

/* Each thread ends before the keepers that others started, and leaves its own to a thread that is gone. */
static void threads_start_workers_at_once(void) {
    pthread_t threads[4];
    size_t descriptors = descriptor_count();
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, start_many, NULL), 0);
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
    CHECK_EQUAL(descriptor_count(), descriptors);
    CHECK_EQUAL(children(), 0);
}

static void *start_one(void *worker) {
    *(struct ciso_worker *)worker = start_worker("sandbox");
    return NULL;
}

static void a_worker_outlives_the_thread_that_started_it(void) {
    struct ciso_worker worker;
    struct ciso_end end;
    pthread_attr_t attributes;
    pthread_t thread;
    void *stack = NULL;
    CHECK_EQUAL(posix_memalign(&stack, 4096, 1 << 20), 0);
    CHECK_EQUAL(pthread_attr_init(&attributes), 0);
    CHECK_EQUAL(pthread_attr_setstack(&attributes, stack, 1 << 20), 0);
    CHECK_EQUAL(pthread_create(&thread, &attributes, start_one, &worker), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    free(stack); /* with the thread-local storage */
    expect_answer(&worker, "threads", "0 failures");
    CHECK_EQUAL(send_command(&worker, "abort", (char[200]){0}), EPIPE);
    ciso_forget(&worker, &end);
    CHECK_EQUAL(end.signal, SIGABRT);
}

/* A worker in a loop ends with its host, even if that is killed. */
static void workers_end_with_a_killed_host(void) {
    int ends[2];
    char byte;
    CHECK_EQUAL(pipe(ends), 0);
    pid_t host = fork();
    if (host == 0) {
        struct ciso_worker worker = start_worker("sandbox");
        CHECK_EQUAL(ciso_send(worker.socket, "loop", 5, NULL, 0, LIMIT), 0);
        CHECK_EQUAL(write(ends[1], &worker.id, sizeof worker.id), sizeof worker.id);
        for (;;)
            pause();
    }
    int id;
    CHECK_EQUAL(read(ends[0], &id, sizeof id), sizeof id);
    int process = (int)syscall(SYS_pidfd_open, id, 0);
    CHECK(process >= 0);
    CHECK_EQUAL(kill(host, SIGKILL), 0);
    CHECK_EQUAL(waitpid(host, NULL, 0), host);
    struct pollfd entry = {.fd = process, .events = POLLIN};
    CHECK_EQUAL(poll(&entry, 1, 60000), 1);
    close(ends[1]);
    CHECK_EQUAL(read(ends[0], &byte, 1), 0); /* neither worker nor keeper holds a descriptor of the host */
}

/* An idle worker ends when the last copy of the socket is closed. */
static void a_forked_child_abandons_workers(void) {
    struct ciso_worker worker = start_worker("sandbox");
    pid_t child = fork();
    if (child == 0) {
        close(worker.process);
        close(worker.socket);
        int reused = dup2(STDERR_FILENO, worker.process), other = dup2(STDERR_FILENO, worker.socket);
        ciso_abandon(&worker);
        _exit(fcntl(reused, F_GETFD) >= 0 && fcntl(other, F_GETFD) >= 0 ? 0 : 1);
    }
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    expect_answer(&worker, "threads", "0 failures");
    CHECK_EQUAL(shutdown(worker.socket, SHUT_RDWR), 0);
    CHECK_EQUAL(ciso_wait(&worker, LIMIT), 0);
    ciso_forget(&worker, NULL);
}

/* The calls that the filters of container engines refuse to processes without CAP_SYS_ADMIN, and a user without
   rights. */
static void confine(void) {
    const unsigned refused = SECCOMP_RET_ERRNO | EPERM, unknown = SECCOMP_RET_ERRNO | ENOSYS;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, unknown),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setns, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mount, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, refused),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    if (geteuid() == 0)
        CHECK(setgroups(0, NULL) == 0 && setgid(65534) == 0 && setuid(65534) == 0);
    CHECK_EQUAL(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    CHECK_EQUAL(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
    CHECK_EQUAL(unshare(CLONE_NEWUSER), -1);
}

static void workers_start_in_a_container(void) {
    confine();
    use_workers();
    CHECK_EQUAL(children(), 0);
}

int main(void) {
    static const test tests[] = {
        TEST(nothing_is_left_in_the_host),
        TEST(a_start_without_descriptors_fails_cleanly),
        TEST(the_host_sees_no_child),
        TEST(signal_handling_of_the_host_is_unchanged),
        TEST(a_worker_starts_without_standard_descriptors),
        TEST(threads_start_workers_at_once),
        TEST(a_worker_outlives_the_thread_that_started_it),
        TEST(workers_end_with_a_killed_host),
        TEST(a_forked_child_abandons_workers),
        TEST(workers_start_in_a_container),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
