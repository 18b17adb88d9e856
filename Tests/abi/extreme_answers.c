/* extreme_answers.c: host functions that return extreme numbers, and input that costs far more than its size
 * suggests. */
#include <time.h>

#include "check.h"

/* Processor time of all threads: other processes do not lengthen it. */
static long cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (long)now.tv_sec;
}

/* --- Frames. */

static uint32_t most(void *user_data) {
    (void)user_data;
    return UINT32_MAX;
}

static uint32_t longest(void *user_data, uint32_t index) {
    (void)user_data;
    return index % 2 ? UINT32_MAX : 0;
}

static sdimage_status draw(void *user_data, uint32_t index, sdimage_image **image, sdimage_error **error) {
    (void)user_data, (void)index;
    return sdimage_decode(png_2x2, sizeof png_2x2, NULL, image, error);
}

static sdimage_frame_provider *endless_frames(void) {
    const sdimage_frame_provider_vtable table = {
        .size = sizeof table, .frame_count = most, .frame = draw, .duration_ms = longest, .loop_count = most};
    sdimage_frame_provider *provider = NULL;
    CHECK_EQUAL(sdimage_frame_provider_new_custom(&table, NULL, NULL, &provider, NULL), SDIMAGE_STATUS_OK);
    return provider;
}

static void framesOfTheHostHaveABound(void) {
    sdimage_frame_provider *provider = endless_frames();
    sdimage_image *image = NULL, *frame = NULL;
    CHECK_EQUAL(sdimage_frame_provider_frame_count(provider), 1 << 20);
    sdimage_image_new_provider(provider, &image, NULL);
    CHECK_EQUAL(sdimage_image_frame_count(image), 1 << 20);
    CHECK_EQUAL(sdimage_image_duration_ms(image), (uint64_t)(1 << 19) * UINT32_MAX);
    CHECK_EQUAL(sdimage_image_loop_count(image), UINT32_MAX);
    CHECK_EQUAL(sdimage_image_get_frame(image, (1 << 20) - 1, &frame, NULL), SDIMAGE_STATUS_OK);
    sdimage_image_unref(frame);
    frame = NULL;
    CHECK_EQUAL(sdimage_image_get_frame(image, UINT32_MAX, &frame, NULL), SDIMAGE_STATUS_INVALID_ARGUMENT);
    sdimage_image_unref(image);
    sdimage_frame_provider_unref(provider);
}

static void playersOfEndlessFramesTakeAnyTime(void) {
    static const double rates[] = {1, 1e-300, 1e300};
    sdimage_frame_provider *provider = endless_frames();
    sdimage_player *player = NULL;
    CHECK_EQUAL(sdimage_player_new_provider(provider, NULL, NULL, NULL, &player, NULL), SDIMAGE_STATUS_OK);
    sdimage_player_set_drop_late_frames(player, true);
    sdimage_player_set_decode_when_due(player, true);
    for (int mode = 0; mode < 4; mode++) {
        for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
            sdimage_player_set_mode(player, (sdimage_playback_mode)mode);
            sdimage_player_set_rate(player, rates[i]);
            sdimage_player_start(player);
            sdimage_player_tick(player, UINT64_MAX);
            sdimage_player_tick(player, UINT64_MAX);
            sdimage_player_stop(player);
        }
    }
    sdimage_player_unref(player);
    sdimage_frame_provider_unref(provider);
}

/* --- Sources. */

static sdimage_status claim(void *user_data, uint64_t offset, void *buffer, size_t length, size_t *read,
                            sdimage_error **error) {
    (void)offset, (void)error;
    memset(buffer, 0, length);
    *read = *(size_t *)user_data;
    return SDIMAGE_STATUS_OK;
}

static void aSourceThatClaimsMoreThanItsRoomFails(void) {
    static size_t claims[] = {SIZE_MAX, SIZE_MAX / 2 + 1, 9, 0};
    static const uint64_t lengths[] = {UINT64_MAX, INT64_MAX, 100};
    const sdimage_source_vtable table = {.size = sizeof table, .read = claim};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++) {
            sdimage_source *source = NULL;
            sdimage_decoder *decoder = NULL;
            uint8_t room[8];
            size_t read = 0;
            CHECK_EQUAL(sdimage_source_new_custom(lengths[j], &table, &claims[i], NULL, &source, NULL),
                        SDIMAGE_STATUS_OK);
            CHECK_EQUAL(sdimage_source_read(source, 0, room, sizeof room, &read, NULL), SDIMAGE_STATUS_IO_ERROR);
            CHECK_EQUAL(sdimage_source_read(source, UINT64_MAX, room, sizeof room, &read, NULL), SDIMAGE_STATUS_OK);
            CHECK_EQUAL(read, 0);
            CHECK(sdimage_decoder_new_source(source, NULL, NULL, &decoder, NULL) < 0);
            sdimage_source_unref(source);
        }
    }
}

/* --- Paths of a cache. */

static size_t claim_path(void *user_data, const void *key, size_t length, char *path, size_t capacity) {
    (void)key, (void)length;
    memset(path, 'x', capacity);
    return *(size_t *)user_data;
}

static void aPathLongerThanItsRoomIsNone(void) {
    static size_t claims[] = {SIZE_MAX, SIZE_MAX / 2 + 1, 1 << 20, 0};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        sdimage_cache_config *config = sdimage_cache_config_new();
        sdimage_cache *cache = NULL;
        sdimage_data *data = NULL;
        sdimage_cache_config_set_directory(config, temporary_folder());
        sdimage_cache_path_vtable table = {.size = sizeof table, .path = claim_path};
        CHECK_EQUAL(sdimage_cache_config_set_additional_path(config, &table, &claims[i], NULL, NULL), 0);
        CHECK_EQUAL(sdimage_cache_new(config, &cache, NULL), SDIMAGE_STATUS_OK);
        CHECK_EQUAL(sdimage_cache_get_data(cache, "key", 3, &data, NULL), SDIMAGE_STATUS_NOT_FOUND);
        sdimage_cache_unref(cache);
        sdimage_cache_config_unref(config);
    }
}

/* --- data: URLs. */

static void parametersOfADataURLAreNotTakenApart(void) {
    static const char head[] = "data:image/png", tail[] =
                                                     ";base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR42"
                                                     "mP4z8DAAMIM/4EAAB/uBfvxq7p3AAAAAElFTkSuQmCC";
    enum { SEMICOLONS = 60 << 20, HEAD = sizeof head - 1 };
    char *url = malloc(SEMICOLONS + sizeof head + sizeof tail);
    CHECK(url != NULL);
    memcpy(url, head, HEAD);
    memset(url + HEAD, ';', SEMICOLONS);
    memcpy(url + HEAD + SEMICOLONS, tail, sizeof tail);
    sdimage_manager *manager = new_manager(NULL, NULL, false);
    sdimage_request *request = new_request(url);
    sdimage_result *result = NULL;
    /* Two copies of the URL. */
    limit_memory((size_t)2 * SEMICOLONS);
    long began = cpu_seconds();
    CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
    CHECK_AT_MOST(cpu_seconds() - began, 15);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    free(url);
}

int main(void) {
    static const test tests[] = {
        TEST(framesOfTheHostHaveABound),
        TEST(playersOfEndlessFramesTakeAnyTime),
        TEST(aSourceThatClaimsMoreThanItsRoomFails),
        TEST(aPathLongerThanItsRoomIsNone),
        TEST(parametersOfADataURLAreNotTakenApart),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
