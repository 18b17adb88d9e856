#include <limits.h>
#include <time.h>

#include "workers.h"

uint64_t monotonic_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

struct ciso_worker start_worker(const char *mode) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    char *slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
    CHECK(slash != NULL && slash - path + sizeof "/worker" <= sizeof path);
    strcpy(slash, "/worker");
    char *arguments[] = {path, (char *)mode, NULL}, *environment[] = {NULL};
    struct ciso_worker worker = {0};
    CHECK_EQUAL(ciso_start(path, arguments, environment, &worker), 0);
    return worker;
}

int send_command(const struct ciso_worker *worker, const char *command, char answer[200]) {
    struct ciso_message message;
    int error = ciso_send(worker->socket, command, strlen(command) + 1, NULL, 0, LIMIT);
    if (error == 0)
        error = ciso_receive(worker->socket, answer, 199, &message, LIMIT);
    if (error == 0) {
        answer[message.length] = 0;
        ciso_close_descriptors(&message);
    }
    return error;
}

void expect_answer(const struct ciso_worker *worker, const char *command, const char *expected) {
    char answer[200];
    int error = send_command(worker, command, answer);
    if (error != 0) {
        struct ciso_worker ended = *worker;
        struct ciso_end end;
        ciso_forget(&ended, &end);
        fail_test(__FILE__, __LINE__, "%s: %s, signal %d, status %d", command, strerror(error), end.signal, end.status);
    }
    if (strcmp(answer, expected) != 0)
        fail_test(__FILE__, __LINE__, "%s: %s, not %s", command, answer, expected);
}
