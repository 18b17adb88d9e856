/* Workers of the tests: Tests/isolation/worker.c. */
#ifndef SDIMAGE_TESTS_WORKERS_H
#define SDIMAGE_TESTS_WORKERS_H

#include "check.h"
#include "ciso_message.h"
#include "ciso_worker.h"

/* Time limit of an answer. */
#define LIMIT (monotonic_now() + 60000000000ull)
uint64_t monotonic_now(void);

/* Starts a worker, in the sandbox or "free" of it. */
struct ciso_worker start_worker(const char *mode);

/* Sends a command and returns the result of ciso_receive for the answer, which is stored as text in `answer`. */
int send_command(const struct ciso_worker *worker, const char *command, char answer[200]);

/* The same for an answer that must come. */
void expect_answer(const struct ciso_worker *worker, const char *command, const char *expected);

#endif
