/* client.c: a program of the first release. It is compiled against the archived headers of 0.2.0 and runs with the
 * current library. It must only use declarations of those headers. */
#include <poll.h>

#include "check.h"

enum { OLD = 0x5a }; /* fills the memory beyond the end of a shorter table */

/* A table of a program whose headers end before `member`; the remaining memory is arbitrary. */
#define OLD_TABLE(type, variable, member)                                                                              \
    type variable;                                                                                                     \
    memset(&variable, OLD, sizeof variable);                                                                           \
    variable.size = offsetof(type, member)

static sdimage_image *decoded(const void *bytes, size_t length) {
    sdimage_image *image = NULL;
    CHECK_EQUAL(sdimage_decode(bytes, length, NULL, &image, NULL), SDIMAGE_STATUS_OK);
    return image;
}

static void picturesAreDecodedChangedAndEncoded(void) {
    sdimage_image *image = decoded(png_2x2, sizeof png_2x2), *larger = NULL;
    CHECK_EQUAL(sdimage_image_width(image), 2);
    CHECK_EQUAL(sdimage_image_format(image), SDIMAGE_FORMAT_PNG);
    CHECK(sdimage_image_stride(image) >= 6 && sdimage_image_pixels(image) != NULL);
    CHECK_EQUAL(sdimage_image_resize(image, 8, 6, SDIMAGE_SCALE_MODE_FILL, &larger, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_image_height(larger), 6);
    sdimage_encode_options *options = sdimage_encode_options_new();
    sdimage_encode_options_set_quality(options, 0.5);
    sdimage_data *data = NULL;
    CHECK_EQUAL(sdimage_encode(larger, SDIMAGE_FORMAT_JPEG, options, &data, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_sniff(sdimage_data_bytes(data), sdimage_data_length(data)), SDIMAGE_FORMAT_JPEG);
    sdimage_image *again = decoded(sdimage_data_bytes(data), sdimage_data_length(data));
    CHECK_EQUAL(sdimage_image_width(again), 8);
    sdimage_image_unref(again);
    sdimage_data_unref(data);
    sdimage_encode_options_unref(options);
    sdimage_image_unref(larger);
    sdimage_image_unref(image);
}

static void limitsAndErrorsHaveTheirNumbers(void) {
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    CHECK(sdimage_version_number() >= 1000);
    CHECK_EQUAL(sdimage_decode("<html>", 6, NULL, &image, &error), SDIMAGE_STATUS_NOT_AN_IMAGE);
    CHECK(image == NULL && *sdimage_error_message(error));
    CHECK_EQUAL(sdimage_error_code(error), SDIMAGE_STATUS_NOT_AN_IMAGE);
    CHECK(!strcmp(sdimage_status_name(SDIMAGE_STATUS_TOO_LARGE), "TOO_LARGE"));
    sdimage_error_unref(error);
    CHECK_EQUAL(sdimage_decode(png_30000x30000, sizeof png_30000x30000, NULL, &image, NULL), SDIMAGE_STATUS_TOO_LARGE);
    CHECK_EQUAL(sdimage_decode(NULL, 5, NULL, &image, NULL), SDIMAGE_STATUS_INVALID_ARGUMENT);
}

static void cachesKeepBytesAndPictures(void) {
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache *cache = NULL;
    sdimage_cache_config_set_directory(config, temporary_folder());
    CHECK_EQUAL(sdimage_cache_new(config, &cache, NULL), SDIMAGE_STATUS_OK);
    sdimage_cache_config_unref(config);
    sdimage_data *data = new_data(png_2x2, sizeof png_2x2), *found = NULL;
    CHECK_EQUAL(sdimage_cache_store_data(cache, "key", 3, data, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_cache_get_data(cache, "key", 3, &found, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_data_length(found), sizeof png_2x2);
    sdimage_image *image = NULL;
    CHECK_EQUAL(sdimage_cache_get_image(cache, "key", 3, NULL, &image, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_cache_contains(cache, "key", 3), SDIMAGE_CACHE_LAYERS_MEMORY | SDIMAGE_CACHE_LAYERS_DISK);
    CHECK_EQUAL(sdimage_cache_remove(cache, "key", 3, SDIMAGE_CACHE_LAYERS_ALL, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_cache_contains(cache, "key", 3), SDIMAGE_CACHE_LAYERS_NONE);
    sdimage_image_unref(image);
    sdimage_data_unref(found);
    sdimage_data_unref(data);
    sdimage_cache_unref(cache);
}

/* --- Loads: by a handler on the library's thread, and as events. */

typedef struct seen {
    gate final;
    uint32_t width;
    sdimage_image_source source;
} seen;

static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    seen *seen = user_data;
    CHECK(task != NULL && sdimage_result_kind(result) == SDIMAGE_DELIVERY_KIND_FINAL);
    seen->width = sdimage_image_width(sdimage_result_image(result));
    seen->source = sdimage_result_source(result);
    gate_open(&seen->final);
}

static void loadsAnswerThroughAShorterHandler(void) {
    OLD_TABLE(sdimage_load_handler, handler, progress);
    handler.result = on_result;
    sdimage_manager *manager = new_manager(NULL, NULL, true);
    sdimage_request *request = new_request(file_url_with("picture.png", png_2x2, sizeof png_2x2));
    sdimage_request_set_priority(request, SDIMAGE_PRIORITY_HIGH);
    for (int round = 1; round <= 2; round++) {
        seen seen = {.final = GATE_CLOSED};
        sdimage_task *task = NULL;
        CHECK_EQUAL(sdimage_manager_load(manager, request, &handler, &seen, NULL, &task, NULL), SDIMAGE_STATUS_OK);
        CHECK_EQUAL(sdimage_task_wait(task, 60000, NULL), SDIMAGE_STATUS_OK);
        gate_wait(&seen.final, 1);
        CHECK_EQUAL(seen.width, 2);
        CHECK_EQUAL(seen.source, round == 1 ? SDIMAGE_IMAGE_SOURCE_LOADER : SDIMAGE_IMAGE_SOURCE_MEMORY);
        sdimage_task_unref(task);
    }
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
}

static void loadsAnswerAsEvents(void) {
    sdimage_dispatcher *dispatcher = NULL;
    CHECK_EQUAL(sdimage_dispatcher_new_pollable(&dispatcher, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager *manager = new_manager(dispatcher, NULL, true);
    sdimage_request *request = new_request(GIF_DATA_URL);
    int token = 0;
    bool ended = false;
    CHECK_EQUAL(sdimage_manager_load(manager, request, NULL, &token, NULL, NULL, NULL), SDIMAGE_STATUS_OK);
    while (!ended) {
        struct pollfd watched = {.fd = sdimage_dispatcher_descriptor(dispatcher), .events = POLLIN};
        sdimage_event *event = NULL;
        CHECK_EQUAL(poll(&watched, 1, 60000), 1);
        if (sdimage_dispatcher_next_event(dispatcher, &event, NULL) == SDIMAGE_STATUS_END)
            continue;
        CHECK(sdimage_event_token(event) == &token);
        if (sdimage_event_callback_kind(event) == SDIMAGE_CALLBACK_KIND_RESULT)
            ended = sdimage_result_kind(sdimage_event_result(event)) == SDIMAGE_DELIVERY_KIND_FINAL;
        sdimage_event_unref(event);
    }
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    sdimage_dispatcher_unref(dispatcher);
}

/* --- Tables of the host, at their original length. */

static bool takes_all(void *user_data, const sdimage_request *request) {
    return user_data && request;
}

static sdimage_status give_png(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    CHECK(!strcmp(sdimage_request_url(request, NULL), "first:picture"));
    atomic_fetch_add((atomic_int *)user_data, 1);
    CHECK_EQUAL(sdimage_load_sink_write(sink, png_2x2, sizeof png_2x2, NULL), SDIMAGE_STATUS_OK);
    sdimage_load_sink_finish(sink, NULL);
    return SDIMAGE_STATUS_OK;
}

static void aLoaderMayBeShorter(void) {
    OLD_TABLE(sdimage_loader_vtable, table, cancel);
    table.can_load = takes_all, table.load = give_png;
    atomic_int loads = 0;
    sdimage_loader *loader = NULL;
    CHECK_EQUAL(sdimage_loader_new_custom("first", &table, &loads, NULL, &loader, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager *manager = new_manager(NULL, loader, true);
    sdimage_loader_unref(loader);
    sdimage_request *request = new_request("first:picture");
    sdimage_task *task = NULL;
    CHECK_EQUAL(sdimage_manager_load(manager, request, NULL, NULL, NULL, &task, NULL), SDIMAGE_STATUS_OK);
    sdimage_task_cancel(task); /* a `cancel` read beyond the end would be called */
    CHECK_EQUAL(sdimage_task_wait(task, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_task_unref(task);
    sdimage_result *result = NULL;
    CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
    CHECK(atomic_load(&loads) >= 1 && sdimage_image_width(sdimage_result_image(result)) == 2);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
}

static bool is_first(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return length >= 5 && !memcmp(bytes, "FIRST", 5);
}

static sdimage_status paint(void *user_data, const void *bytes, size_t length, const sdimage_decode_options *options,
                            sdimage_image **image, sdimage_error **error) {
    static const uint8_t pixels[12] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9};
    CHECK(is_first(user_data, bytes, length) && sdimage_decode_options_max_pixels(options) > 4);
    return sdimage_image_new(2, 2, 6, SDIMAGE_PIXEL_FORMAT_RGB8, pixels, image, error);
}

static void aCoderMayBeShorter(void) {
    OLD_TABLE(sdimage_coder_vtable, table, can_encode);
    table.can_decode = is_first, table.decode = paint;
    sdimage_coder *coder = NULL;
    CHECK_EQUAL(sdimage_coder_new_custom("first", &table, NULL, NULL, &coder, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_coder_register(coder, NULL), SDIMAGE_STATUS_OK);
    sdimage_image *image = decoded("FIRST", 5);
    CHECK_EQUAL(sdimage_image_height(image), 2);
    CHECK_EQUAL(((const uint8_t *)sdimage_image_pixels(image))[0], 255);
    sdimage_info *info = NULL; /* uses everything that a longer table has */
    CHECK_EQUAL(sdimage_info_new("FIRST", 5, NULL, &info, NULL), SDIMAGE_STATUS_OK);
    CHECK(!sdimage_can_encode((sdimage_format)9999));
    sdimage_info_unref(info);
    sdimage_image_unref(image);
    sdimage_coder_unregister(coder, NULL);
    sdimage_coder_unref(coder);
}

static void find_nothing(void *user_data, const void *key, size_t length, const sdimage_options *options,
                         sdimage_reply *reply) {
    (void)key, (void)length, (void)options;
    atomic_fetch_add((atomic_int *)user_data, 1);
    sdimage_reply_complete(reply);
    sdimage_reply_unref(reply);
}

static void store_nothing(void *user_data, const void *key, size_t length, sdimage_data *data,
                          const sdimage_options *options, sdimage_reply *reply) {
    CHECK(sdimage_data_length(data) == sizeof png_2x2);
    find_nothing(user_data, key, length, options, reply);
}

static void remove_nothing(void *user_data, const void *key, size_t length, sdimage_cache_layers layers,
                           sdimage_reply *reply) {
    (void)layers;
    find_nothing(user_data, key, length, NULL, reply);
}

static void aCacheMayBeShorter(void) {
    OLD_TABLE(sdimage_cache_vtable, table, contains);
    table.memory_image = NULL, table.set_memory_image = NULL;
    table.query = find_nothing, table.store = store_nothing, table.remove = remove_nothing;
    atomic_int calls = 0, loads = 0;
    sdimage_cache *cache = NULL;
    CHECK_EQUAL(sdimage_cache_new_custom(&table, &calls, NULL, &cache, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_cache_clear(cache, SDIMAGE_CACHE_LAYERS_ALL, NULL), SDIMAGE_STATUS_UNSUPPORTED);
    CHECK_EQUAL(sdimage_cache_contains(cache, "k", 1), SDIMAGE_CACHE_LAYERS_NONE);
    OLD_TABLE(sdimage_loader_vtable, loading, cancel);
    loading.can_load = takes_all, loading.load = give_png;
    sdimage_loader *loader = NULL;
    CHECK_EQUAL(sdimage_loader_new_custom("first", &loading, &loads, NULL, &loader, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager_config_set_cache(config, cache);
    sdimage_manager_config_set_loader(config, loader);
    sdimage_manager *manager = NULL;
    CHECK_EQUAL(sdimage_manager_new(config, &manager, NULL), SDIMAGE_STATUS_OK);
    sdimage_request *request = new_request("first:picture");
    sdimage_request_set_wait_for_store(request, true);
    sdimage_result *result = NULL;
    CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
    CHECK(atomic_load(&calls) >= 2); /* one query, and one store of the loaded image */
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    sdimage_manager_config_unref(config);
    sdimage_loader_unref(loader);
    sdimage_cache_unref(cache);
}

static sdimage_status turn(void *user_data, const sdimage_image *image, const char *cache_key, size_t key_length,
                           sdimage_image **result, sdimage_error **error) {
    (void)cache_key, (void)key_length;
    return sdimage_image_transform(image, user_data, result, error);
}

static uint32_t three(void *user_data) {
    return user_data ? 3 : 0;
}

static sdimage_status make_frame(void *user_data, uint32_t index, sdimage_image **image, sdimage_error **error) {
    uint8_t pixel[3] = {(uint8_t)(index * 40), 0, 0};
    (void)user_data;
    return sdimage_image_new(1, 1, 3, SDIMAGE_PIXEL_FORMAT_RGB8, pixel, image, error);
}

static void transformersAndFramesMayBeShorter(void) {
    OLD_TABLE(sdimage_transformer_vtable, table, should_preserve_metadata);
    table.transform = turn;
    sdimage_transformer *flip = NULL, *transformer = NULL;
    CHECK_EQUAL(sdimage_transformer_new_flip(true, false, &flip, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_transformer_new_custom("first", &table, flip, NULL, &transformer, NULL), SDIMAGE_STATUS_OK);
    sdimage_image *image = decoded(png_2x2, sizeof png_2x2), *turned = NULL;
    CHECK_EQUAL(sdimage_image_transform(image, transformer, &turned, NULL), SDIMAGE_STATUS_OK);
    CHECK(sdimage_transformer_should_preserve_metadata(transformer));
    sdimage_image_unref(turned);
    sdimage_image_unref(image);
    sdimage_transformer_unref(transformer);
    sdimage_transformer_unref(flip);
    OLD_TABLE(sdimage_frame_provider_vtable, frames, duration_ms);
    frames.frame_count = three, frames.frame = make_frame;
    sdimage_frame_provider *provider = NULL;
    sdimage_player *player = NULL;
    CHECK_EQUAL(sdimage_frame_provider_new_custom(&frames, &frames, NULL, &provider, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_player_new_provider(provider, NULL, NULL, NULL, &player, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_player_frame_count(player), 3);
    sdimage_player_start(player);
    CHECK(sdimage_player_is_playing(player));
    sdimage_player_unref(player);
    sdimage_frame_provider_unref(provider);
}

int main(void) {
    const test tests[] = {
        TEST(picturesAreDecodedChangedAndEncoded),
        TEST(limitsAndErrorsHaveTheirNumbers),
        TEST(cachesKeepBytesAndPictures),
        TEST(loadsAnswerThroughAShorterHandler),
        TEST(loadsAnswerAsEvents),
        TEST(aLoaderMayBeShorter),
        TEST(aCoderMayBeShorter),
        TEST(aCacheMayBeShorter),
        TEST(transformersAndFramesMayBeShorter),
    };
    return run_tests(tests, sizeof tests / sizeof tests[0]);
}
