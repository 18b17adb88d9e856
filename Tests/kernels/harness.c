#define _GNU_SOURCE
#include "harness.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h"
#include "sdpx_cpu.h"

/* Usage: kernels [--write FILE | --read FILE | --count] [NAME]

   Runs every test at every SIMD level of the machine and compares the results with those of the baseline, which is
   written to or read from a file to compare it with another machine. --count runs the tests once, for a count of
   instructions. NAME limits the tests to those whose names contain it. */

enum { SLOTS = 64, SLOT = 4 << 20, PAGE = 1 << 16 };

static const char *current_test;
static size_t current_n;

/* --- Memory. */

static uint8_t *slots;
static size_t slot;
static uint64_t seed;
/* Memory begins, instead of ends, at an inaccessible page. */
static int at_start;

static void map_slots(void) {
    slots = mmap(NULL, SLOTS * (SLOT + PAGE) + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slots == MAP_FAILED)
        abort();
    for (size_t i = 0; i <= SLOTS; i++)
        mprotect(slots + i * (SLOT + PAGE), PAGE, PROT_NONE);
}

static uint32_t random_bits(void) {
    seed += 0x9e3779b97f4a7c15u;
    uint64_t v = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
    v = (v ^ v >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(v >> 32);
}

uint32_t random_below(uint32_t limit) {
    return (uint32_t)((uint64_t)random_bits() * limit >> 32);
}

static uint8_t *take(size_t size) {
    if (slot == SLOTS || size > SLOT) {
        fprintf(stderr, "%s: no memory for %zu bytes\n", current_test, size);
        abort();
    }
    uint8_t *start = slots + PAGE + slot++ * (SLOT + PAGE);
    return at_start ? start : start + SLOT - size;
}

void *input(size_t size) {
    uint8_t *memory = take(size);
    size_t i = 0;
    /* Half of the values are extreme, which random ones rarely are. */
    for (; i + 4 <= size; i += 4) {
        uint32_t v = random_bits(), extremes = random_bits(), mask = random_bits() & random_bits();
        for (int k = 0; k < 4; k++)
            if (mask >> 8 * k & 1)
                ((uint8_t *)&v)[k] = extremes >> 8 * k & 1 ? 255 : 0;
        memcpy(memory + i, &v, 4);
    }
    for (; i < size; i++)
        memory[i] = (uint8_t)random_bits();
    return memory;
}

void *output(size_t size) {
    return memset(take(size), 0x5a, size);
}

float *input_floats(size_t count, float low, float high) {
    float *v = (float *)(void *)take(count * sizeof *v);
    for (size_t i = 0; i < count; i++)
        v[i] = low + (high - low) * ((float)random_below(1 << 20) / (1 << 20));
    return v;
}

void *aligned_memory(size_t size) {
    return memset(take((size + 63) / 64 * 64), 0, size);
}

void reuse_memory(void) {
    slot = 0;
}

/* --- Results. */

typedef struct {
    uint8_t *bytes;
    size_t size, room;
} record;

static record reference;
static size_t position;
static int is_recording, differences;

static void append(const void *bytes, size_t size) {
    if (reference.size + size > reference.room) {
        reference.room = 2 * (reference.size + size) + (1 << 20);
        reference.bytes = realloc(reference.bytes, reference.room);
        if (!reference.bytes)
            abort();
    }
    memcpy(reference.bytes + reference.size, bytes, size);
    reference.size += size;
}

static void fail_for_other_tests(void) {
    fprintf(stderr, "harness: the reference has other tests\n");
    exit(2);
}

/* Records the bytes, or returns those of the reference. */
static const void *expected(const void *bytes, size_t size) {
    if (is_recording) {
        append(bytes, size);
        return NULL;
    }
    if (position + size > reference.size)
        fail_for_other_tests();
    position += size;
    return reference.bytes + position - size;
}

static void report(size_t index, double got, double want) {
    if (differences++ < 3)
        fprintf(stderr, "%s, n = %zu, memory %s a guard page: [%zu] is %.9g, expected %.9g\n", current_test, current_n,
                at_start ? "after" : "before", index, got, want);
}

void result8(const uint8_t *samples, size_t count, int distance) {
    const uint8_t *want = expected(samples, count);
    for (size_t i = 0; want && i < count; i++)
        if (abs(samples[i] - want[i]) > distance)
            report(i, samples[i], want[i]);
}

void result(const void *bytes, size_t size) {
    result8(bytes, size, 0);
}

void result16(const uint16_t *samples, size_t count, int distance) {
    const uint8_t *wanted = expected(samples, 2 * count);
    for (size_t i = 0; wanted && i < count; i++) {
        uint16_t want;
        memcpy(&want, wanted + 2 * i, sizeof want);
        if (abs(samples[i] - want) > distance)
            report(i, samples[i], want);
    }
}

void result_floats(const float *values, size_t count, float distance) {
    const uint8_t *wanted = expected(values, 4 * count);
    for (size_t i = 0; wanted && i < count; i++) {
        float want;
        memcpy(&want, wanted + 4 * i, sizeof want);
        if (!(fabsf(values[i] - want) <= distance * fmaxf(1, fabsf(want))) && !(isnan(values[i]) && isnan(want)))
            report(i, values[i], want);
    }
}

void result_number(uint64_t number) {
    result(&number, sizeof number);
}

/* --- Runs. */

/* Rows of every length up to a few vectors, and some that exceed the blocks of kernels. */
static const size_t longer[] = {127, 255, 256, 257, 1009, 4100};
enum { SHORT_ROWS = 68, LENGTHS = SHORT_ROWS + sizeof longer / sizeof *longer };

static const test_entry *const tables[] = {pixel_tests, resize_tests, filter_tests, codec_tests, yuv_tests};

static void run_test(const test_entry *test) {
    current_test = test->name;
    for (size_t i = 0; i < LENGTHS; i++) {
        current_n = i < SHORT_ROWS ? i : longer[i - SHORT_ROWS];
        seed = current_n;
        for (const char *c = test->name; *c; c++)
            seed = seed * 31 + (uint8_t)*c;
        slot = 0;
        test->run(current_n);
    }
}

static int is_selected(const test_entry *test, const char *pattern) {
    return !pattern || strstr(test->name, pattern);
}

/* The results of a test follow their size. */
static void record_test(const test_entry *test) {
    size_t start = reference.size, size = 0;
    append(&size, sizeof size);
    run_test(test);
    size = reference.size - start - sizeof size;
    memcpy(reference.bytes + start, &size, sizeof size);
}

static void record_reference(const char *pattern) {
    is_recording = 1;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const test_entry *test = tables[t]; test->name; test++)
            if (is_selected(test, pattern))
                record_test(test);
    is_recording = 0;
}

