/* check.h: a test is a function that runs in a process of its own. So each starts with an unused library, and a
 * crash or a hang is the failure of one test. */
#ifndef SDIMAGE_TESTS_CHECK_H
#define SDIMAGE_TESTS_CHECK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sdimage.h>
#include <sdimage/sys.h>

typedef struct test {
    const char *name;
    void (*run)(void);
} test;

#define TEST(function)                                                                                                 \
    { #function, function }

/* 1 in a build with ThreadSanitizer (Tests/races/run). */
#if defined(__SANITIZE_THREAD__)
#define HAS_THREAD_SANITIZER 1
#elif defined(__has_feature)
#define HAS_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#define HAS_THREAD_SANITIZER 0
#endif

/* Time limit of a test in seconds, which only ends a hang: the longest takes five seconds of processor time, and other
 * processes may leave it a hundredth of the processors. FAILED is the exit status of a test that has printed its
 * failure. */
enum { LONGEST_TEST_SECONDS = HAS_THREAD_SANITIZER ? 1800 : 600, FAILED_WITH_REASON = 77 };

/* The name of the test of this process. */
const char *running_test(void);

/* Runs each test in a child process; prints `ok NAME` or `not ok NAME: WHY`. Returns the exit status of the program. */
int run_tests(const test *tests, size_t count);

/* Fails and ends the test unless the condition holds. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            fail_test(__FILE__, __LINE__, "%s", #condition);                                                           \
    } while (0)

/* The same for two numbers; prints both on failure. */
#define CHECK_EQUAL(left, right)                                                                                       \
    do {                                                                                                               \
        long long check_left = (long long)(left), check_right = (long long)(right);                                    \
        if (check_left != check_right)                                                                                 \
            fail_test(__FILE__, __LINE__, "%s is %lld, not %lld", #left, check_left, check_right);                     \
    } while (0)

/* The same for a number with an upper limit. */
#define CHECK_AT_MOST(value, limit)                                                                                    \
    do {                                                                                                               \
        long long check_value = (long long)(value), check_limit = (long long)(limit);                                  \
        if (check_value > check_limit)                                                                                 \
            fail_test(__FILE__, __LINE__, "%s is %lld, limit %lld", #value, check_value, check_limit);                 \
    } while (0)

_Noreturn void fail_test(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Waits up to a minute until `condition(argument)` is true, for changes without an event, such as the end of a library
 * thread. */
bool becomes_true(bool (*condition)(void *argument), void *argument);

/* Lets the process allocate at most this many more bytes; memory that is not used yet counts, too. */
void limit_memory(size_t bytes);

/* Number of threads and of open descriptors of this process. */
size_t thread_count(void);
size_t descriptor_count(void);

/* Conditions for becomes_true: `count` is a size_t that the number of threads, or of open descriptors, does not exceed.
 * A thread that was joined counts until the kernel has removed it. */
bool has_no_more_threads(void *count);
bool has_no_more_descriptors(void *count);

/* A new folder, removed with its contents when the test ends. */
const char *temporary_folder(void);

/* Writes a file in that folder; returns its file: URL in static memory, a ring of eight. */
const char *file_url_with(const char *name, const void *bytes, size_t length);

/* Counts its calls: `user_data` is an atomic_int. */
void count_destroy(void *user_data);

/* A gate: threads wait until it was opened `count` times. */
typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int opened;
} gate;
#define GATE_CLOSED                                                                                                    \
    { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 }
void gate_open(gate *gate);
void gate_wait(gate *gate, int count);

/* The usual objects; each call is checked. A manager has a memory-only cache, or none. */
sdimage_manager *new_manager(sdimage_dispatcher *dispatcher, sdimage_loader *loader, bool has_cache);
sdimage_request *new_request(const char *url);
/* Returns the image of a key in memory, which the caller must unref; NULL when there is none. */
sdimage_image *memory_image(const sdimage_cache *cache, const void *key, size_t length);
sdimage_data *new_data(const void *bytes, size_t length);

/* A value of sdimage_frame_budget_statistics_to_json; -1 for an unknown name. */
long frame_statistic(const char *name);

/* Bytes of pixel memory in use, by the library's own metrics. It counts blocks of 16 KiB and more. */
long live_pixel_bytes(void);

/* Images small enough to be embedded. */
extern const unsigned char png_2x2[75];
extern const unsigned char png_30000x30000[74];
extern const unsigned char gif_1x1[43];
#define PNG_DATA_URL                                                                                                   \
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR42mP4z8DAAMIM/4EAAB/uBfvx"           \
    "q7p3AAAAAElFTkSuQmCC"
#define GIF_DATA_URL "data:image/gif;base64,R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="

#endif
