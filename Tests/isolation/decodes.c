/* Isolated decodes of images that attack: each fails with its status, and changes nothing in the host. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "attack_coder.h"
#include "attacks.h"
#include "check.h"

static atomic_int child_signals;

static void count_signal(int signal) {
    (void)signal;
    atomic_fetch_add(&child_signals, 1);
}

static void start_isolation(void) {
    sdimage_coder *coder = NULL;
    struct sigaction action = {.sa_handler = count_signal};
    CHECK_EQUAL(sigaction(SIGCHLD, &action, NULL), 0);
    find_attack_module();
    CHECK_EQUAL(sdimage_attack_coder_new(&coder, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_coder_register(coder, NULL), SDIMAGE_STATUS_OK);
    sdimage_coder_unref(coder);
    sdimage_set_isolation(SDIMAGE_ISOLATION_RISKY);
}

/* Decodes an image that runs the attack, within a time limit; checks the pixels of a result. */
static sdimage_status decode(const char *attack, uint32_t limit_ms) {
    static atomic_int count;
    char text[200];
    sdimage_image *image = NULL;
    sdimage_decode_options *options = sdimage_decode_options_new();
    CHECK(options != NULL);
    sdimage_decode_options_set_max_work_ms(options, limit_ms);
    /* Equal bytes would be refused after two crashes. */
    int length = snprintf(text, sizeof text, "ATTACK %s\n%d", attack, atomic_fetch_add(&count, 1));
    sdimage_status status = sdimage_decode(text, (size_t)length, options, &image, NULL);
    sdimage_decode_options_unref(options);
    CHECK((status >= 0) == (image != NULL));
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
    start_isolation();
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
    start_isolation();
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        expect_status(crashes[i], 60000, SDIMAGE_STATUS_DECODER_CRASHED);
}

static void work_ends_at_its_time_limit(void) {
    start_isolation();
    expect_status("loop", 200, SDIMAGE_STATUS_TIMEOUT);
    expect_status("sleep_forever", 200, SDIMAGE_STATUS_TIMEOUT);
    expect_status("start_threads", 1000, SDIMAGE_STATUS_TIMEOUT);
}

static void memory_beyond_the_limit_is_too_large(void) {
    start_isolation();
    expect_status("allocate", 60000, SDIMAGE_STATUS_TOO_LARGE);
    expect_status("fill_memory", 60000, SDIMAGE_STATUS_TOO_LARGE);
}

/* A worker that sends after its reply is not used again. */
static void late_messages_do_no_harm(void) {
    start_isolation();
    for (int i = 0; i < 5; i++) {
        CHECK_EQUAL(decode("send_after_reply", 60000), SDIMAGE_STATUS_OK);
        usleep(50000); /* the time of the attack, which waits 20 ms; either order must work */
        CHECK_EQUAL(decode("picture", 60000), SDIMAGE_STATUS_OK);
    }
}

static bool has_descriptors(void *count) {
    return descriptor_count() == *(size_t *)count;
}

static bool has_no_more_threads(void *count) {
    return thread_count() <= *(size_t *)count;
}

static void nothing_is_left_in_the_host(void) {
    static const char *const attacks[] = {"abort", "open_file", "send_descriptors", "exit_process", "picture"};
    start_isolation();
    CHECK_EQUAL(decode("picture", 60000), SDIMAGE_STATUS_OK);
    sdimage_isolation_end_idle();
    size_t descriptors = descriptor_count(), threads = thread_count();
    for (int i = 0; i < 50; i++)
        decode(attacks[i % 5], 60000);
    sdimage_isolation_end_idle();
    CHECK(becomes_true(has_descriptors, &descriptors));
    CHECK(becomes_true(has_no_more_threads, &threads));
    CHECK_EQUAL(child_signals, 0);
    CHECK_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_EQUAL(errno, ECHILD);
}

static void an_image_that_crashes_twice_is_refused(void) {
    start_isolation();
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
    start_isolation();
    CHECK(has_metric("\nsdimage_decoder_starts_total 0\n"));
    CHECK_EQUAL(decode("picture", 60000), SDIMAGE_STATUS_OK);
    CHECK(has_metric("\nsdimage_decoder_starts_total 1\n"));
    CHECK(has_metric("\nsdimage_decoder_processes 1\n"));
    CHECK(has_metric("\nsdimage_decoder_calls_total 1\n"));
    CHECK_EQUAL(decode("loop", 100), SDIMAGE_STATUS_TIMEOUT);
    CHECK(has_metric("\nsdimage_decoder_failures_total{reason=\"timeout\"} 1\n"));
    CHECK(has_metric("\nsdimage_decoder_kills_total 1\n"));
    CHECK_EQUAL(decode("abort", 60000), SDIMAGE_STATUS_DECODER_CRASHED);
    CHECK(!has_metric("\nsdimage_decoder_failures_total{reason=\"crash\"} 0\n"));
    CHECK_EQUAL(sdimage_diagnosis_new(&diagnosis, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_diagnosis_isolation(diagnosis), SDIMAGE_ISOLATION_RISKY);
    const char *path = sdimage_diagnosis_decoder_path(diagnosis);
    CHECK(path != NULL && strstr(path, "/sdimage-decoder") != NULL);
    sdimage_diagnosis_unref(diagnosis);
}

int main(void) {
    static const test tests[] = {
        TEST(each_forbidden_call_fails_its_decode_only),
        TEST(each_fault_fails_its_decode_only),
        TEST(work_ends_at_its_time_limit),
        TEST(memory_beyond_the_limit_is_too_large),
        TEST(late_messages_do_no_harm),
        TEST(nothing_is_left_in_the_host),
        TEST(an_image_that_crashes_twice_is_refused),
        TEST(workers_appear_in_metrics_and_diagnosis),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
