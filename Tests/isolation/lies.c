/* Decodes whose worker lies (liar.c, which SDIMAGE_DECODER_PATH names). A lie is an error, or an image that is
 * complete in itself; the next image is decoded. */
#include <errno.h>

#include "attack_decodes.h"

/* Reads all that an image refers to. */
static unsigned read_image(sdimage_image *image) {
    const uint8_t *pixels = sdimage_image_pixels(image);
    const size_t stride = sdimage_image_stride(image);
    unsigned sum = 0;
    for (uint32_t y = 0; y < sdimage_image_height(image); y++)
        for (size_t x = 0; x < stride; x++)
            sum += pixels[y * stride + x];
    return sum;
}

static sdimage_status decode_as(const char *attack, const char *lie, uint32_t limit_ms) {
    sdimage_image *image = NULL;
    sdimage_status status = decode_attack(attack, lie, limit_ms, &image);
    if (image != NULL)
        read_image(image);
    sdimage_image_unref(image);
    return status;
}

static sdimage_status decode(const char *lie, uint32_t limit_ms) {
    return decode_as("picture", lie, limit_ms);
}

static void check_truth(void) {
    CHECK_EQUAL(decode("", 60000), SDIMAGE_STATUS_OK);
}

/* A lie that must be noticed. */
static void expect_status(const char *kind, unsigned number, uint32_t limit_ms, sdimage_status expected) {
    char lie[64];
    snprintf(lie, sizeof lie, "LIE %s %u", kind, number);
    /* The reply for a large image has a descriptor. */
    bool is_large = strcmp(kind, "descriptor") == 0 || strcmp(kind, "none") == 0;
    sdimage_status status = decode_as(is_large ? "large_picture" : "picture", lie, limit_ms);
    if (status != expected)
        fail_test(__FILE__, __LINE__, "%s: %s, not %s", lie, sdimage_status_name(status),
                  sdimage_status_name(expected));
    check_truth();
}

static void lies_about_messages_are_crashes(void) {
    start_isolation();
    check_truth();
    expect_status("cut", 1, 60000, SDIMAGE_STATUS_DECODER_CRASHED);
    expect_status("cut", 23, 60000, SDIMAGE_STATUS_DECODER_CRASHED);
    expect_status("cut", 30, 60000, SDIMAGE_STATUS_DECODER_CRASHED);
    for (unsigned length = 24; length < 40; length++)
        expect_status("shorter", length, 60000, SDIMAGE_STATUS_DECODER_CRASHED);
    expect_status("longer", 1, 60000, SDIMAGE_STATUS_DECODER_CRASHED);
    expect_status("longer", 1000, 60000, SDIMAGE_STATUS_DECODER_CRASHED);
    expect_status("number", 1, 60000, SDIMAGE_STATUS_DECODER_CRASHED);
    for (unsigned kind = 0; kind < 10; kind++)
        if (kind != 4)
            expect_status("kind", kind, 60000, SDIMAGE_STATUS_DECODER_CRASHED);
    expect_status("many", 0, 60000, SDIMAGE_STATUS_DECODER_CRASHED);
    expect_status("silence", 0, 200, SDIMAGE_STATUS_TIMEOUT);
}

static void lies_about_descriptors_are_crashes(void) {
    start_isolation();
    size_t descriptors;
    check_truth();
    sdimage_isolation_end_idle();
    descriptors = descriptor_count();
    expect_status("none", 0, 60000, SDIMAGE_STATUS_DECODER_CRASHED);
    for (unsigned kind = 0; kind < 12; kind++)
        expect_status("descriptor", kind, 60000, SDIMAGE_STATUS_DECODER_CRASHED);
    sdimage_isolation_end_idle();
    /* The thread of idle workers may close a descriptor later. */
    CHECK(becomes_true(has_no_more_descriptors, &descriptors));
}

/* Decodes with the liar whose name has this end. */
static void expect_arena_status(const char *name, sdimage_status expected) {
    char path[1000];
    snprintf(path, sizeof path, "%s-%s", getenv("SDIMAGE_DECODER_PATH"), name);
    CHECK_EQUAL(setenv("SDIMAGE_DECODER_PATH", path, 1), 0);
    start_isolation();
    CHECK_EQUAL(decode("", 60000), expected);
    sdimage_isolation_end_idle();
}

static void a_missing_arena_is_a_crash(void) {
    expect_arena_status("none", SDIMAGE_STATUS_DECODER_CRASHED);
}

static void a_short_arena_is_a_crash(void) {
    expect_arena_status("short", SDIMAGE_STATUS_DECODER_CRASHED);
}

static void a_device_in_place_of_an_arena_is_a_crash(void) {
    expect_arena_status("device", SDIMAGE_STATUS_DECODER_CRASHED);
}

static void a_pipe_in_place_of_an_arena_is_a_crash(void) {
    expect_arena_status("pipe", SDIMAGE_STATUS_DECODER_CRASHED);
}

/* Its owner could make holes. */
static void an_arena_without_seals_is_a_crash(void) {
    expect_arena_status("open", SDIMAGE_STATUS_DECODER_CRASHED);
}