/* The end of the results of the next test in the reference, from `position` on. */
static size_t next_end(void) {
    size_t size;
    position += sizeof size;
    if (position > reference.size)
        fail_for_other_tests();
    memcpy(&size, reference.bytes + position - sizeof size, sizeof size);
    return position + size;
}

/* Compares the tests whose names contain both texts with the reference; returns the number that differ. */
static int compare(const char *level, const char *only, const char *pattern) {
    int failures = 0, runs = 0;
    for (at_start = 0; at_start < 2; at_start++) {
        position = 0;
        for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
            for (const test_entry *test = tables[t]; test->name; test++) {
                if (!is_selected(test, pattern))
                    continue;
                size_t end = next_end();
                if (!is_selected(test, only)) {
                    position = end;
                    continue;
                }
                differences = 0;
                runs++;
                run_test(test);
                if (position != end)
                    fail_for_other_tests();
                if (differences > 0)
                    printf("not ok %s: %s: %d values differ\n", level, test->name, differences);
                failures += differences > 0;
            }
    }
    at_start = 0;
    if (runs == 0)
        printf("skip %s: no selected test uses its instructions\n", level);
    else if (failures == 0)
        printf("ok %s: every kernel gives the results of the reference\n", level);
    return failures;
}

/* The variants of the machine: a level, possibly without one of its optional features. One that concerns a single file
   of kernels (Tests/kernels/run checks which) runs the tests whose names contain a text. */
