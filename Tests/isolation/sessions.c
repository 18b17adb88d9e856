/* Decoders in workers: their frames, arriving images, cancellation, priorities and forks.
 *
 *   sessions ANIMATION IMAGE   an animation, and a progressive image */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "attack_decodes.h"
#include "processes.h"

static const char *animation_path, *image_path;

typedef struct file {
    char *bytes;
    size_t length;
} file;

static file read_file(const char *path) {
    file file = {malloc(1 << 20), 0};
    FILE *stream = fopen(path, "rb");
    CHECK(file.bytes && stream);
    file.length = fread(file.bytes, 1, 1 << 20, stream);
    fclose(stream);
    CHECK(file.length > 0);
    return file;
}

static sdimage_decode_options *options_with(sdimage_isolation isolation) {
    sdimage_decode_options *options = sdimage_decode_options_new();
    CHECK(options);
    sdimage_decode_options_set_isolation(options, isolation);
    return options;
}

static sdimage_image *decode(const file *file, sdimage_isolation isolation) {
    sdimage_decode_options *options = options_with(isolation);
    sdimage_image *image = NULL;
    CHECK_EQUAL(sdimage_decode(file->bytes, file->length, options, &image, NULL), SDIMAGE_STATUS_OK);
    sdimage_decode_options_unref(options);
    return image;
}

static void check_equal_images(const sdimage_image *a, const sdimage_image *b) {
    size_t row = sdimage_image_width(a) * sdimage_pixel_format_bytes(sdimage_image_pixel_format(a));
    CHECK_EQUAL(sdimage_image_width(a), sdimage_image_width(b));
    CHECK_EQUAL(sdimage_image_height(a), sdimage_image_height(b));
    for (uint32_t y = 0; y < sdimage_image_height(a); y++)
        CHECK(!memcmp((const char *)sdimage_image_pixels(a) + y * sdimage_image_stride(a),
                      (const char *)sdimage_image_pixels(b) + y * sdimage_image_stride(b), row));
}

/* Compares a frame with that of the same image in this process. */
static void check_frame(const sdimage_image *here, const sdimage_image *isolated, uint32_t index) {
    sdimage_image *a = NULL, *b = NULL;
    CHECK_EQUAL(sdimage_image_get_frame(here, index, &a, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_image_get_frame(isolated, index, &b, NULL), SDIMAGE_STATUS_OK);
    check_equal_images(a, b);
    sdimage_image_unref(a);
    sdimage_image_unref(b);
}

static void an_animation_outlives_its_worker(void) {
    file file = read_file(animation_path);
    sdimage_image *here = decode(&file, SDIMAGE_ISOLATION_NONE), *isolated = decode(&file, SDIMAGE_ISOLATION_ALL);
    check_frame(here, isolated, 1);
    CHECK_EQUAL(isolation_counts().started, 1);
    sdimage_isolation_end_idle();
    CHECK_EQUAL(isolation_counts().running, 0);
    check_frame(here, isolated, 2);
    check_frame(here, isolated, 1);
    CHECK_EQUAL(isolation_counts().started, 2);
    CHECK_EQUAL(isolation_counts().crashes, 0);
    sdimage_image_unref(here);
    sdimage_image_unref(isolated);
    free(file.bytes);
}

static void an_arriving_image_outlives_its_worker(void) {
    file file = read_file(image_path);
    sdimage_image *here = decode(&file, SDIMAGE_ISOLATION_NONE), *isolated = NULL;
    sdimage_decode_options *options = options_with(SDIMAGE_ISOLATION_ALL);
    sdimage_decoder *decoder = NULL;
    CHECK_EQUAL(sdimage_decoder_new(options, NULL, &decoder, NULL), SDIMAGE_STATUS_OK);
    size_t half = file.length / 2;
    CHECK_EQUAL(sdimage_decoder_append(decoder, file.bytes, half, false, NULL), SDIMAGE_STATUS_OK);
    sdimage_isolation_end_idle();
    CHECK_EQUAL(sdimage_decoder_append(decoder, file.bytes + half, file.length - half, true, NULL), SDIMAGE_STATUS_END);
    CHECK_EQUAL(sdimage_decoder_get_image(decoder, &isolated, NULL), SDIMAGE_STATUS_OK);
    check_equal_images(here, isolated);
    CHECK_EQUAL(isolation_counts().started, 2);
    sdimage_image_unref(here);
    sdimage_image_unref(isolated);
    sdimage_decoder_unref(decoder);
    sdimage_decode_options_unref(options);
    free(file.bytes);
}

static void a_forked_child_has_workers_of_its_own(void) {
    file file = read_file(animation_path);
    sdimage_image *image = decode(&file, SDIMAGE_ISOLATION_ALL);
    pid_t child = fork();
    if (child == 0) {
        /* These may have the numbers of the descriptors of the parent's worker. */
        int files[20];
        for (int i = 0; i < 20; i++)
            CHECK((files[i] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0);
        sdimage_image *own = decode(&file, SDIMAGE_ISOLATION_ALL);
        check_equal_images(image, own);
        for (int i = 0; i < 20; i++)
            CHECK(fcntl(files[i], F_GETFD) >= 0);
        CHECK_EQUAL(isolation_counts().started, 1);
        /* The frames of the parent's image are opened again. */
        check_frame(own, image, 1);
        sdimage_isolation_end_idle();
        _exit(0);
    }
    int status = 0;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    sdimage_image *again = decode(&file, SDIMAGE_ISOLATION_ALL);
    CHECK_EQUAL(isolation_counts().started, 1);
    sdimage_image_unref(image);
    sdimage_image_unref(again);
    free(file.bytes);
}

static bool is_working(void *argument) {
    (void)argument;
    return isolation_counts().running > 0;
}

/* Decodes an image of the coder of attacks that is none. */
static void decode_picture(void) {
    static const char text[] = "ATTACK picture\n";
    sdimage_image *image = NULL;
    CHECK_EQUAL(sdimage_decode(text, sizeof text - 1, NULL, &image, NULL), SDIMAGE_STATUS_OK);
    sdimage_image_unref(image);
}

static void ignore_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)user_data, (void)task, (void)result;
}

