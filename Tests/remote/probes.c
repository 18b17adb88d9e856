/* probes.c: probes of servers that failed, where no thread can be started. Built from the plug-ins' own source. */
#include <errno.h>

#include "check.h"
#include "threads.h"

static bool refuses_threads;

/* Takes the place of the function of the C library. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    (void)attributes, (void)body, (void)argument;
    *thread = pthread_self();
    return refuses_threads ? EAGAIN : 0;
}

int pthread_detach(pthread_t thread) {
    (void)thread;
    return 0;
}

int pthread_setname_np(pthread_t thread, const char *name) {
    (void)thread, (void)name;
    return 0;
}

/* Otherwise the next look-up would wait for the outcome of a probe that nothing sends. */
static void aProbeWithoutAThreadIsSentByTheNextLookUp(void) {
    static tier tier = {.options = {.prefix = "test", .connections = 2}, .breaker = {.is_open = true}};
    for (int i = 0; i < 2; i++) {
        refuses_threads = i == 0;
        CHECK_EQUAL(sdremote_breaker_permit(&tier.breaker, 1), SDREMOTE_PROBE);
        sdremote_probe(&tier);
        CHECK_EQUAL(tier.breaker.is_probing, !refuses_threads);
        CHECK_EQUAL(tier.lookups.first != NULL, !refuses_threads);
    }
    sdremote_job_free(sdremote_pop(&tier.lookups));
}

int main(void) {
    static const test tests[] = {TEST(aProbeWithoutAThreadIsSentByTheNextLookUp)};
    return run_tests(tests, sizeof tests / sizeof *tests);
}
