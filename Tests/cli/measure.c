/* measure.c: measurements of the command whose threads the system refuses. Linked with --wrap=pthread_create. */
#include <errno.h>

#include "check.h"
#include "measure.h"

/* Number of threads that can still be started. */
static int left;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    return left-- > 0 ? __real_pthread_create(thread, attributes, body, argument) : EAGAIN;
}

static uint64_t run_once(void *subject, unsigned thread, unsigned round) {
    atomic_int *runs = subject;
    (void)thread, (void)round;
    atomic_fetch_add(runs, 1);
    return 1;
}

static void allThreadsRunOrTheMeasurementFails(void) {
    atomic_int runs = 0;
    throughput throughput;
    left = 3;
    CHECK(measure_threads(run_once, &runs, 3, 0, &throughput));
    CHECK_EQUAL(runs, 3);
    CHECK(throughput.runs > 0 && throughput.amount > 0);
    for (int most = 0; most < 3; most++) {
        left = most;
        CHECK(!measure_threads(run_once, &runs, 3, 0, &throughput));
    }
}

static void aRefusedThreadEndsTheOthers(void) {
    atomic_int runs = 0;
    throughput throughput;
    left = 1;
    /* Longer than a test may take. */
    CHECK(!measure_threads(run_once, &runs, 2, 3600, &throughput));
}

int main(void) {
    static const test tests[] = {
        TEST(allThreadsRunOrTheMeasurementFails),
        TEST(aRefusedThreadEndsTheOthers),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
