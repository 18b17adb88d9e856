/* Isolated decodes of images that attack: each fails with its status, and changes nothing in the host. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attack_decodes.h"
#include "attacks.h"

static atomic_int child_signals;

static void count_signal(int signal) {
    (void)signal;
    atomic_fetch_add(&child_signals, 1);
}

static void start(void) {
    struct sigaction action = {.sa_handler = count_signal};
    CHECK_EQUAL(sigaction(SIGCHLD, &action, NULL), 0);
    start_isolation();
}

/* Decodes an image that runs the attack, within a time limit; checks the pixels of a result. */
static sdimage_status decode(const char *attack, uint32_t limit_ms) {
    sdimage_image *image = NULL;
    sdimage_status status = decode_attack(attack, "", limit_ms, &image);
    if (image != NULL) {
        CHECK_EQUAL(sdimage_image_width(image), ATTACK_SIDE);
        CHECK_EQUAL(*(const uint8_t *)sdimage_image_pixels(image), ATTACK_BYTE);
        sdimage_image_unref(image);
    }
    return status;
}

static void expect_status(const char *attack, uint32_t limit_ms, sdimage_status expected) {
    sdimage_status status = decode(attack, limit_ms);
    if (status != expected)
        fail_test(__FILE__, __LINE__, "%s: %s, not %s", attack, sdimage_status_name(status),
                  sdimage_status_name(expected));
    CHECK_EQUAL(decode("picture", 60000), SDIMAGE_STATUS_OK);
}

static void each_forbidden_call_fails_its_decode_only(void) {
    start();
    for (size_t i = 0; i < forbidden_call_count; i++)
        expect_status(forbidden_calls[i].name, 60000, SDIMAGE_STATUS_DECODER_CRASHED);
}

static void each_fault_fails_its_decode_only(void) {
    static const char *const crashes[] = {"abort",
                                          "read_null",
                                          "trap",
                                          "overflow_stack",
                                          "exit_process",
                                          "fork_bomb",
                                          "send_noise",
                                          "send_garbage",
                                          "send_descriptors",
                                          "send_empty_message",
                                          "allocate_or_abort",
                                          "close_socket",
                                          "fill_socket"};
    start();
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        expect_status(crashes[i], 60000, SDIMAGE_STATUS_DECODER_CRASHED);
}

static void work_ends_at_its_time_limit(void) {
    start();
    expect_status("loop", 200, SDIMAGE_STATUS_TIMEOUT);
    expect_status("sleep_forever", 200, SDIMAGE_STATUS_TIMEOUT);
    expect_status("start_threads", 1000, SDIMAGE_STATUS_TIMEOUT);
}

static void memory_beyond_the_limit_is_too_large(void) {
    start();
    expect_status("allocate", 60000, SDIMAGE_STATUS_TOO_LARGE);
    expect_status("fill_memory", 60000, SDIMAGE_STATUS_TOO_LARGE);
}

/* A worker that sends after its reply is not used again: another is started once the message has come. */
static void late_messages_do_no_harm(void) {
    start();
    for (int i = 0; i < 5; i++) {
        CHECK_EQUAL(decode("send_after_reply", 60000), SDIMAGE_STATUS_OK);
        const uint64_t started = isolation_counts().started;
        const time_t end = time(NULL) + 60;
        do {
            CHECK_EQUAL(decode("picture", 60000), SDIMAGE_STATUS_OK);
            CHECK(time(NULL) < end);
        } while (isolation_counts().started == started);
    }
}

/* The time before the decode asks for a worker counts, too: on a busy machine some of the limit is left. */
enum { LOOP_LIMIT_MS = 1500 };

static void *decode_loop(void *argument) {
    CHECK_EQUAL(decode("loop", LOOP_LIMIT_MS), SDIMAGE_STATUS_TIMEOUT);
    return argument;
}