static void an_arena_with_holes_is_a_crash(void) {
    expect_arena_status("hole", SDIMAGE_STATUS_DECODER_CRASHED);
}

/* The second reply is that of no call. The worker is not used again. */
static void a_second_reply_does_no_harm(void) {
    start_isolation();
    for (int i = 0; i < 20; i++) {
        sdimage_status status = decode("LIE twice 0", 60000);
        CHECK(status == SDIMAGE_STATUS_OK || status == SDIMAGE_STATUS_DECODER_CRASHED);
        check_truth();
    }
}

/* Changes each byte of a reply. The image may be another one, which a worker may send anyway. */
static void each_changed_byte_is_an_error_or_an_image(void) {
    static const char *const kinds[] = {"flip", "bit", "maximum"};
    start_isolation();
    int failures = 0;
    for (int kind = 0; kind < 3; kind++)
        for (unsigned i = 0; i < 200; i++) {
            char lie[64];
            snprintf(lie, sizeof lie, "LIE %s %u", kinds[kind], i);
            failures += decode(lie, 2000) < 0;
            check_truth();
        }
    CHECK(failures > 30);
}

/* Decodes a JPEG with its gain map; NULL after an error. */
static sdimage_image *decode_gain_map(const char *lie) {
    static char bytes[20000];
    sdimage_image *image = NULL;
    FILE *file = fopen("Tests/fixtures/hdr/sunset.jpg", "rb");
    CHECK(file != NULL);
    size_t length = fread(bytes, 1, sizeof bytes - 100, file);
    fclose(file);
    length += (size_t)sprintf(bytes + length, "%s", lie);
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_isolation(options, SDIMAGE_ISOLATION_ALL);
    sdimage_decode_options_set_keep_gain_map(options, true);
    sdimage_status status = sdimage_decode(bytes, length, options, &image, NULL);
    CHECK(status == SDIMAGE_STATUS_OK || status == SDIMAGE_STATUS_DECODER_CRASHED);
    sdimage_decode_options_unref(options);
    return image;
}

/* Stores the parameters of the image's map: a number that is out of range ends this process. Returns false if there is
 * no map. */
static bool copy_parameters(const sdimage_image *image) {
    sdimage_gain_map *map = NULL;
    sdimage_data *parameters = NULL;
    sdimage_image_get_gain_map(image, &map);
    if (map == NULL)
        return false;
    CHECK_EQUAL(sdimage_gain_map_copy_parameters(map, &parameters, NULL), SDIMAGE_STATUS_OK);
    sdimage_data_unref(parameters);
    sdimage_gain_map_unref(map);
    return true;
}

/* Changes each number at the end of the reply, where the map is, with its profile. */
static void numbers_of_gain_maps_are_in_range(void) {
    int crashes = 0;
    sdimage_image *image = decode_gain_map("");
    CHECK(copy_parameters(image));
    sdimage_image_unref(image);
    for (unsigned i = 8; i < 900; i++) {
        char lie[64];
        snprintf(lie, sizeof lie, "LIE huge %u", i);
        image = decode_gain_map(lie);
        crashes += image == NULL;
        if (image != NULL)
            copy_parameters(image);
        sdimage_image_unref(image);
    }
    CHECK(crashes > 100);
}

/* Statuses that mean something else than the failure of a decode. */
static void a_worker_fails_like_a_decode(void) {
    start_isolation();
    CHECK_EQUAL(decode_as("nothing", "", 60000), SDIMAGE_STATUS_BAD_DATA);
    CHECK_EQUAL(decode_as("nothing", "LIE status 53", 60000), SDIMAGE_STATUS_TOO_LARGE);
    CHECK_EQUAL(decode_as("nothing", "LIE status 9", 60000), SDIMAGE_STATUS_TIMEOUT);
    for (int status = 5; status < 9; status++) {
        char lie[64];
        snprintf(lie, sizeof lie, "LIE status %d", status);
        CHECK_EQUAL(decode_as("nothing", lie, 60000), SDIMAGE_STATUS_INTERNAL_ERROR);
    }
    CHECK_EQUAL(decode_as("nothing", "LIE status 22", 60000), SDIMAGE_STATUS_INTERNAL_ERROR);
    check_truth();
}

int main(void) {
    static const test tests[] = {
        TEST(lies_about_messages_are_crashes),
        TEST(lies_about_descriptors_are_crashes),
        TEST(a_missing_arena_is_a_crash),
        TEST(a_short_arena_is_a_crash),
        TEST(a_device_in_place_of_an_arena_is_a_crash),
        TEST(a_pipe_in_place_of_an_arena_is_a_crash),
        TEST(an_arena_without_seals_is_a_crash),
        TEST(an_arena_with_holes_is_a_crash),
        TEST(a_second_reply_does_no_harm),
        TEST(each_changed_byte_is_an_error_or_an_image),
        TEST(numbers_of_gain_maps_are_in_range),
        TEST(a_worker_fails_like_a_decode),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
