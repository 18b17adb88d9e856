/* measure.c: measures durations by repetition, on one thread or on several (see measure.h). */
#include "measure.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

/* Limit of the threads; shortest time of a sample: shorter runs are measured in batches. */
enum { MOST_THREADS = 256, SHORTEST_SAMPLE_NS = 50000 };

uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

unsigned processor_count(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

uint64_t peak_memory(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

/* For qsort: times in ascending order. */
static int by_size(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Nanoseconds of one run, as the mean of `batch` runs; 0 on failure. */
static uint64_t sample(bool (*run)(void *subject), void *subject, uint64_t batch) {
    uint64_t start = now_ns();
    for (uint64_t i = 0; i < batch; i++) {
        if (!run(subject))
            return 0;
    }
    uint64_t elapsed = (now_ns() - start) / batch;
    /* 0 stands for a failure. */
    return elapsed ? elapsed : 1;
}

bool measure_runs(bool (*run)(void *subject), void *subject, const measure_plan *plan, measure *result) {
    uint64_t *samples = calloc(plan->most, sizeof *samples), first = 1, batch = 1;
    uint32_t count = 0;
    bool is_fine = samples && (!plan->is_warmed || (first = sample(run, subject, 1)) > 0);
    /* Reading the clock takes some tens of nanoseconds itself. */
    if (plan->is_warmed && first < SHORTEST_SAMPLE_NS)
        batch = SHORTEST_SAMPLE_NS / first + 1;
    uint64_t end = now_ns() + (uint64_t)(plan->seconds * 1e9);
    while (is_fine && count < plan->most && (count < plan->least || now_ns() < end))
        is_fine = (samples[count++] = sample(run, subject, batch)) > 0;
    if (is_fine && count) {
        qsort(samples, count, sizeof *samples, by_size);
        *result = (measure){count * batch, samples[count / 2], samples[0]};
    }
    free(samples);
    return is_fine;
}

/* --- Threads. */

/* The state that all threads share. `runs` and `amount` are sums over all of them. */
typedef struct thread_group {
    uint64_t (*run)(void *subject, unsigned thread, unsigned round);
    void *subject;
    uint64_t end;
    atomic_uint_fast64_t runs, amount;
    atomic_bool has_failed;
} thread_group;

typedef struct worker {
    thread_group *group;
    unsigned number;
    pthread_t thread;
} worker;

/* The body of a thread: at least one run, then runs until the end or a failure of any thread. */
static void *work(void *argument) {
    worker *worker = argument;
    thread_group *group = worker->group;
    for (unsigned round = 0; (!round || now_ns() < group->end) && !atomic_load(&group->has_failed); round++) {
        uint64_t amount = group->run(group->subject, worker->number, round);
        if (!amount)
            atomic_store(&group->has_failed, true);
        atomic_fetch_add(&group->runs, 1);
        atomic_fetch_add(&group->amount, amount);
    }
    return NULL;
}

bool measure_threads(uint64_t (*run)(void *subject, unsigned thread, unsigned round), void *subject, unsigned threads,
                     double seconds, throughput *throughput) {
    worker workers[MOST_THREADS];
    uint64_t start = now_ns();
    thread_group group = {.run = run, .subject = subject, .end = start + (uint64_t)(seconds * 1e9)};
    unsigned started = 0;
    for (; started < threads && started < MOST_THREADS; started++) {
        workers[started] = (worker){.group = &group, .number = started};
        if (pthread_create(&workers[started].thread, NULL, work, &workers[started]))
            break;
    }
    /* The others need not measure on: the throughput would be that of fewer threads. */
    if (started < threads)
        atomic_store(&group.has_failed, true);
    for (unsigned i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    /* Until the last thread has ended, because its last run counts. */
    double elapsed = (double)(now_ns() - start) / 1e9;
    throughput->runs = (double)atomic_load(&group.runs) / elapsed;
    throughput->amount = (double)atomic_load(&group.amount) / elapsed;
    return started > 0 && !atomic_load(&group.has_failed);
}