/* The limit of a decode that waits for a worker begins when it has one: each decode ends by killing its worker. */
static void waiting_for_a_worker_is_no_work(void) {
    const long count = 4 * sysconf(_SC_NPROCESSORS_ONLN) < 64 ? 4 * sysconf(_SC_NPROCESSORS_ONLN) : 64;
    pthread_t threads[64];
    start();
    for (long i = 0; i < count; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, decode_loop, NULL), 0);
    for (long i = 0; i < count; i++)
        CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
    CHECK_EQUAL(isolation_counts().timeouts, (uint64_t)count);
    CHECK_EQUAL(isolation_counts().kills, (uint64_t)count);
}

/* The attempt in a worker that decoded another image before does not count: the second one has the whole limit. */
static void an_attempt_in_a_used_worker_is_no_work(void) {
    struct timespec begin, end;
    start();
    CHECK_EQUAL(decode("picture", 60000), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(clock_gettime(CLOCK_MONOTONIC, &begin), 0);
    CHECK_EQUAL(decode("abort_if_used", 10000), SDIMAGE_STATUS_TIMEOUT);
    CHECK_EQUAL(clock_gettime(CLOCK_MONOTONIC, &end), 0);
    CHECK_EQUAL(isolation_counts().crashes, 1);
    /* The second that the first attempt takes, and the limit; half a second is the precision of both. */
    CHECK((end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000 >= 10500);
}

/* Neither a worker nor its keeper is left when sdimage_isolation_end_idle returns. */
static void killed_workers_end_before_end_idle_returns(void) {
    start();
    for (int i = 0; i < 10; i++) {
        CHECK_EQUAL(decode("loop", 50), SDIMAGE_STATUS_TIMEOUT);
        sdimage_isolation_end_idle();
        CHECK_EQUAL(isolation_counts().running, 0);
        CHECK_EQUAL(waitpid(-1, NULL, __WALL | WNOHANG), -1);
        CHECK_EQUAL(errno, ECHILD);
    }
}

static void nothing_is_left_in_the_host(void) {
    static const char *const attacks[] = {"abort", "open_file", "send_descriptors", "exit_process", "picture"};
    start();
    CHECK_EQUAL(decode("picture", 60000), SDIMAGE_STATUS_OK);
    sdimage_isolation_end_idle();
    size_t descriptors = descriptor_count(), threads = thread_count();
    for (int i = 0; i < 50; i++)
        decode(attacks[i % 5], 60000);
    sdimage_isolation_end_idle();
    /* The thread of idle workers may close a descriptor later. */
    CHECK(becomes_true(has_no_more_descriptors, &descriptors));
    CHECK(becomes_true(has_no_more_threads, &threads));
    CHECK_EQUAL(child_signals, 0);
    CHECK_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_EQUAL(errno, ECHILD);
}

static void an_image_that_crashes_twice_is_refused(void) {
    start();
    sdimage_isolation_statistics before = {.size = sizeof before}, after = before;
    for (int i = 0; i < 2; i++)
        CHECK_EQUAL(sdimage_decode("ATTACK abort\n", 13, NULL, &(sdimage_image *){NULL}, NULL),
                    SDIMAGE_STATUS_DECODER_CRASHED);
    CHECK_EQUAL(sdimage_isolation_get_statistics(&before, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_decode("ATTACK abort\n", 13, NULL, &(sdimage_image *){NULL}, NULL),
                SDIMAGE_STATUS_DECODER_CRASHED);
    CHECK_EQUAL(sdimage_isolation_get_statistics(&after, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(before.crashes, 2);
    CHECK_EQUAL(after.crashes, 2);
    CHECK_EQUAL(after.refused, before.refused + 1);
    CHECK_EQUAL(after.started, before.started);
}

/* Opens the cache of the folder, which holds the records of crashes. */
static void open_cache(const char *folder) {
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache *cache = NULL;
    sdimage_cache_config_set_directory(config, folder);
    sdimage_cache_config_set_namespace(config, "shared");
    sdimage_cache_config_set_modes(config, 0750, 0640);
    CHECK_EQUAL(sdimage_cache_new(config, &cache, NULL), SDIMAGE_STATUS_OK);
    sdimage_data *data = new_data("x", 1);
    CHECK_EQUAL(sdimage_cache_store_data(cache, "key", 3, data, NULL), SDIMAGE_STATUS_OK);
}

/* Decodes an image that crashes, in a process that has opened the cache of the folder. Returns 1 if a worker was
 * started for it, and 0 if it was refused. */
static int decode_in_process(const char *folder, const char *bytes) {
    pid_t child = fork();
    if (child == 0) {
        start();
        open_cache(folder);
        CHECK_EQUAL(sdimage_decode(bytes, strlen(bytes), NULL, &(sdimage_image *){NULL}, NULL),
                    SDIMAGE_STATUS_DECODER_CRASHED);
        sdimage_isolation_statistics counts = isolation_counts();
        CHECK(counts.refused + counts.crashes == 1);
        _exit(counts.crashes ? 1 : 0);
    }
    int status = 0;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
    return WEXITSTATUS(status);
}

/* True for the name of a record of an image, which is its digest; others are named by lengths. */
static bool is_record(const char *name) {
    return strlen(name) == 64;
}

/* Sets the times of all records; returns the number of images, and the path of the last one. */
static int change_times(const char *records, time_t seconds, char path[700]) {
    const struct timespec times[] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    DIR *stream = opendir(records);
    int count = 0;
    CHECK(stream != NULL);
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        char each[700];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(each, sizeof each, "%s/%s", records, entry->d_name);
        CHECK_EQUAL(utimensat(AT_FDCWD, each, times, 0), 0);
        if (is_record(entry->d_name))
            strcpy(path, each), count++;
    }
    closedir(stream);
    return count;
}

static void processes_with_one_cache_share_the_images_that_crash(void) {
    const char *folder = temporary_folder();
    char records[300], path[700], other[300];
    struct stat status;
    snprintf(records, sizeof records, "%s/shared/v1/crashes", folder);
    CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nshared"), 1);
    CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nshared"), 1);
    CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nshared"), 0);
    CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nanother"), 1);
    /* The clock of a file server is a little ahead. */
    CHECK_EQUAL(change_times(records, time(NULL) + 30, path), 2);
    CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nshared"), 0);
    /* Records of the future refuse nothing: the clock was set back. */
    CHECK_EQUAL(change_times(records, time(NULL) + 86400, path), 2);
    CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nshared"), 1);
    CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nshared"), 1);
    CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nshared"), 0);
    /* Records of five minutes ago refuse nothing, and the next crash removes those of other images. */
    CHECK_EQUAL(change_times(records, time(NULL) - 301, path), 1);
    CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nshared"), 1);
    CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nanother"), 1);
    CHECK_EQUAL(change_times(records, time(NULL) - 301, path), 2);
    CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nshared"), 1);
    CHECK_EQUAL(change_times(records, time(NULL), path), 1);
    CHECK_EQUAL(stat(path, &status), 0);
    CHECK_EQUAL(status.st_size, 1);
    CHECK_EQUAL(status.st_mode & 0777, 0640);
    CHECK_EQUAL(stat(records, &status), 0);
    CHECK_EQUAL(status.st_mode & 0777, 0750);
    /* The earliest time that a file system can store. */
    CHECK_EQUAL(change_times(records, INT64_MIN, path), 1);
    CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nshared"), 1);
    /* A link in place of a record, to a file of two bytes, refuses nothing. */
    snprintf(other, sizeof other, "%s/other", folder);
    CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nshared"), 1);
    CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nshared"), 0);
    CHECK_EQUAL(rename(path, other), 0);
    CHECK_EQUAL(symlink(other, path), 0);
    CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nshared"), 1);
    CHECK_EQUAL(stat(other, &status), 0);
    CHECK_EQUAL(status.st_size, 2);
    /* Something else in place of the folder. */
    snprintf(path, sizeof path, "rm -r %s && echo text >%s", records, records);
    CHECK_EQUAL(system(path), 0);
    for (int i = 0; i < 3; i++)
        CHECK_EQUAL(decode_in_process(folder, "ATTACK abort\nshared"), 1);
}

enum { PROCESSES = 6, CRASHING_IMAGES = 5 };

static int crashing_image(int number, char bytes[64]) {
    return snprintf(bytes, 64, "ATTACK abort\nimage %d", number);
}

/* Decodes all images when the pipe is closed; returns the number of crashes as its exit status. */
static pid_t start_crashing(const char *folder, const int gate[2]) {
    pid_t child = fork();
    if (child != 0)
        return child;
    char byte, bytes[64];
    close(gate[1]);
    start();
    open_cache(folder);
    CHECK_EQUAL(read(gate[0], &byte, 1), 0);
    for (int i = 0; i < CRASHING_IMAGES; i++)
        CHECK_EQUAL(sdimage_decode(bytes, (size_t)crashing_image(i, bytes), NULL, &(sdimage_image *){NULL}, NULL),
                    SDIMAGE_STATUS_DECODER_CRASHED);
    _exit((int)isolation_counts().crashes);
}

/* Every crash is one byte of a record. */
static int recorded_crashes(const char *records) {
    DIR *stream = opendir(records);
    int count = 0;
    CHECK(stream != NULL);
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        struct stat status;
        if (is_record(entry->d_name) && fstatat(dirfd(stream), entry->d_name, &status, 0) == 0)
            count += (int)status.st_size;
    }
    closedir(stream);
    return count;
}

static void processes_record_crashes_at_the_same_time(void) {
    const char *folder = temporary_folder();
    char records[300], bytes[64];
    int gate[2], crashes = 0;
    pid_t children[PROCESSES];
    CHECK_EQUAL(pipe2(gate, O_CLOEXEC), 0);
    for (int i = 0; i < PROCESSES; i++)
        children[i] = start_crashing(folder, gate);
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        CHECK_EQUAL(waitpid(children[i], &status, 0), children[i]);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) <= CRASHING_IMAGES);
        crashes += WEXITSTATUS(status);
    }
    CHECK(crashes >= 2 * CRASHING_IMAGES);
    snprintf(records, sizeof records, "%s/shared/v1/crashes", folder);
    CHECK_EQUAL(recorded_crashes(records), crashes);
    for (int i = 0; i < CRASHING_IMAGES; i++) {
        crashing_image(i, bytes);
        CHECK_EQUAL(decode_in_process(folder, bytes), 0);
    }
}

