/* resources.c: a program's own images: they are stored, removed and decoded once. Each test runs in a process in
 * which no other code removes them. */
#include <sys/stat.h>
#include <sys/wait.h>

#include "check.h"

enum { ASKERS = 4 };

/* A coder of "SLOW", which decodes when `released` is open, and fails while `is_failing`. */
static gate decoding = GATE_CLOSED, released = GATE_CLOSED;
static atomic_int decodes;
static atomic_bool is_failing;

static bool is_slow(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return length == 4 && !memcmp(bytes, "SLOW", 4);
}

static sdimage_status decode_slowly(void *user_data, const void *bytes, size_t length,
                                    const sdimage_decode_options *options, sdimage_image **image,
                                    sdimage_error **error) {
    (void)user_data, (void)length, (void)options;
    atomic_fetch_add(&decodes, 1);
    gate_open(&decoding);
    gate_wait(&released, 1);
    if (atomic_load(&is_failing))
        return SDIMAGE_STATUS_BAD_DATA;
    return sdimage_image_new(1, 1, 4, SDIMAGE_PIXEL_FORMAT_RGBA8, bytes, image, error);
}

static void register_slow_coder(void) {
    sdimage_coder_vtable table = {.size = sizeof table, .can_decode = is_slow, .decode = decode_slowly};
    sdimage_coder *coder = NULL;
    CHECK_EQUAL(sdimage_coder_new_custom("slow", &table, NULL, NULL, &coder, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_coder_register(coder, NULL), SDIMAGE_STATUS_OK);
    sdimage_coder_unref(coder);
}

static sdimage_resources *new_resources(const char *folder) {
    sdimage_resources *resources = NULL;
    CHECK_EQUAL(sdimage_resources_new(folder, NULL, &resources, NULL), SDIMAGE_STATUS_OK);
    return resources;
}

static void write_file(const char *name, const void *bytes, size_t length) {
    file_url_with(name, bytes, length);
}

/* The caller owns a reference. */
static sdimage_image *image_of(sdimage_resources *resources, const char *name) {
    sdimage_image *image = NULL;
    CHECK_EQUAL(sdimage_resources_get_image(resources, name, &image, NULL), SDIMAGE_STATUS_OK);
    return image;
}

static void aNameGivesTheSamePictureUntilItIsForgotten(void) {
    write_file("cat.png", png_2x2, sizeof png_2x2);
    sdimage_resources *resources = new_resources(temporary_folder());
    sdimage_image *first = image_of(resources, "cat");
    CHECK(image_of(resources, "cat") == first);
    CHECK(image_of(resources, "cat.png") == first);
    write_file("cat.png", gif_1x1, sizeof gif_1x1);
    CHECK(image_of(resources, "cat") == first);
    CHECK_EQUAL(sdimage_resources_set_scales(resources, (const double[]){1, 2, 3}, 3, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_resources_set_scales(resources, (const double[]){2, 0.5}, 2, NULL),
                SDIMAGE_STATUS_INVALID_ARGUMENT);
    CHECK(image_of(resources, "cat") == first);
    sdimage_resources_clear(resources);
    sdimage_image *second = image_of(resources, "cat");
    CHECK(second != first);
    CHECK_EQUAL(sdimage_image_width(second), 1);
    CHECK_EQUAL(sdimage_image_width(first), 2);
    CHECK_EQUAL(sdimage_resources_set_scales(resources, (const double[]){2}, 1, NULL), SDIMAGE_STATUS_OK);
    CHECK(image_of(resources, "cat") != second);
    /* Images outlive the object that they came from. */
    CHECK(sdimage_resources_ref(resources) == resources);
    sdimage_resources_unref(resources);
    sdimage_resources_unref(resources);
    CHECK_EQUAL(sdimage_image_width(first), 2);
}

static void memoryThatIsShortForgetsPictures(void) {
    write_file("cat.png", png_2x2, sizeof png_2x2);
    sdimage_resources *gone = new_resources(temporary_folder()), *resources = new_resources(temporary_folder());
    sdimage_resources_unref(gone);
    sdimage_image *first = image_of(resources, "cat");
    sdimage_trim_memory(false);
    CHECK(image_of(resources, "cat") == first);
    sdimage_trim_memory(true);
    CHECK(image_of(resources, "cat") != first);
    CHECK_EQUAL(sdimage_image_width(first), 2);
}

/* --- Threads. */

typedef struct asker {
    pthread_t thread;
    atomic_int number; /* kernel thread id, once it runs */
    sdimage_resources *resources;
    sdimage_image *image;
    sdimage_status status;
} asker;

static void *get_image(void *argument) {
    asker *self = argument;
    atomic_store(&self->number, gettid());
    self->status = sdimage_resources_get_image(self->resources, "cat", &self->image, NULL);
    return NULL;
}

/* Reads the state of a thread from /proc; returns false unless it sleeps. */
static bool is_asleep(int number, char *state, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/status", number);
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(state, 1, size - 1, file) : 0;
    state[length] = 0;
    if (file)
        fclose(file);
    bool sleeps = strstr(state, "State:\tS") != NULL;
    /* Compares the number of context switches, not the memory of the process, which other threads change. */
    const char *switches = strstr(state, "voluntary_ctxt_switches");
    memmove(state, switches ? switches : "", switches ? strlen(switches) + 1 : 1);
    return sleeps;
}

/* Twenty samples in a row without any activity of the thread. */
static bool sleeps_on(void *argument) {
    asker *one = argument;
    char now[4096], last[4096] = "";
    for (int i = 0; i < 20; i++) {
        if (!atomic_load(&one->number) || !is_asleep(atomic_load(&one->number), now, sizeof now) ||
            (i > 0 && strcmp(now, last)))
            return false;
        memcpy(last, now, sizeof last);
        usleep(1000);
    }
    return true;
}

/* One thread in the decoder, the others waiting for it. */
static void start_askers(asker askers[ASKERS], sdimage_resources *resources) {
    for (int i = 0; i < ASKERS; i++) {
        askers[i].resources = resources;
        CHECK_EQUAL(pthread_create(&askers[i].thread, NULL, get_image, &askers[i]), 0);
        gate_wait(&decoding, 1);
    }
    for (int i = 0; i < ASKERS; i++)
        CHECK(becomes_true(sleeps_on, &askers[i]));
    CHECK_EQUAL(atomic_load(&decodes), 1);
}

static void end_askers(asker askers[ASKERS]) {
    gate_open(&released);
    for (int i = 0; i < ASKERS; i++)
        pthread_join(askers[i].thread, NULL);
}

static sdimage_resources *new_slow_resources(void) {
    register_slow_coder();
    write_file("cat.png", "SLOW", 4);
    return new_resources(temporary_folder());
}

static void threadsThatAskAtOnceDecodeOnce(void) {
    sdimage_resources *resources = new_slow_resources();
    asker askers[ASKERS] = {0};
    start_askers(askers, resources);
    end_askers(askers);
    for (int i = 0; i < ASKERS; i++)
        CHECK(askers[i].image && askers[i].image == askers[0].image);
    CHECK(image_of(resources, "cat") == askers[0].image);
    CHECK_EQUAL(atomic_load(&decodes), 1);
}

static void waitersGetAnImageThatIsForgottenMeanwhile(void) {
    sdimage_resources *resources = new_slow_resources();
    asker askers[ASKERS] = {0};
    start_askers(askers, resources);
    sdimage_resources_clear(resources);
    end_askers(askers);
    for (int i = 0; i < ASKERS; i++)
        CHECK(askers[i].image && askers[i].image == askers[0].image);
    CHECK(image_of(resources, "cat") != askers[0].image);
    CHECK_EQUAL(atomic_load(&decodes), 2);
}

static void waitersGetAFailureThatIsNotKept(void) {
    sdimage_resources *resources = new_slow_resources();
    asker askers[ASKERS] = {0};
    atomic_store(&is_failing, true);
    start_askers(askers, resources);
    end_askers(askers);
    for (int i = 0; i < ASKERS; i++)
        CHECK_EQUAL(askers[i].status, SDIMAGE_STATUS_BAD_DATA);
    CHECK_EQUAL(atomic_load(&decodes), 1);
    atomic_store(&is_failing, false);
    sdimage_image_unref(image_of(resources, "cat"));
    CHECK_EQUAL(atomic_load(&decodes), 2);
}

/* --- Folders. */

static void aRelativeFolderIsResolvedAtOnce(void) {
    write_file("cat.png", png_2x2, sizeof png_2x2);
    CHECK_EQUAL(chdir(temporary_folder()), 0);
    sdimage_resources *resources = new_resources(".");
    CHECK_EQUAL(chdir("/"), 0);
    CHECK_EQUAL(sdimage_image_width(image_of(resources, "cat")), 2);
}

static void linksOfTheFolderAreFollowed(void) {
    char path[4096];
    write_file("cat.png", png_2x2, sizeof png_2x2);
    snprintf(path, sizeof path, "%s/below", temporary_folder());
    CHECK_EQUAL(mkdir(path, 0700), 0);
    sdimage_resources *below = new_resources(path);
    strcat(path, "/dog.png");
    CHECK_EQUAL(symlink("../cat.png", path), 0);
    CHECK_EQUAL(sdimage_image_width(image_of(below, "dog")), 2);
    sdimage_image *image = NULL;
    CHECK_EQUAL(sdimage_resources_get_image(below, "../cat", &image, NULL), SDIMAGE_STATUS_INVALID_ARGUMENT);
    CHECK(image == NULL);
}

static void aChildOfAProcessThatHadNoEngineMayGoOn(void) {
    write_file("cat.png", png_2x2, sizeof png_2x2);
    write_file("dog.png", gif_1x1, sizeof gif_1x1);
    sdimage_resources *resources = new_resources(temporary_folder());
    sdimage_image *cat = image_of(resources, "cat");
    size_t threads = thread_count();
    CHECK_EQUAL(threads, HAS_THREAD_SANITIZER ? 2 : 1);
    pid_t child = fork();
    if (child == 0) {
        alarm(120);
        CHECK(image_of(resources, "cat") == cat);
        CHECK_EQUAL(sdimage_image_width(image_of(resources, "dog")), 1);
        sdimage_resources_unref(resources);
        _exit(0);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    static const test tests[] = {
        TEST(aNameGivesTheSamePictureUntilItIsForgotten),
        TEST(memoryThatIsShortForgetsPictures),
        TEST(threadsThatAskAtOnceDecodeOnce),
        TEST(waitersGetAnImageThatIsForgottenMeanwhile),
        TEST(waitersGetAFailureThatIsNotKept),
        TEST(aRelativeFolderIsResolvedAtOnce),
        TEST(linksOfTheFolderAreFollowed),
        TEST(aChildOfAProcessThatHadNoEngineMayGoOn),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
