/* null_objects.c: valid objects of every kind for null_calls.c, and its expectations. */
#include <poll.h>

#include "null_calls.h"

objects good, out;
const char *doing = "";
const char text[] = "data:,12345678";
_Alignas(16) uint8_t bytes[64];
const sdimage_load_hooks_vtable empty_load_hooks_vtable = {.size = sizeof empty_load_hooks_vtable};
const sdimage_target_vtable empty_target_vtable = {.size = sizeof empty_target_vtable};

static gate sink_is_there = GATE_CLOSED, reply_is_there = GATE_CLOSED;
static int unexpected;
static char first_unexpected[300];

/* --- A sink and a reply exist only while a load waits for them. */

static bool takes_held(void *user_data, const sdimage_request *request) {
    (void)user_data;
    return !strncmp(sdimage_request_url(request, NULL), "held:", 5);
}

static sdimage_status keep_sink(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    (void)user_data, (void)request;
    good.load_sink = sdimage_load_sink_ref(sink);
    gate_open(&sink_is_there);
    return SDIMAGE_STATUS_OK;
}

static void keep_reply(void *user_data, const void *key, size_t length, const sdimage_options *options,
                       sdimage_reply *reply) {
    (void)user_data, (void)key, (void)length, (void)options;
    good.reply = reply;
    gate_open(&reply_is_there);
}

static void never_store(void *user_data, const void *key, size_t length, sdimage_data *data,
                        const sdimage_options *options, sdimage_reply *reply) {
    (void)user_data, (void)key, (void)length, (void)data, (void)options;
    sdimage_reply_unref(reply);
}

static void never_remove(void *user_data, const void *key, size_t length, sdimage_cache_layers layers,
                         sdimage_reply *reply) {
    (void)user_data, (void)key, (void)length, (void)layers;
    sdimage_reply_unref(reply);
}

static sdimage_status refuse_exchange(void *user_data, sdimage_request *request, sdimage_exchange *exchange) {
    (void)user_data, (void)request, (void)exchange;
    return SDIMAGE_STATUS_UNSUPPORTED;
}