static sdimage_image *draw(const char *text, sdimage_isolation isolation) {
    char drawing[300];
    sdimage_image *image = NULL;
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_isolation(options, isolation);
    int length = snprintf(drawing, sizeof drawing,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"96\" height=\"40\">%s</svg>", text);
    CHECK_EQUAL(sdimage_decode(drawing, (size_t)length, options, &image, NULL), SDIMAGE_STATUS_OK);
    sdimage_decode_options_unref(options);
    return image;
}

static bool has_equal_pixels(const sdimage_image *a, const sdimage_image *b) {
    const size_t size = sdimage_image_stride(a) * sdimage_image_height(a);
    return memcmp(sdimage_image_pixels(a), sdimage_image_pixels(b), size) == 0;
}

/* Also with fonts that nothing has drawn before the sandbox (ciso_keep_fonts). */
static void text_is_drawn_with_the_fonts_of_the_system(void) {
    static const char *const families[] = {"serif", "sans-serif", "monospace"};
    CHECK_EQUAL(sdimage_plugins_load_all(NULL, NULL), SDIMAGE_STATUS_OK);
    sdimage_image *empty = draw("", SDIMAGE_ISOLATION_ALL);
    for (int i = 0; i < 3; i++) {
        char text[150];
        snprintf(text, sizeof text, "<text y=\"30\" font-size=\"24\" font-family=\"%s\" font-weight=\"%s\">Ag%d</text>",
                 families[i], i == 0 ? "bold" : "normal", i);
        sdimage_image *here = draw(text, SDIMAGE_ISOLATION_NONE), *isolated = draw(text, SDIMAGE_ISOLATION_ALL);
        CHECK(has_equal_pixels(here, isolated));
        CHECK(!has_equal_pixels(empty, isolated));
        sdimage_image_unref(here);
        sdimage_image_unref(isolated);
    }
    sdimage_image_unref(empty);
    CHECK_EQUAL(isolation_counts().crashes, 0);
}