static void a_cancelled_load_ends_its_worker(void) {
    static const sdimage_load_handler handler = {.size = sizeof handler, .result = ignore_result};
    static const char text[] = "ATTACK loop\n";
    start_isolation();
    sdimage_manager *manager = new_manager(NULL, NULL, false);
    sdimage_request *request = new_request(file_url_with("attack", text, sizeof text - 1));
    /* A call that is cancelled before its coder runs ends by itself: later and later, until a worker was killed. */
    for (unsigned pause_ms = 1; isolation_counts().kills == 0; pause_ms *= 2) {
        sdimage_task *task = NULL;
        CHECK(pause_ms < 60000);
        CHECK_EQUAL(sdimage_manager_load(manager, request, &handler, NULL, NULL, &task, NULL), SDIMAGE_STATUS_OK);
        CHECK(becomes_true(is_working, NULL));
        usleep(pause_ms * 1000);
        sdimage_task_cancel(task);
        sdimage_task_unref(task);
        /* Waits for the worker, which is used by one call at a time. */
        decode_picture();
    }
    CHECK_EQUAL(isolation_counts().crashes, 0);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
}

/* True if this number of decodes has workers or waits for one. */
static bool are_decoding(void *count) {
    sdimage_isolation_statistics counts = isolation_counts();
    return counts.started + counts.waiting >= *(uint64_t *)count;
}

static bool are_waiting(void *count) {
    return isolation_counts().waiting >= *(uint64_t *)count;
}

static void *occupy_worker(void *ended) {
    sdimage_image *image = NULL;
    sdimage_status status = decode_attack("sleep_forever", "", 3600000, &image);
    CHECK_EQUAL(status, SDIMAGE_STATUS_DECODER_CRASHED);
    atomic_fetch_add((atomic_int *)ended, 1);
    return NULL;
}

static void count_result(void *count, sdimage_task *task, sdimage_result *result) {
    (void)task;
    CHECK_EQUAL(sdimage_result_kind(result), SDIMAGE_DELIVERY_KIND_FINAL);
    atomic_fetch_add((atomic_int *)count, 1);
}

static bool is_counted(void *count) {
    return atomic_load((atomic_int *)count) > 0;
}

static sdimage_task *load(sdimage_manager *manager, const char *name, sdimage_priority priority, atomic_int *results) {
    static const sdimage_load_handler handler = {.size = sizeof handler, .result = count_result};
    char text[100];
    int length = snprintf(text, sizeof text, "ATTACK %s\n%d", name, (int)priority);
    sdimage_request *request = new_request(file_url_with(name, text, (size_t)length));
    sdimage_task *task = NULL;
    sdimage_request_set_priority(request, priority);
    CHECK_EQUAL(sdimage_manager_load(manager, request, &handler, results, NULL, &task, NULL), SDIMAGE_STATUS_OK);
    sdimage_request_unref(request);
    return task;
}

