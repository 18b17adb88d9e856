/* The sandbox: allowed and forbidden calls, limits, faults. */
#include <errno.h>
#include <signal.h>

#include "attacks.h"
#include "ciso_sandbox.h"
#include "workers.h"

static void forget(struct ciso_worker *worker) {
    ciso_forget(worker, NULL);
}

/* Runs an attack in a worker of its own; returns how the worker ended. */
static struct ciso_end attacked(const char *name) {
    struct ciso_worker worker = start_worker("sandbox");
    struct ciso_end end;
    char answer[200];
    int error = send_command(&worker, name, answer);
    if (error == 0)
        fail_test(__FILE__, __LINE__, "%s: the worker continues", name);
    CHECK_EQUAL(error, EPIPE);
    CHECK_EQUAL(ciso_wait(&worker, LIMIT), 0);
    ciso_forget(&worker, &end);
    return end;
}

static void each_forbidden_call_kills_the_worker(void) {
    for (size_t i = 0; i < forbidden_call_count; i++) {
        struct ciso_end end = attacked(forbidden_calls[i].name);
        if (end.signal != SIGSYS)
            fail_test(__FILE__, __LINE__, "%s: signal %d", forbidden_calls[i].name, end.signal);
    }
}

/* The same calls do not end a worker outside the sandbox: the test above can fail. */
static void without_sandbox_a_worker_continues(void) {
    struct ciso_worker worker = start_worker("free");
    for (size_t i = 0; i < forbidden_call_count; i++)
        expect_answer(&worker, forbidden_calls[i].name, "done");
    forget(&worker);
}

static void faults_end_with_their_signal(void) {
    CHECK_EQUAL(attacked("abort").signal, SIGABRT);
    CHECK_EQUAL(attacked("read_null").signal, SIGSEGV);
    CHECK_EQUAL(attacked("trap").signal, SIGILL);
    CHECK_EQUAL(attacked("overflow_stack").signal, SIGSEGV);
    CHECK_EQUAL(attacked("fork_bomb").signal, SIGSYS);
    CHECK_EQUAL(attacked("exit_process").signal, 0);
}

static void a_loop_is_killed_by_the_host(void) {
    const char *const names[] = {"loop", "sleep_forever"};
    for (int i = 0; i < 2; i++) {
        struct ciso_worker worker = start_worker("sandbox");
        struct ciso_end end;
        struct ciso_message message;
        char answer[200];
        CHECK_EQUAL(ciso_send(worker.socket, names[i], strlen(names[i]) + 1, NULL, 0, LIMIT), 0);
        CHECK_EQUAL(ciso_receive(worker.socket, answer, sizeof answer, &message, monotonic_now() + 10000000),
                    ETIMEDOUT);
        CHECK_EQUAL(ciso_wait(&worker, 0), ETIMEDOUT);
        CHECK_EQUAL(ciso_kill(&worker), 0);
        CHECK_EQUAL(ciso_receive(worker.socket, answer, sizeof answer, &message, LIMIT), EPIPE);
        ciso_forget(&worker, &end);
        CHECK_EQUAL(end.signal, SIGKILL);
    }
}

static void memory_beyond_the_limit_is_refused(void) {
    struct ciso_worker worker = start_worker("sandbox");
    expect_answer(&worker, "one block", "refused");
    expect_answer(&worker, "many blocks", "refused");
    expect_answer(&worker, "threads", "0 failures");
    forget(&worker);
}

static void threads_and_harmless_calls_are_allowed(void) {
    struct ciso_worker worker = start_worker("sandbox");
    expect_answer(&worker, "threads", "0 failures");
    expect_answer(&worker, "harmless", "0 failures");
    /* 0 to 3, and four kept files: three of ciso_prepare, one of the worker. */
    expect_answer(&worker, "start", "descriptors 8, blocked 0, handled 2, variables 0");
    forget(&worker);
}

static void kept_files_are_readable(void) {
    struct ciso_worker worker = start_worker("sandbox");
    char expected[200];
    snprintf(expected, sizeof expected, "Linux 5 Linux 5, %d, 1, %d %d, 0", ENOENT, ENOENT, ENOENT);
    expect_answer(&worker, "kept file", expected);
    forget(&worker);
}

static void the_mechanisms_are_reported(void) {
    struct ciso_worker worker = start_worker("sandbox");
    char answer[200];
    CHECK_EQUAL(send_command(&worker, "mechanisms", answer), 0);
    CHECK_EQUAL(atoi(answer) & ~CISO_LANDLOCK, CISO_SECCOMP);
    forget(&worker);
}

int main(void) {
    static const test tests[] = {
        TEST(each_forbidden_call_kills_the_worker),
        TEST(without_sandbox_a_worker_continues),
        TEST(faults_end_with_their_signal),
        TEST(a_loop_is_killed_by_the_host),
        TEST(memory_beyond_the_limit_is_refused),
        TEST(threads_and_harmless_calls_are_allowed),
        TEST(kept_files_are_readable),
        TEST(the_mechanisms_are_reported),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