/* True if the metrics of the process have the line. */
static bool has_metric(const char *line) {
    sdimage_data *text = NULL;
    CHECK_EQUAL(sdimage_metrics(&text, NULL), SDIMAGE_STATUS_OK);
    bool found = memmem(sdimage_data_bytes(text), sdimage_data_length(text), line, strlen(line)) != NULL;
    sdimage_data_unref(text);
    return found;
}

static void workers_appear_in_metrics_and_diagnosis(void) {
    sdimage_diagnosis *diagnosis = NULL;
    start();
    CHECK(has_metric("\nsdimage_decoder_starts_total 0\n"));
    CHECK_EQUAL(decode("picture", 60000), SDIMAGE_STATUS_OK);
    CHECK(has_metric("\nsdimage_decoder_starts_total 1\n"));
    CHECK(has_metric("\nsdimage_decoder_processes 1\n"));
    CHECK(has_metric("\nsdimage_decoder_calls_total 1\n"));
    CHECK_EQUAL(decode("loop", LOOP_LIMIT_MS), SDIMAGE_STATUS_TIMEOUT);
    CHECK(has_metric("\nsdimage_decoder_failures_total{reason=\"timeout\"} 1\n"));
    CHECK(has_metric("\nsdimage_decoder_kills_total 1\n"));
    CHECK_EQUAL(decode("abort", 60000), SDIMAGE_STATUS_DECODER_CRASHED);
    CHECK(!has_metric("\nsdimage_decoder_failures_total{reason=\"crash\"} 0\n"));
    CHECK_EQUAL(sdimage_diagnosis_new(&diagnosis, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_diagnosis_isolation(diagnosis), SDIMAGE_ISOLATION_RISKY);
    const char *path = sdimage_diagnosis_decoder_path(diagnosis);
    CHECK(path != NULL && strstr(path, "/sdimage-decoder") != NULL);
    sdimage_data *json = NULL, *counts = NULL;
    CHECK_EQUAL(sdimage_diagnosis_to_json(diagnosis, &json, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_isolation_statistics_to_json(&counts, NULL), SDIMAGE_STATUS_OK);
    CHECK(memmem(sdimage_data_bytes(counts), sdimage_data_length(counts), "\"kills\": 1,", 11) != NULL);
    CHECK(memmem(sdimage_data_bytes(json), sdimage_data_length(json), sdimage_data_bytes(counts),
                 sdimage_data_length(counts)) != NULL);
    sdimage_data_unref(json);
    sdimage_data_unref(counts);
    sdimage_diagnosis_unref(diagnosis);
}

int main(void) {
    static const test tests[] = {
        TEST(each_forbidden_call_fails_its_decode_only),
        TEST(each_fault_fails_its_decode_only),
        TEST(work_ends_at_its_time_limit),
        TEST(waiting_for_a_worker_is_no_work),
        TEST(an_attempt_in_a_used_worker_is_no_work),
        TEST(killed_workers_end_before_end_idle_returns),
        TEST(memory_beyond_the_limit_is_too_large),
        TEST(late_messages_do_no_harm),
        TEST(nothing_is_left_in_the_host),
        TEST(an_image_that_crashes_twice_is_refused),
        TEST(processes_with_one_cache_share_the_images_that_crash),
        TEST(processes_record_crashes_at_the_same_time),
        TEST(text_is_drawn_with_the_fonts_of_the_system),
        TEST(workers_appear_in_metrics_and_diagnosis),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
