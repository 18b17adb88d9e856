/* The worker of the tests: executes the commands that it receives, each after its answer or as its answer.
 *
 *   worker sandbox|free
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "attacks.h"
#include "ciso_files.h"
#include "ciso_memory.h"
#include "ciso_message.h"
#include "ciso_sandbox.h"
#include "ciso_worker.h"

#define MEGABYTE ((size_t)1 << 20)
#define MEMORY (512 * MEGABYTE)

static unsigned mechanisms;
static char answer[200];

static void send_answer(const char *text, const int *descriptors, size_t count) {
    if (ciso_send(CISO_SOCKET, text, strlen(text) + 1, descriptors, count, UINT64_MAX) != 0)
        _exit(3);
}

/* The environment of a program at its start. */
static void describe_start(void) {
    extern char **environ;
    int open = 0, handled = 0, blocked = 0, variables = 0;
    sigset_t mask;
    struct sigaction action;
    for (int i = 0; i < 1024; i++)
        open += fcntl(i, F_GETFD) >= 0;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int i = 1; i < NSIG; i++) {
        blocked += sigismember(&mask, i) == 1;
        handled += sigaction(i, NULL, &action) == 0 && action.sa_handler != SIG_DFL;
    }
    while (environ[variables] != NULL)
        variables++;
    snprintf(answer, sizeof answer, "descriptors %d, blocked %d, handled %d, variables %d", open, blocked, handled,
             variables);
}

/* Returns NULL on success. */
static void *allocate(void *argument) {
    for (size_t size = 1; size < MEGABYTE; size *= 2) {
        void *block = malloc(size);
        if (block == NULL)
            return argument;
        memset(block, 1, size);
        free(block);
    }
    return NULL;
}

static void run_threads(void) {
    pthread_t threads[8];
    void *result;
    int failures = 0;
    for (int i = 0; i < 8; i++)
        failures += pthread_create(&threads[i], NULL, allocate, answer) != 0;
    for (int i = 0; i < 8 && failures == 0; i++)
        failures += pthread_join(threads[i], &result) != 0 || result != NULL;
    snprintf(answer, sizeof answer, "%d failures", failures);
}

/* Allocates more than the limit in blocks of the size, and frees all. */
static void exceed_memory(size_t size) {
    void *blocks[MEMORY / MEGABYTE + 1];
    size_t count = 0;
    while (count < MEMORY / MEGABYTE + 1 && (blocks[count] = malloc(size)) != NULL)
        memset(blocks[count++], 1, MEGABYTE);
    snprintf(answer, sizeof answer, "%s", count * size <= MEMORY ? "refused" : "allocated");
    while (count > 0)
        free(blocks[--count]);
}

static void open_kept_file(void) {
    struct stat status;
    char text[20] = "", again[20] = "";
    int file = open("/proc/version", O_RDONLY), length = (int)read(file, text, 5);
    int second = open("/proc/version", O_RDONLY | O_CLOEXEC), second_length = (int)read(second, again, 5);
    int missing = open("/missing", O_RDONLY) < 0 ? errno : 0;
    snprintf(answer, sizeof answer, "%s %d %s %d, %d, %d, %d %d, %d", text, length, again, second_length, missing,
             stat("/proc/version", &status) == 0 && S_ISREG(status.st_mode),
             stat("/etc/passwd", &status) < 0 ? errno : 0, access("/etc/passwd", R_OK) < 0 ? errno : 0,
             fstat(CISO_SOCKET, &status));
    close(file);
    close(second);
}

/* Calls that libraries make and that may fail. */
static void call_harmless(void) {
    struct rlimit limit;
    int failures = getrlimit(RLIMIT_STACK, &limit) != 0;
    failures += isatty(2) != 0 || errno != ENOTTY;
    failures += get_nprocs() < 1 || sysconf(_SC_NPROCESSORS_ONLN) < 1;
    failures += prctl(PR_SET_NAME, "worker") != 0;
    failures += fprintf(stderr, "message\n") < 0;
    failures += raise(SIGCONT) != 0;
    failures += readlink("/proc/self/exe", (char[10]){0}, 10) >= 0;
    snprintf(answer, sizeof answer, "%d failures", failures);
}

/* Sends a memfd of 1 MB that was shrunk to 1000 bytes. */
static void send_memory(void) {
    int memory;
    void *address;
    if (ciso_memory_new(MEGABYTE, &memory) != 0 || ciso_memory_map_to_write(memory, MEGABYTE, &address) != 0)
        _exit(4);
    memset(address, 'x', MEGABYTE);
    int early = ciso_memory_seal(memory, 1000);
    ciso_memory_unmap(address, MEGABYTE);
    if (early != EBUSY || ciso_memory_seal(memory, 1000) != 0 || ciso_memory_new(2 * MEMORY, &(int){0}) != EFBIG)
        _exit(5);
    send_answer("memory", &memory, 1);
    close(memory);
}

static void run(const char *command) {
    strcpy(answer, "unknown");
    if (strcmp(command, "start") == 0)
        describe_start();
    else if (strcmp(command, "mechanisms") == 0)
        snprintf(answer, sizeof answer, "%u", mechanisms);
    else if (strcmp(command, "threads") == 0)
        run_threads();
    else if (strcmp(command, "one block") == 0)
        exceed_memory((size_t)100 << 30);
    else if (strcmp(command, "many blocks") == 0)
        exceed_memory(MEGABYTE);
    else if (strcmp(command, "kept file") == 0)
        open_kept_file();
    else if (strcmp(command, "harmless") == 0)
        call_harmless();
    else if (run_attack(command))
        strcpy(answer, "done");
    if (strcmp(command, "memory") == 0)
        send_memory();
    else
        send_answer(answer, NULL, 0);
}

int main(int count, char **arguments) {
    static char command[CISO_MAX_MESSAGE];
    struct ciso_message message;
    const struct ciso_limits limits = {.memory = MEMORY, .cpu_seconds = 60, .descriptors = 32};
    bool is_free = count > 1 && strcmp(arguments[1], "free") == 0;
    if (!is_free && (ciso_prepare() != 0 || ciso_keep_file("/proc/version") != 0 ||
                     ciso_keep_file("/missing") != ENOENT || ciso_keep_file_or_absence("/missing") != 0 ||
                     open("/dev/null", O_RDONLY) < 0 || ciso_enter(&limits, &mechanisms) != 0))
        return 2;
    for (;;) {
        int error = ciso_receive(CISO_SOCKET, command, sizeof command - 1, &message, UINT64_MAX);
        if (error != 0)
            return error == EPIPE ? 0 : error;
        ciso_close_descriptors(&message);
        run(command);
    }
}
