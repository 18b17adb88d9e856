/* Decodes in workers that inherit limits of their host, or cannot be started. */
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "attack_decodes.h"

/* Less than the arena of a worker: without it, pixels are in memory of their own. */
static void a_limit_of_files_ends_no_process(void) {
    const struct rlimit limit = {16 << 20, 16 << 20};
    sdimage_image *image = NULL;
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
    start_isolation();
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(decode_attack("picture", "", 60000, &image), SDIMAGE_STATUS_OK);
        sdimage_image_unref(image);
        image = NULL;
    }
    /* The input exceeds it. */
    char *bytes = calloc(17, 1 << 20);
    strcpy(bytes, "ATTACK picture\n");
    CHECK_EQUAL(sdimage_decode(bytes, 17 << 20, NULL, &image, NULL), SDIMAGE_STATUS_NO_MEMORY);
    free(bytes);
    CHECK_EQUAL(isolation_counts().started, 1);
    CHECK_EQUAL(isolation_counts().crashes, 0);
}

/* The variable is read while the library is loaded: this process is not limited. */
static void a_worker_has_the_limit_of_kernels(void) {
    sdimage_image *image = NULL;
    CHECK_EQUAL(setenv("SDIMAGE_CPU", "baseline", 1), 0);
    start_isolation();
    CHECK_EQUAL(decode_attack("baseline_picture", "", 60000, &image), SDIMAGE_STATUS_OK);
    sdimage_image_unref(image);
}

/* True after an idle worker was told to free its arena. */
static bool has_no_arena(void *argument) {
    (void)argument;
    for (int i = 3; i < 256; i++) {
        char path[64], target[300];
        snprintf(path, sizeof path, "/proc/self/fd/%d", i);
        ssize_t length = readlink(path, target, sizeof target - 1);
        target[length < 0 ? 0 : length] = 0;
        if (strncmp(target, "/memfd:sdimage", 14) == 0)
            return false;
    }
    return true;
}

/* The decode fails if the host cannot open the descriptors of a worker, and no crash is counted. */
static void a_full_table_of_descriptors_is_no_crash(void) {
    struct rlimit limit, lower;
    sdimage_image *image = NULL;
    start_isolation();
    CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
    lower = limit;
    /* The host keeps a second descriptor of an arena. */
    for (rlim_t room = 0; room < 3; room++) {
        CHECK_EQUAL(decode_attack("picture", "", 60000, &image), SDIMAGE_STATUS_OK);
        sdimage_image_unref(image);
        image = NULL;
        CHECK(becomes_true(has_no_arena, NULL));
        int next = dup(STDIN_FILENO);
        close(next);
        lower.rlim_cur = (rlim_t)next + room;
        CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &lower), 0);
        sdimage_status status = decode_attack("picture", "", 60000, &image);
        CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
        CHECK_EQUAL(status, room < 2 ? SDIMAGE_STATUS_NO_MEMORY : SDIMAGE_STATUS_OK);
    }
    sdimage_image_unref(image);
    CHECK_EQUAL(isolation_counts().crashes, 0);
}

static rlim_t address_space(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    CHECK(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Less than the arena of a worker: the host reads it instead. */
static void a_limit_of_address_space_does_not_end_workers(void) {
    struct rlimit limit;
    sdimage_image *image = NULL;
    start_isolation();
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(decode_attack("picture", "", 60000, &image), SDIMAGE_STATUS_OK);
        CHECK(((const unsigned char *)sdimage_image_pixels(image))[0] == ATTACK_BYTE);
        sdimage_image_unref(image);
        image = NULL;
        if (i > 0)
            continue;
        sdimage_isolation_end_idle();
        CHECK_EQUAL(getrlimit(RLIMIT_AS, &limit), 0);
        limit.rlim_cur = address_space() + (200 << 20);
        CHECK_EQUAL(setrlimit(RLIMIT_AS, &limit), 0);
    }
    CHECK_EQUAL(isolation_counts().started, 2);
    CHECK_EQUAL(isolation_counts().crashes, 0);
}

static void write_script(const char *path, const char *text) {
    FILE *script = fopen(path, "we");
    CHECK(script != NULL && fputs(text, script) >= 0);
    CHECK_EQUAL(fclose(script), 0);
    CHECK_EQUAL(chmod(path, 0700), 0);
}

/* Decodes with the fallback, whose attacks would end this process. */
static sdimage_status decode_here(const char *attack) {
    sdimage_image *image = NULL;
    sdimage_status status = decode_attack(attack, "", 60000, &image);
    sdimage_image_unref(image);
    return status;
}

static void this_process_decodes_only_where_no_worker_can_be_started(void) {
    struct rlimit limit, lower;
    char program[300], decoder[PATH_MAX];
    snprintf(program, sizeof program, "%s/decoder", temporary_folder());
    CHECK(realpath("build/install/libexec/sdimage/sdimage-decoder", decoder) != NULL);
    CHECK_EQUAL(setenv("SDIMAGE_DECODER_PATH", program, 1), 0);
    start_isolation();
    sdimage_set_isolation_fallback(true);
    /* A worker that is killed before it is ready. */
    write_script(program, "#!/bin/sh\nkill -9 $$\n");
    CHECK_EQUAL(decode_here("picture"), SDIMAGE_STATUS_DECODER_CRASHED);
    CHECK_EQUAL(unlink(program), 0);
    /* One that ends as by a system call that is forbidden to it here. */
    write_script(program, "#!/bin/sh\nkill -SYS $$\n");
    CHECK_EQUAL(decode_here("picture"), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(unlink(program), 0);
    /* A program that is no decoder. */
    CHECK_EQUAL(symlink("/bin/true", program), 0);
    CHECK_EQUAL(decode_here("picture"), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(unlink(program), 0);
    CHECK_EQUAL(symlink(decoder, program), 0);
    CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
    lower = limit;
    lower.rlim_cur = STDERR_FILENO + 1;
    CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &lower), 0);
    CHECK_EQUAL(decode_here("picture"), SDIMAGE_STATUS_NO_MEMORY);
    CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
    /* A worker that had decoded another image is lost, and no other can be started. */
    CHECK_EQUAL(decode_here("picture"), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(isolation_counts().started, 1);
    CHECK_EQUAL(unlink(program), 0);
    CHECK_EQUAL(decode_here("abort"), SDIMAGE_STATUS_UNSUPPORTED);
    CHECK_EQUAL(decode_here("picture"), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(isolation_counts().started, 1);
}

int main(void) {
    static const test tests[] = {
        TEST(a_limit_of_files_ends_no_process),
        TEST(a_worker_has_the_limit_of_kernels),
        TEST(a_full_table_of_descriptors_is_no_crash),
        TEST(a_limit_of_address_space_does_not_end_workers),
        TEST(this_process_decodes_only_where_no_worker_can_be_started),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