static void start_held_loads(void) {
    sdimage_loader_vtable loader_table = {.size = sizeof loader_table, .can_load = takes_held, .load = keep_sink};
    sdimage_cache_vtable cache_table = {
        .size = sizeof cache_table, .query = keep_reply, .store = never_store, .remove = never_remove};
    sdimage_cache *cache = NULL;
    CHECK_EQUAL(sdimage_loader_new_custom("held", &loader_table, NULL, NULL, &good.loader, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_cache_new_custom(&cache_table, NULL, NULL, &cache, NULL), SDIMAGE_STATUS_OK);
    sdimage_request *request = new_request("held:1");
    sdimage_request_set_loader(request, good.loader);
    CHECK_EQUAL(sdimage_manager_load(good.manager, request, NULL, NULL, NULL, NULL, NULL), SDIMAGE_STATUS_OK);
    gate_wait(&sink_is_there, 1);
    sdimage_request_unref(request);
    request = new_request("held:2");
    sdimage_request_set_cache(request, cache);
    CHECK_EQUAL(sdimage_manager_load(good.manager, request, NULL, NULL, NULL, NULL, NULL), SDIMAGE_STATUS_OK);
    gate_wait(&reply_is_there, 1);
    sdimage_request_unref(request);
    sdimage_cache_unref(cache);
}

/* --- An event comes from a queue, a task and a result come from a load. */

static void make_delivery(void) {
    CHECK_EQUAL(sdimage_dispatcher_new_pollable(&good.dispatcher, NULL), SDIMAGE_STATUS_OK);
    good.request = new_request(PNG_DATA_URL);
    sdimage_request *request = sdimage_request_copy(good.request);
    sdimage_request_set_dispatcher(request, good.dispatcher);
    CHECK_EQUAL(sdimage_manager_load(good.manager, request, NULL, NULL, NULL, &good.task, NULL), SDIMAGE_STATUS_OK);
    struct pollfd watched = {.fd = sdimage_dispatcher_descriptor(good.dispatcher), .events = POLLIN};
    while (!good.event) {
        CHECK(poll(&watched, 1, 60000) == 1);
        sdimage_dispatcher_next_event(good.dispatcher, &good.event, NULL);
    }
    CHECK_EQUAL(sdimage_task_wait(good.task, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_task_get_result(good.task, &good.result);
    sdimage_request_unref(request);
}

/* A page and a verification of a cache with a disk part. */
static void examine_disk_cache(void) {
    sdimage_cache *cache = NULL;
    CHECK_EQUAL(sdimage_cache_new(NULL, &cache, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_cache_list(cache, NULL, NULL, 1, &good.cache_page, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_cache_verify(cache, false, &good.cache_verification, NULL), SDIMAGE_STATUS_OK);
    sdimage_cache_unref(cache);
}

static void make_target_and_prefetcher(void) {
    const char *url = PNG_DATA_URL;
    CHECK_EQUAL(sdimage_target_new(good.manager, NULL, &empty_target_vtable, NULL, NULL, &good.target, NULL),
                SDIMAGE_STATUS_OK);
    good.target_options = sdimage_target_options_new();
    good.batch_options = sdimage_batch_options_new(2, 2);
    CHECK_EQUAL(sdimage_prefetcher_new(good.manager, NULL, &good.prefetcher, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(
        sdimage_prefetcher_start(good.prefetcher, &url, NULL, 1, NULL, NULL, NULL, NULL, &good.prefetch_group, NULL),
        SDIMAGE_STATUS_OK);
}

/* The gain map of an HDR rendition: a JPEG of one stop more that follows itself, both with fields of ISO 21496-1. */
static void make_gain_map(void) {
    static const uint8_t fields[] = "\xff\xe2\0\x43urn:iso:std:iso:ts:21496:-1\0\0\0\0\0\x48\0\0\0\1\0\0\0\0\0\0\0\1"
                                    "\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0";
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_image *image = NULL;
    sdimage_data *jpeg = NULL;
    CHECK_EQUAL(sdimage_encode(good.image, SDIMAGE_FORMAT_JPEG, NULL, &jpeg, NULL), SDIMAGE_STATUS_OK);
    const uint8_t *bytes = sdimage_data_bytes(jpeg);
    size_t length = sdimage_data_length(jpeg), one = length + sizeof fields;
    uint8_t *file = malloc(2 * one);
    CHECK(file && length > 2);
    for (uint8_t *to = file; to < file + 2 * one; to += one) {
        memcpy(to, bytes, 2);
        memcpy(to + 2, fields, sizeof fields);
        memcpy(to + 2 + sizeof fields, bytes + 2, length - 2);
    }
    sdimage_decode_options_set_dynamic_range(options, SDIMAGE_DYNAMIC_RANGE_HDR);
    CHECK_EQUAL(sdimage_decode(file, 2 * one, options, &image, NULL), SDIMAGE_STATUS_OK);
    sdimage_image_get_gain_map(image, &good.gain_map);
    CHECK(good.gain_map);
    sdimage_image_unref(image);
    sdimage_data_unref(jpeg);
    sdimage_decode_options_unref(options);
    free(file);
}

/* Two frames, in a player and a view. */
static void make_moving(void) {
    sdimage_image *frames[] = {good.image, good.image}, *moving = NULL;
    const uint32_t durations[] = {10, 10};
    CHECK_EQUAL(sdimage_image_new_animation(frames, durations, 2, 0, &moving, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_frame_provider_new_image(moving, &good.frame_provider, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_player_new(moving, NULL, NULL, NULL, &good.player, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_animated_view_new(NULL, NULL, NULL, &good.animated_view, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_animated_view_set_image(good.animated_view, moving, NULL), SDIMAGE_STATUS_OK);
    sdimage_image_unref(moving);
}

void make_good_objects(void) {
    good.manager = new_manager(NULL, NULL, true);
    sdimage_manager_get_cache(good.manager, &good.cache);
    good.cache_config = sdimage_cache_config_new();
    good.cache_query = sdimage_cache_query_new();
    examine_disk_cache();
    good.data = new_data(png_2x2, sizeof png_2x2);
    CHECK_EQUAL(sdimage_cache_entry_new(good.data, NULL, &good.cache_entry, NULL), SDIMAGE_STATUS_OK);
    good.decode_options = sdimage_decode_options_new();
    good.encode_options = sdimage_encode_options_new();
    CHECK_EQUAL(sdimage_transformer_new_flip(true, false, &good.transformer, NULL), SDIMAGE_STATUS_OK);
    good.downloader_config = sdimage_downloader_config_new();
    CHECK_EQUAL(sdimage_download_hooks_new_base64(&good.download_hooks, NULL), SDIMAGE_STATUS_OK);
    sdimage_transport_vtable transport_table = {.size = sizeof transport_table, .start = refuse_exchange};
    CHECK_EQUAL(sdimage_transport_new_custom(&transport_table, NULL, NULL, &good.transport, NULL), SDIMAGE_STATUS_OK);
    good.response = sdimage_response_new(200);
    good.manager_config = sdimage_manager_config_new();
    CHECK_EQUAL(sdimage_load_hooks_new_custom(&empty_load_hooks_vtable, NULL, NULL, &good.load_hooks, NULL),
                SDIMAGE_STATUS_OK);
    good.options = sdimage_options_new();
    good.error = sdimage_error_new(SDIMAGE_STATUS_BAD_DATA, "bad");
    CHECK_EQUAL(sdimage_coder_get_builtin("png", &good.coder, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_decode(png_2x2, sizeof png_2x2, NULL, &good.image, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_info_new(png_2x2, sizeof png_2x2, NULL, &good.info, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_diagnosis_new(&good.diagnosis, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_image_copy_metadata(good.image, &good.metadata, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_decoder_new(NULL, NULL, &good.decoder, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_source_new_data(good.data, &good.source, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_resources_new(".", NULL, &good.resources, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_plugins_load_all(&good.plugin_list, NULL), SDIMAGE_STATUS_OK);
    make_gain_map();
    make_moving();
    make_delivery();
    make_target_and_prefetcher();
    start_held_loads();
}

#define RELEASE(kind)                                                                                                  \
    do {                                                                                                               \
        sdimage_##kind##_unref(out.kind);                                                                              \
        out.kind = NULL;                                                                                               \
    } while (0)

void release_outputs(void) {
    RELEASE(animated_view);
    RELEASE(cache);
    RELEASE(cache_entry);
    RELEASE(cache_page);
    RELEASE(cache_verification);
    RELEASE(coder);
    RELEASE(data);
    RELEASE(decode_options);
    RELEASE(decoder);
    RELEASE(diagnosis);
    RELEASE(dispatcher);
    RELEASE(download_hooks);
    RELEASE(error);
    RELEASE(event);
    RELEASE(frame_provider);
    RELEASE(gain_map);
    RELEASE(image);
    RELEASE(info);
    RELEASE(load_hooks);
    RELEASE(loader);
    RELEASE(manager);
    RELEASE(metadata);
    RELEASE(prefetch_group);
    RELEASE(prefetcher);
    RELEASE(player);
    RELEASE(plugin_list);
    RELEASE(resources);
    RELEASE(response);
    RELEASE(result);
    RELEASE(source);
    RELEASE(target);
    RELEASE(task);
    RELEASE(transformer);
    RELEASE(transport);
}

/* --- Expectations. */

static void note(const char *what) {
    if (unexpected++ == 0)
        snprintf(first_unexpected, sizeof first_unexpected, "%s: %s", doing, what);
    if (getenv("VERBOSE"))
        fprintf(stderr, "%s: %s\n", doing, what);
}

void expect(bool condition) {
    if (!condition)
        note("not the neutral value");
}

void expect_status(sdimage_status status, int expected) {
    if (expected == ANY || (expected == ANY_ERROR && status < 0))
        return;
    if ((int)status != expected)
        note(sdimage_status_name(status));
}

void finish_calls(void) {
    if (unexpected)
        fail_test(__FILE__, __LINE__, "%d unexpected answers, first %s", unexpected, first_unexpected);
}
