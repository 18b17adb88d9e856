/* check.c: runs tests in child processes, and the helpers of the tests. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"

enum { LONGEST_WAIT_SECONDS = 60 };

static const char *running;
static char folder[200];

void fail_test(const char *file, int line, const char *format, ...) {
    char why[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    const char *name = strrchr(file, '/');
    char text[600];
    int length = snprintf(text, sizeof text, "not ok %s: %s:%d: %s\n", running, name ? name + 1 : file, line, why);
    /* Called on any thread, while others may hold the lock of stdout. */
    ssize_t written = write(STDOUT_FILENO, text, (size_t)length);
    _exit(written < 0 ? 1 : FAILED_WITH_REASON);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where) {
    (void)status, (void)type, (void)where;
    return remove(path);
}

/* Restarts this program to run one test only: with an unused library and, under a sanitizer, in a process that is
 * not a fork. */
_Noreturn static void start_again(const char *name) {
    static char line[4096];
    char *arguments[16] = {NULL};
    FILE *file = fopen("/proc/self/cmdline", "r");
    size_t length = file ? fread(line, 1, sizeof line - 1, file) : 0;
    int count = 0;
    for (size_t at = 0; at < length && count < 15; at += strlen(line + at) + 1)
        arguments[count++] = line + at;
    setenv("RUN_TEST", name, 1);
    setenv("RUN_FOLDER", folder, 1);
    execv("/proc/self/exe", arguments);
    _exit(126);
}

static void *do_nothing(void *argument) {
    return argument;
}

/* ThreadSanitizer starts a thread of its own with the program's first one: this must happen before a test counts
 * threads. */
static void start_sanitizer(void) {
    pthread_t thread;
    if (HAS_THREAD_SANITIZER && pthread_create(&thread, NULL, do_nothing, NULL) == 0)
        pthread_join(thread, NULL);
}

static void run_here(const test *test) {
    start_sanitizer();
    const char *path = getenv("RUN_FOLDER");
    snprintf(folder, sizeof folder, "%s", path ? path : "");
    unsetenv("RUN_TEST");
    running = test->name;
    alarm(LONGEST_TEST_SECONDS);
    test->run();
    exit(0);
}

static bool run_test(const test *test) {
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/sdimage-abi-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(folder)) {
        printf("not ok %s: no temporary folder: %s\n", test->name, strerror(errno));
        return false;
    }
    fflush(stdout);
    running = test->name;
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        start_again(test->name);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    int reason = errno;
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    if (child < 0)
        return printf("not ok %s: no child process: %s\n", test->name, strerror(reason)), false;
    bool fine = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (fine)
        printf("ok %s\n", test->name);
    else if (WIFSIGNALED(status))
        printf("not ok %s: %s\n", test->name,
               WTERMSIG(status) == SIGALRM ? "did not end in time" : strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != FAILED_WITH_REASON)
        printf("not ok %s: exit status %d\n", test->name, WEXITSTATUS(status));
    return fine;
}

int run_tests(const test *tests, size_t count) {
    int failures = 0;
    const char *only = getenv("ONLY"), *one = getenv("RUN_TEST");
    for (size_t i = 0; one && i < count; i++)
        if (!strcmp(tests[i].name, one))
            run_here(&tests[i]);
    for (size_t i = 0; i < count; i++) {
        if (!only || strstr(tests[i].name, only))
            failures += !run_test(&tests[i]);
    }
    fflush(stdout);
    return failures ? 1 : 0;
}

bool becomes_true(bool (*condition)(void *argument), void *argument) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (const time_t end = now.tv_sec + LONGEST_WAIT_SECONDS; now.tv_sec < end; clock_gettime(CLOCK_MONOTONIC, &now)) {
        if (condition(argument))
            return true;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    return condition(argument);
}

void limit_memory(size_t bytes) {
    char line[256];
    unsigned long kilobytes = 0;
    struct rlimit limit;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && !kilobytes && fgets(line, sizeof line, file))
        sscanf(line, "VmData: %lu", &kilobytes);
    CHECK(kilobytes > 0 && getrlimit(RLIMIT_DATA, &limit) == 0);
    fclose(file);
    limit.rlim_cur = kilobytes * 1024 + bytes;
    CHECK(setrlimit(RLIMIT_DATA, &limit) == 0);
}

/* Number of entries in a folder of /proc; the descriptor that reads it does not count. */
static size_t entry_count(const char *path, size_t of_reading) {
    size_t count = 0;
    DIR *directory = opendir(path);
    if (!directory)
        fail_test(__FILE__, __LINE__, "%s: %s", path, strerror(errno));
    for (struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count - of_reading;
}

size_t thread_count(void) {
    return entry_count("/proc/self/task", 0);
}

size_t descriptor_count(void) {
    return entry_count("/proc/self/fd", 1);
}

bool has_no_more_threads(void *count) {
    return thread_count() <= *(size_t *)count;
}

bool has_no_more_descriptors(void *count) {
    return descriptor_count() <= *(size_t *)count;
}

const char *temporary_folder(void) {
    return folder;
}

const char *running_test(void) {
    return running;
}

const char *file_url_with(const char *name, const void *bytes, size_t length) {
    static char urls[8][300];
    static int next;
    char *url = urls[next++ % 8];
    snprintf(url, sizeof urls[0], "file://%s/%s", folder, name);
    FILE *file = fopen(url + strlen("file://"), "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file))
        fail_test(__FILE__, __LINE__, "%s: %s", url, strerror(errno));
    return url;
}

void count_destroy(void *user_data) {
    atomic_fetch_add((atomic_int *)user_data, 1);
}

void gate_open(gate *gate) {
    pthread_mutex_lock(&gate->lock);
    gate->opened++;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

void gate_wait(gate *gate, int count) {
    pthread_mutex_lock(&gate->lock);
    while (gate->opened < count)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}