static const struct {
    const char *name;
    unsigned features;
    const char *only;
} variants[] = {
    {"baseline", 0, NULL},
    {"baseline with CRC instructions", SDPX_HAS_CRC, "hashes"},
#if defined(__x86_64__)
    {"avx2", SDPX_HAS_CRC | SDPX_HAS_AVX2, NULL},
    {"avx512", SDPX_HAS_CRC | SDPX_HAS_AVX2 | SDPX_HAS_AVX512, NULL},
    {"avx512 with VNNI", SDPX_HAS_CRC | SDPX_HAS_AVX2 | SDPX_HAS_AVX512 | SDPX_HAS_VNNI, NULL},
#endif
};

static int compare_levels(const char *prefix, const char *pattern) {
    sdpx_cpu_limit(SDPX_CPU_AVX512);
    unsigned available = sdpx_cpu_features;
    int failures = 0;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", prefix, variants[i].name);
        if (variants[i].features & ~available) {
            printf("skip %s: this CPU lacks its instructions\n", name);
            continue;
        }
        sdpx_cpu_features = variants[i].features;
        failures += compare(name, variants[i].only, pattern);
    }
    return failures;
}

static void use_file(const char *path, const char *mode) {
    FILE *file = fopen(path, mode);
    uint8_t block[1 << 16];
    size_t n;
    if (!file)
        abort();
    if (*mode == 'w')
        fwrite(reference.bytes, 1, reference.size, file);
    else
        while ((n = fread(block, 1, sizeof block, file)) > 0)
            append(block, n);
    if (fclose(file))
        abort();
}

/* Prints the seconds of each test: a coarse measure, which includes the harness. */
static void measure(const char *pattern) {
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const test_entry *test = tables[t]; test->name; test++) {
            if (!is_selected(test, pattern))
                continue;
            struct timespec from, to;
            clock_gettime(CLOCK_MONOTONIC, &from);
            reference.size = 0;
            run_test(test);
            clock_gettime(CLOCK_MONOTONIC, &to);
            printf("%9.3f ms %s\n", (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6,
                   test->name);
        }
}

static void report_crash(int signal) {
    printf("not ok %s, n = %zu, memory %s a guard page: signal %d\n", current_test, current_n,
           at_start ? "after" : "before", signal);
    fflush(stdout);
    _exit(1);
}

int main(int count, char **arguments) {
    const char *file = NULL, *mode = "", *pattern = NULL, *prefix = "";
    int counts = 0;
    for (int i = 1; i < count; i++) {
        if (!strcmp(arguments[i], "--count"))
            counts = 1;
        else if (i + 1 < count && !strcmp(arguments[i], "--write"))
            file = arguments[++i], mode = "wb";
        else if (i + 1 < count && !strcmp(arguments[i], "--read"))
            file = arguments[++i], mode = "rb";
        else if (i + 1 < count && !strcmp(arguments[i], "--prefix"))
            prefix = arguments[++i];
        else
            pattern = arguments[i];
    }
    map_slots();
    signal(SIGSEGV, report_crash);
    signal(SIGABRT, report_crash);
    if (counts) {
        is_recording = 1;
        measure(pattern);
        return 0;
    }
    if (*mode == 'r') {
        use_file(file, mode);
    } else {
        sdpx_cpu_features = 0;
        record_reference(pattern);
    }
    if (*mode == 'w')
        use_file(file, mode);
    return compare_levels(prefix, pattern) > 0;
}
