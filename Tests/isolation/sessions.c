/* Decoders in workers: their frames, arriving images, cancellation and forks.
 *
 *   sessions ANIMATION IMAGE   an animation, and a progressive image */
#include <fcntl.h>
#include <sys/wait.h>

#include "attack_decodes.h"

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
    /* A call that is cancelled before its coder runs ends by itself: later and later, until a worker had to be killed. */
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

int main(int count, char **arguments) {
    static const test tests[] = {
        TEST(an_animation_outlives_its_worker),
        TEST(an_arriving_image_outlives_its_worker),
        TEST(a_forked_child_has_workers_of_its_own),
        TEST(a_cancelled_load_ends_its_worker),
    };
    if (count < 3)
        return 2;
    animation_path = arguments[1];
    image_path = arguments[2];
    return run_tests(tests, sizeof tests / sizeof tests[0]);
}