/* Decodes that occupy all workers, and one that waits for a worker. */
typedef struct occupation {
    pthread_t threads[256];
    uint64_t count;
    atomic_int ended;
} occupation;

/* Returns the number of workers, which a processor quota (cgroups(7)) may lower; 0 if there are too many. */
static uint64_t occupy_all_workers(occupation *all) {
    for (all->count = 0; isolation_counts().waiting == 0;) {
        if (all->count == sizeof all->threads / sizeof all->threads[0])
            return 0;
        CHECK_EQUAL(pthread_create(&all->threads[all->count++], NULL, occupy_worker, &all->ended), 0);
        CHECK(becomes_true(are_decoding, &all->count));
    }
    return isolation_counts().started;
}

static void end_occupation(occupation *all) {
    int ids[64], keepers;
    while ((uint64_t)all->ended < all->count) {
        int found = find_workers(ids, 64, &keepers);
        for (int i = 0; i < found; i++)
            kill(ids[i], SIGKILL);
        usleep(10000);
    }
    for (uint64_t i = 0; i < all->count; i++)
        CHECK_EQUAL(pthread_join(all->threads[i], NULL), 0);
}

/* All workers are busy, and a load of low priority waits for one that it would never give back. A load of high priority
 * that comes later gets the first free worker. */
static void a_load_of_high_priority_gets_the_first_free_worker(void) {
    static occupation all;
    int ids[64], keepers;
    atomic_int low_results = 0, high_results = 0;
    start_isolation();
    uint64_t count = occupy_all_workers(&all);
    /* With one processor, one thread decodes for loads: the second load is never seen waiting for a worker. */
    if (count < 2) {
        end_occupation(&all);
        return;
    }
    sdimage_manager *manager = new_manager(NULL, NULL, false);
    sdimage_task *low = load(manager, "sleep_forever", SDIMAGE_PRIORITY_LOW, &low_results);
    CHECK(becomes_true(are_waiting, &(uint64_t){2}));
    sdimage_task *high = load(manager, "picture", SDIMAGE_PRIORITY_HIGH, &high_results);
    CHECK(becomes_true(are_waiting, &(uint64_t){3}));
    CHECK(find_workers(ids, 64, &keepers) > 0);
    CHECK_EQUAL(kill(ids[0], SIGKILL), 0);
    CHECK(becomes_true(is_counted, &high_results));
    CHECK_EQUAL(low_results, 0);
    sdimage_task_cancel(low);
    CHECK(becomes_true(is_counted, &low_results));
    end_occupation(&all);
    sdimage_task_unref(low);
    sdimage_task_unref(high);
    sdimage_manager_unref(manager);
}

static atomic_bool forks_are_done;

static void *start_and_end_workers(void *argument) {
    while (!atomic_load(&forks_are_done)) {
        decode_picture();
        sdimage_isolation_end_idle();
    }
    return argument;
}

/* Sockets that were open before the test. */
static bool was_open[1024];

static bool is_of_worker(int descriptor) {
    char path[64], target[300];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(path, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = 0;
    return strncmp(target, "socket:", 7) == 0 || strstr(target, "pidfd") != NULL;
}

/* True if the process has a socket or a pidfd of its own. */
static bool has_descriptors_of_workers(void) {
    for (int i = STDERR_FILENO + 1; i < 1024; i++)
        if (!was_open[i] && is_of_worker(i))
            return true;
    return false;
}

static void a_forked_child_has_no_descriptors_of_workers(void) {
    pthread_t thread;
    for (int i = 0; i < 1024; i++)
        was_open[i] = is_of_worker(i);
    start_isolation();
    decode_picture();
    CHECK(has_descriptors_of_workers());
    CHECK_EQUAL(pthread_create(&thread, NULL, start_and_end_workers, NULL), 0);
    for (int i = 0; i < 400; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0)
            _exit(has_descriptors_of_workers());
        CHECK_EQUAL(waitpid(child, &status, 0), child);
        CHECK_EQUAL(status, 0);
    }
    atomic_store(&forks_are_done, true);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
}

int main(int count, char **arguments) {
    static const test tests[] = {
        TEST(an_animation_outlives_its_worker),
        TEST(an_arriving_image_outlives_its_worker),
        TEST(a_forked_child_has_workers_of_its_own),
        TEST(a_cancelled_load_ends_its_worker),
        TEST(a_load_of_high_priority_gets_the_first_free_worker),
        TEST(a_forked_child_has_no_descriptors_of_workers),
    };
    if (count < 3)
        return 2;
    animation_path = arguments[1];
    image_path = arguments[2];
    return run_tests(tests, sizeof tests / sizeof tests[0]);
}
