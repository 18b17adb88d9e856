/* custom.c: custom loaders, coders and caches of the host, in C. */
#include "check.h"

static sdimage_result *load_sync(sdimage_manager *manager, const char *url, sdimage_status expected) {
    sdimage_request *request = new_request(url);
    sdimage_result *result = NULL;
    sdimage_status status = sdimage_manager_load_sync(manager, request, &result, NULL);
    if (status != expected)
        fail_test(__FILE__, __LINE__, "%s: %s, not %s", url, sdimage_status_name(status),
                  sdimage_status_name(expected));
    sdimage_request_unref(request);
    return result;
}

static void expect_loaded(sdimage_manager *manager, const char *url, sdimage_image_source source) {
    sdimage_result *result = load_sync(manager, url, SDIMAGE_STATUS_OK);
    CHECK(sdimage_result_image(result) != NULL);
    CHECK_EQUAL(sdimage_result_source(result), source);
    sdimage_result_unref(result);
}

/* --- Loaders: the URL selects the behavior. */

static bool takes_test(void *user_data, const sdimage_request *request) {
    (void)user_data;
    return !strncmp(sdimage_request_url(request, NULL), "test:", 5);
}

static void *write_later(void *argument) {
    sdimage_load_sink *sink = argument;
    sdimage_load_sink_set_expected_length(sink, sizeof png_2x2);
    for (size_t i = 0; i < sizeof png_2x2; i += 10) {
        size_t length = sizeof png_2x2 - i < 10 ? sizeof png_2x2 - i : 10;
        CHECK_EQUAL(sdimage_load_sink_write(sink, png_2x2 + i, length, NULL), SDIMAGE_STATUS_OK);
    }
    sdimage_load_sink_finish(sink, NULL);
    CHECK_EQUAL(sdimage_load_sink_write(sink, "x", 1, NULL), SDIMAGE_STATUS_INVALID_ARGUMENT);
    sdimage_load_sink_finish(sink, NULL);
    sdimage_load_sink_unref(sink);
    return NULL;
}

static void finish_with_error(sdimage_load_sink *sink) {
    sdimage_error *error = sdimage_error_new(SDIMAGE_STATUS_OFFLINE, "the cable is out");
    sdimage_load_sink_finish(sink, error);
    sdimage_error_unref(error);
}

static void finish_with_data(sdimage_load_sink *sink) {
    sdimage_data *data = new_data(png_2x2, sizeof png_2x2);
    sdimage_load_sink_finish_with_data(sink, data);
    sdimage_data_unref(data);
}

static void finish_with_image(sdimage_load_sink *sink) {
    sdimage_image *image = NULL;
    CHECK_EQUAL(sdimage_decode(gif_1x1, sizeof gif_1x1, NULL, &image, NULL), SDIMAGE_STATUS_OK);
    sdimage_load_sink_finish_with_image(sink, image);
    sdimage_image_unref(image);
}

static sdimage_status load_test(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    const char *what = sdimage_request_url(request, NULL) + strlen("test:");
    pthread_t thread;
    atomic_fetch_add((atomic_int *)user_data, 1);
    if (!strcmp(what, "later")) {
        CHECK_EQUAL(pthread_create(&thread, NULL, write_later, sdimage_load_sink_ref(sink)), 0);
        pthread_detach(thread);
    } else if (!strcmp(what, "error")) {
        finish_with_error(sink);
    } else if (!strcmp(what, "data")) {
        finish_with_data(sink);
    } else if (!strcmp(what, "image")) {
        finish_with_image(sink);
    } else if (!strcmp(what, "option")) {
        const sdimage_options *options = sdimage_request_options(request);
        CHECK(!strcmp(sdimage_options_string(options, "token", ""), "abc"));
        CHECK_EQUAL(sdimage_options_int64(options, "number", 0), 42);
        CHECK_EQUAL(sdimage_options_int64(options, "token", 7), 7);
        finish_with_data(sink);
    } else if (!strcmp(what, "refuse")) {
        return SDIMAGE_STATUS_PERMISSION_DENIED;
    } /* "forget": neither references nor finishes the sink */
    return SDIMAGE_STATUS_OK;
}

static sdimage_loader *new_test_loader(atomic_int *loads) {
    sdimage_loader_vtable table = {.size = sizeof table, .can_load = takes_test, .load = load_test};
    sdimage_loader *loader = NULL;
    CHECK_EQUAL(sdimage_loader_new_custom("test", &table, loads, NULL, &loader, NULL), SDIMAGE_STATUS_OK);
    CHECK(!strcmp(sdimage_loader_name(loader), "test"));
    return loader;
}

static sdimage_manager *new_test_manager(atomic_int *loads) {
    sdimage_loader *loader = new_test_loader(loads), *chain = NULL, *files = NULL;
    CHECK_EQUAL(sdimage_loader_new_chain(&chain, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_loader_new_file(&files, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_loader_chain_add(chain, files, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_loader_chain_add(chain, loader, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager *manager = new_manager(NULL, chain, true);
    sdimage_loader_unref(loader);
    sdimage_loader_unref(files);
    sdimage_loader_unref(chain);
    return manager;
}

static void aLoaderMayAnswerInEveryWay(void) {
    atomic_int loads = 0;
    sdimage_manager *manager = new_test_manager(&loads);
    expect_loaded(manager, "test:later", SDIMAGE_IMAGE_SOURCE_LOADER);
    expect_loaded(manager, "test:later", SDIMAGE_IMAGE_SOURCE_MEMORY);
    expect_loaded(manager, "test:data", SDIMAGE_IMAGE_SOURCE_LOADER);
    expect_loaded(manager, "test:image", SDIMAGE_IMAGE_SOURCE_LOADER);
    expect_loaded(manager, "test:image", SDIMAGE_IMAGE_SOURCE_MEMORY);
    CHECK_EQUAL(atomic_load(&loads), 3);
    sdimage_manager_unref(manager);
}

static void aLoadersFailureIsTheLoads(void) {
    atomic_int loads = 0;
    sdimage_manager *manager = new_test_manager(&loads);
    sdimage_result *result = load_sync(manager, "test:error", SDIMAGE_STATUS_OFFLINE);
    CHECK(!strcmp(sdimage_error_message(sdimage_result_error(result)), "the cable is out"));
    sdimage_result_unref(result);
    sdimage_result_unref(load_sync(manager, "test:refuse", SDIMAGE_STATUS_PERMISSION_DENIED));
    sdimage_result_unref(load_sync(manager, "test:forget", SDIMAGE_STATUS_INTERNAL_ERROR));
    sdimage_result_unref(load_sync(manager, "other:x", SDIMAGE_STATUS_SCHEME_FORBIDDEN));
    sdimage_manager_unref(manager);
}

static void aRequestsOwnValuesReachTheLoader(void) {
    atomic_int loads = 0;
    sdimage_manager *manager = new_test_manager(&loads);
    sdimage_options *options = sdimage_options_new();
    sdimage_options_set_string(options, "token", "abc");
    sdimage_options_set_int64(options, "number", 42);
    sdimage_request *request = new_request("test:option");
    sdimage_request_set_options(request, options);
    sdimage_options_unref(options);
    sdimage_result *result = NULL;
    CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
}

/* --- Coders: "DOT" followed by three bytes of color. */

static bool is_dot(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return length == 6 && !memcmp(bytes, "DOT", 3);
}

static sdimage_status decode_dot(void *user_data, const void *bytes, size_t length,
                                 const sdimage_decode_options *options, sdimage_image **image, sdimage_error **error) {
    (void)length, (void)options;
    atomic_fetch_add((atomic_int *)user_data, 1);
    return sdimage_image_new(1, 1, 3, SDIMAGE_PIXEL_FORMAT_RGB8, (const char *)bytes + 3, image, error);
}

static void aRegisteredCoderIsAskedUntilItIsTakenOut(void) {
    sdimage_coder_vtable table = {.size = sizeof table, .can_decode = is_dot, .decode = decode_dot};
    static atomic_int decodes;
    sdimage_coder *coder = NULL;
    sdimage_image *image = NULL;
    CHECK(sdimage_decode("DOT\1\2\3", 6, NULL, &image, NULL) == SDIMAGE_STATUS_NOT_AN_IMAGE);
    CHECK_EQUAL(sdimage_coder_new_custom("dot", &table, &decodes, NULL, &coder, NULL), SDIMAGE_STATUS_OK);
    CHECK(!strcmp(sdimage_coder_name(coder), "dot"));
    CHECK_EQUAL(sdimage_coder_register(coder, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_decode("DOT\1\2\3", 6, NULL, &image, NULL), SDIMAGE_STATUS_OK);
    CHECK(!memcmp(sdimage_image_pixels(image), "\1\2\3", 3));
    sdimage_image_unref(image);

    sdimage_manager *manager = new_manager(NULL, NULL, false);
    sdimage_result_unref(load_sync(manager, "data:image/x-dot;base64,RE9UAQID", SDIMAGE_STATUS_OK));
    sdimage_manager_unref(manager);
    CHECK_EQUAL(atomic_load(&decodes), 2);

    CHECK_EQUAL(sdimage_coder_unregister(coder, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_coder_unregister(coder, NULL), SDIMAGE_STATUS_NOT_FOUND);
    CHECK(sdimage_decode("DOT\1\2\3", 6, NULL, &image, NULL) == SDIMAGE_STATUS_NOT_AN_IMAGE);
    sdimage_coder_unref(coder);
}

/* --- A coder of "PAGES": its page `dot.page` has that number of pixels in width and one in height, and is white
 * from page 2 on. */

static int64_t page_of(const sdimage_decode_options *options) {
    return sdimage_options_int64(sdimage_decode_options_options(options), "dot.page", 1);
}

static bool is_pages(void *user_data, const void *bytes, size_t length) {
    (void)user_data;
    return length >= 5 && !memcmp(bytes, "PAGES", 5);
}

static sdimage_status describe_page(void *user_data, const void *bytes, size_t length,
                                    const sdimage_decode_options *options, sdimage_metadata *metadata,
                                    sdimage_error **error) {
    (void)user_data, (void)bytes, (void)length, (void)error;
    sdimage_metadata_set_source_size(metadata, (uint32_t)page_of(options), 1);
    return SDIMAGE_STATUS_OK;
}

static sdimage_status render_page(void *user_data, const void *bytes, size_t length,
                                  const sdimage_decode_options *options, sdimage_size size, sdimage_image **image,
                                  sdimage_error **error) {
    (void)user_data, (void)bytes, (void)length;
    void *pixels = NULL;
    size_t stride = 0;
    sdimage_status status = sdimage_image_new_uninitialized(size.width, size.height, SDIMAGE_PIXEL_FORMAT_GRAY8, image,
                                                            &pixels, &stride, error);
    if (status >= 0)
        memset(pixels, page_of(options) > 1 ? 255 : 0, stride * size.height);
    return status;
}

static sdimage_status decode_page(void *user_data, const void *bytes, size_t length,
                                  const sdimage_decode_options *options, sdimage_image **image, sdimage_error **error) {
    sdimage_size size = {(uint32_t)sdimage_options_int64(sdimage_decode_options_options(options), "dot.page", 1), 1};
    return render_page(user_data, bytes, length, options, size, image, error);
}

static void valuesOfADecodeReachEveryFunctionOfACoder(void) {
    sdimage_coder_vtable table = {.size = sizeof table,
                                  .can_decode = is_pages,
                                  .decode = decode_page,
                                  .render = render_page,
                                  .describe = describe_page};
    sdimage_coder *coder = NULL;
    sdimage_image *image = NULL, *again = NULL;
    sdimage_options *values = sdimage_options_new();
    sdimage_decode_options *options = sdimage_decode_options_new();
    CHECK(sdimage_decode_options_options(options) == NULL);
    CHECK_EQUAL(sdimage_decode_options_max_work_ms(options), 10000);
    sdimage_options_set_int64(values, "dot.page", 6);
    sdimage_decode_options_set_options(options, values);
    sdimage_decode_options_set_max_work_ms(options, 770000);
    CHECK_EQUAL(sdimage_decode_options_max_work_ms(options), 770000);
    CHECK_EQUAL(sdimage_coder_new_custom("pages", &table, NULL, NULL, &coder, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_coder_register(coder, NULL), SDIMAGE_STATUS_OK);

    CHECK_EQUAL(sdimage_decode("PAGES", 5, options, &image, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_image_width(image), 6);
    CHECK_EQUAL(sdimage_image_render(image, 3, 2, &again, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(*(const uint8_t *)sdimage_image_pixels(again), 255);
    sdimage_image_unref(again);
    sdimage_image_unref(image);

    sdimage_decode_options_set_thumbnail_size(options, 12, 12, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    CHECK_EQUAL(sdimage_decode("PAGES", 5, options, &image, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_image_width(image), 12);
    CHECK_EQUAL(sdimage_image_height(image), 2);
    CHECK_EQUAL(sdimage_image_source_size(image).width, 6);
    sdimage_image_unref(image);

    CHECK_EQUAL(sdimage_coder_unregister(coder, NULL), SDIMAGE_STATUS_OK);
    sdimage_coder_unref(coder);
    sdimage_decode_options_unref(options);
}

static void theBuiltInCodersHaveNames(void) {
    static const char *const names[] = {"basic", "gif", "apng", "webp", "heif", "avif", "jpeg", "png", "bmp", "ico"};
    sdimage_coder *coder = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK_EQUAL(sdimage_coder_get_builtin(names[i], &coder, NULL), SDIMAGE_STATUS_OK);
        CHECK(!strcmp(sdimage_coder_name(coder), names[i]));
        sdimage_coder_unref(coder);
        coder = NULL;
    }
    CHECK_EQUAL(sdimage_coder_get_builtin("xyz", &coder, NULL), SDIMAGE_STATUS_NOT_FOUND);
    CHECK(coder == NULL);
}

static void coderListsCanBeEmptiedAndRestored(void) {
    sdimage_coder *before = NULL, *after = NULL;
    sdimage_image *image = NULL;
    size_t count = sdimage_coder_registered_count();
    CHECK(count > 0);
    CHECK_EQUAL(sdimage_coder_get_registered(0, &before, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_coder_get_registered(count, &after, NULL), SDIMAGE_STATUS_NOT_FOUND);
    CHECK(sdimage_can_decode(png_2x2, sizeof png_2x2));
    sdimage_coder_unregister_all();
    CHECK_EQUAL(sdimage_coder_registered_count(), 0);
    CHECK(!sdimage_can_decode(png_2x2, sizeof png_2x2));
    CHECK_EQUAL(sdimage_decode(png_2x2, sizeof png_2x2, NULL, &image, NULL), SDIMAGE_STATUS_UNSUPPORTED);
    sdimage_coder_register_builtin();
    CHECK_EQUAL(sdimage_coder_registered_count(), count);
    CHECK_EQUAL(sdimage_coder_get_registered(0, &after, NULL), SDIMAGE_STATUS_OK);
    CHECK(!strcmp(sdimage_coder_name(before), sdimage_coder_name(after)));
    CHECK_EQUAL(sdimage_decode(png_2x2, sizeof png_2x2, NULL, &image, NULL), SDIMAGE_STATUS_OK);
    sdimage_image_unref(image);
    sdimage_coder_unref(before);
    sdimage_coder_unref(after);
}

/* --- Caches: one entry with slow replies. */

typedef struct host_cache {
    pthread_mutex_t lock;
    sdimage_data *data;
    char key[128];
    int queries, stores;
    bool forgets_replies;
    gate stored;
} host_cache;

typedef struct delayed_reply {
    sdimage_reply *reply;
    sdimage_data *data;
} delayed_reply;

static void *reply_later(void *argument) {
    delayed_reply *delayed = argument;
    if (delayed->data)
        sdimage_reply_complete_with_data(delayed->reply, delayed->data);
    else
        sdimage_reply_complete(delayed->reply);
    sdimage_reply_complete(delayed->reply); /* ignored */
    sdimage_data_unref(delayed->data);
    sdimage_reply_unref(delayed->reply);
    free(delayed);
    return NULL;
}

static void query_host(void *user_data, const void *key, size_t length, const sdimage_options *options,
                       sdimage_reply *reply) {
    (void)options;
    host_cache *host = user_data;
    pthread_t thread;
    pthread_mutex_lock(&host->lock);
    host->queries++;
    bool has = host->data && strlen(host->key) == length && !memcmp(host->key, key, length);
    delayed_reply *delayed = malloc(sizeof *delayed);
    delayed->reply = reply;
    delayed->data = has ? sdimage_data_ref(host->data) : NULL;
    bool forgets = host->forgets_replies;
    pthread_mutex_unlock(&host->lock);
    if (forgets) {
        sdimage_reply_unref(reply);
        sdimage_data_unref(delayed->data);
        free(delayed);
        return;
    }
    CHECK_EQUAL(pthread_create(&thread, NULL, reply_later, delayed), 0);
    pthread_detach(thread);
}

static void store_in_host(void *user_data, const void *key, size_t length, sdimage_data *data,
                          const sdimage_options *options, sdimage_reply *reply) {
    (void)options;
    host_cache *host = user_data;
    pthread_mutex_lock(&host->lock);
    sdimage_data_unref(host->data);
    host->data = sdimage_data_ref(data);
    snprintf(host->key, sizeof host->key, "%.*s", (int)length, (const char *)key);
    host->stores++;
    pthread_mutex_unlock(&host->lock);
    sdimage_reply_complete(reply);
    sdimage_reply_unref(reply);
    gate_open(&host->stored);
}

static void remove_from_host(void *user_data, const void *key, size_t length, sdimage_cache_layers layers,
                             sdimage_reply *reply) {
    (void)user_data, (void)key, (void)length, (void)layers;
    sdimage_reply_complete(reply);
    sdimage_reply_unref(reply);
}

static sdimage_manager *manager_with(host_cache *host) {
    sdimage_cache_vtable table = {
        .size = sizeof table, .query = query_host, .store = store_in_host, .remove = remove_from_host};
    sdimage_cache *cache = NULL;
    CHECK_EQUAL(sdimage_cache_new_custom(&table, host, NULL, &cache, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_cache_flush(cache, NULL), SDIMAGE_STATUS_UNSUPPORTED);
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager_config_set_cache(config, cache);
    static atomic_int loads;
    sdimage_loader *loader = new_test_loader(&loads);
    sdimage_manager_config_set_loader(config, loader);
    sdimage_loader_unref(loader);
    sdimage_manager *manager = NULL;
    CHECK_EQUAL(sdimage_manager_new(config, &manager, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager_config_unref(config);
    sdimage_cache_unref(cache);
    return manager;
}

static void aCacheOfTheHostIsQueriedAndStoredTo(void) {
    static host_cache host = {.lock = PTHREAD_MUTEX_INITIALIZER, .stored = GATE_CLOSED};
    sdimage_manager *manager = manager_with(&host);
    const char *url = "test:data";
    expect_loaded(manager, url, SDIMAGE_IMAGE_SOURCE_LOADER);
    gate_wait(&host.stored, 1);
    CHECK(!strcmp(host.key, url));
    CHECK_EQUAL(sdimage_data_length(host.data), sizeof png_2x2);
    expect_loaded(manager, url, SDIMAGE_IMAGE_SOURCE_DISK);
    CHECK_EQUAL(host.queries, 2);
    CHECK_EQUAL(host.stores, 1);
    CHECK_EQUAL(sdimage_manager_close(manager, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager_unref(manager);
    sdimage_data_unref(host.data);
}

static void aForgottenReplyDoesNotFailTheLoad(void) {
    static host_cache host = {.lock = PTHREAD_MUTEX_INITIALIZER, .forgets_replies = true, .stored = GATE_CLOSED};
    sdimage_manager *manager = manager_with(&host);
    expect_loaded(manager, "test:data", SDIMAGE_IMAGE_SOURCE_LOADER);
    gate_wait(&host.stored, 1);
    CHECK_EQUAL(host.queries, 1);
    CHECK_EQUAL(sdimage_manager_close(manager, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager_unref(manager);
    sdimage_data_unref(host.data);
}

/* --- Loaders of images: one shown immediately, the final one still encoded, and numbers in place of bytes. */

typedef struct picture_load {
    gate shown, over;
    uint32_t first, last;
    int64_t received, expected;
    bool has_data;
    atomic_int loads;
} picture_load;

static sdimage_status load_pictures(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    picture_load *load = user_data;
    sdimage_image *small = NULL;
    sdimage_data *data = new_data(png_2x2, sizeof png_2x2);
    sdimage_decode_options *options = sdimage_decode_options_new();
    (void)request;
    atomic_fetch_add(&load->loads, 1);
    CHECK_EQUAL(sdimage_decode(gif_1x1, sizeof gif_1x1, NULL, &small, NULL), SDIMAGE_STATUS_OK);
    sdimage_load_sink_report_progress(sink, 40, 100);
    sdimage_load_sink_show(sink, small);
    gate_wait(&load->shown, 1);
    sdimage_load_sink_finish_with_encoded(sink, data, options);
    sdimage_load_sink_show(sink, small);
    sdimage_load_sink_report_progress(sink, 90, 100);
    sdimage_decode_options_unref(options);
    sdimage_data_unref(data);
    sdimage_image_unref(small);
    return SDIMAGE_STATUS_OK;
}

static void picture_delivered(void *user_data, sdimage_task *task, sdimage_result *result) {
    picture_load *load = user_data;
    uint32_t width = sdimage_image_width(sdimage_result_image(result));
    (void)task;
    if (sdimage_result_kind(result) == SDIMAGE_DELIVERY_KIND_PARTIAL) {
        load->first = width;
        gate_open(&load->shown);
        return;
    }
    load->last = width;
    load->has_data = sdimage_result_data(result) != NULL;
    gate_open(&load->over);
}

static void picture_progressed(void *user_data, sdimage_task *task, int64_t received, int64_t expected) {
    picture_load *load = user_data;
    (void)task;
    load->received = received;
    load->expected = expected;
}

static bool shares_nothing(void *user_data, const sdimage_request *request) {
    (void)user_data, (void)request;
    return false;
}

static void loadersMayShowAPictureBeforeTheFinalOne(void) {
    static const sdimage_load_handler handler = {
        .size = sizeof handler, .result = picture_delivered, .progress = picture_progressed};
    static const sdimage_loader_vtable table = {.size = sizeof table, .can_load = takes_test, .load = load_pictures};
    picture_load load = {.shown = GATE_CLOSED, .over = GATE_CLOSED};
    sdimage_loader *loader = NULL;
    CHECK_EQUAL(sdimage_loader_new_custom("pictures", &table, &load, NULL, &loader, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager *manager = new_manager(NULL, loader, true);
    sdimage_request *request = new_request("test:pictures");
    CHECK_EQUAL(sdimage_manager_load(manager, request, &handler, &load, NULL, NULL, NULL), SDIMAGE_STATUS_OK);
    gate_wait(&load.over, 1);
    CHECK_EQUAL(load.first, 1);
    CHECK_EQUAL(load.last, 2);
    CHECK_EQUAL(load.received, 40);
    CHECK_EQUAL(load.expected, 100);
    CHECK(!load.has_data);
    expect_loaded(manager, "test:pictures", SDIMAGE_IMAGE_SOURCE_MEMORY);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    sdimage_loader_unref(loader);
}

static bool are_two(void *argument) {
    return atomic_load(&((picture_load *)argument)->loads) == 2;
}

static void loadersSayWhetherLoadsOfOneUrlAreOne(void) {
    static const sdimage_load_handler handler = {.size = sizeof handler};
    sdimage_loader_vtable table = {.size = sizeof table, .can_load = takes_test, .load = load_pictures};
    for (int shares = 0; shares < 2; shares++) {
        picture_load load = {.shown = GATE_CLOSED, .over = GATE_CLOSED};
        table.can_share = shares ? NULL : shares_nothing;
        sdimage_loader *loader = NULL;
        sdimage_task *tasks[2] = {NULL, NULL};
        CHECK_EQUAL(sdimage_loader_new_custom("pictures", &table, &load, NULL, &loader, NULL), SDIMAGE_STATUS_OK);
        sdimage_manager *manager = new_manager(NULL, loader, false);
        sdimage_request *request = new_request("test:pictures");
        for (int i = 0; i < 2; i++)
            CHECK_EQUAL(sdimage_manager_load(manager, request, &handler, NULL, NULL, &tasks[i], NULL),
                        SDIMAGE_STATUS_OK);
        if (!shares)
            CHECK(becomes_true(are_two, &load));
        gate_open(&load.shown);
        for (int i = 0; i < 2; i++) {
            CHECK_EQUAL(sdimage_task_wait(tasks[i], 60000, NULL), SDIMAGE_STATUS_OK);
            sdimage_task_unref(tasks[i]);
        }
        CHECK_EQUAL(atomic_load(&load.loads), shares ? 1 : 2);
        sdimage_request_unref(request);
        sdimage_manager_unref(manager);
        sdimage_loader_unref(loader);
    }
}

static sdimage_status load_unstorable(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    (void)user_data;
    sdimage_load_sink_set_storable(sink, strcmp(sdimage_request_url(request, NULL), "test:own") != 0);
    finish_with_data(sink);
    return SDIMAGE_STATUS_OK;
}

static void loadersMayKeepWhatTheyBringOffTheDisk(void) {
    static const sdimage_loader_vtable table = {.size = sizeof table, .can_load = takes_test, .load = load_unstorable};
    static const char *const urls[] = {"test:own", "test:other"};
    sdimage_cache_config *cache_config = sdimage_cache_config_new();
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_loader *loader = NULL;
    sdimage_cache *cache = NULL;
    sdimage_manager *manager = NULL;
    sdimage_cache_config_set_directory(cache_config, temporary_folder());
    CHECK_EQUAL(sdimage_cache_new(cache_config, &cache, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_loader_new_custom("own", &table, NULL, NULL, &loader, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager_config_set_cache(config, cache);
    sdimage_manager_config_set_loader(config, loader);
    CHECK_EQUAL(sdimage_manager_new(config, &manager, NULL), SDIMAGE_STATUS_OK);
    for (int i = 0; i < 2; i++) {
        sdimage_request *request = new_request(urls[i]);
        sdimage_result *result = NULL;
        sdimage_cache_page *page = NULL;
        sdimage_request_set_wait_for_store(request, true);
        CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
        CHECK(sdimage_result_data(result) != NULL);
        CHECK_EQUAL(sdimage_cache_list(cache, NULL, NULL, 10, &page, NULL), SDIMAGE_STATUS_OK);
        CHECK_EQUAL(sdimage_cache_page_count(page), i);
        sdimage_cache_page_unref(page);
        sdimage_result_unref(result);
        sdimage_request_unref(request);
    }
    sdimage_manager_unref(manager);
    sdimage_loader_unref(loader);
    sdimage_cache_unref(cache);
    sdimage_manager_config_unref(config);
    sdimage_cache_config_unref(cache_config);
}

int main(void) {
    static const test tests[] = {
        TEST(aLoaderMayAnswerInEveryWay),
        TEST(aLoadersFailureIsTheLoads),
        TEST(aRequestsOwnValuesReachTheLoader),
        TEST(aRegisteredCoderIsAskedUntilItIsTakenOut),
        TEST(valuesOfADecodeReachEveryFunctionOfACoder),
        TEST(theBuiltInCodersHaveNames),
        TEST(coderListsCanBeEmptiedAndRestored),
        TEST(aCacheOfTheHostIsQueriedAndStoredTo),
        TEST(aForgottenReplyDoesNotFailTheLoad),
        TEST(loadersMayShowAPictureBeforeTheFinalOne),
        TEST(loadersSayWhetherLoadsOfOneUrlAreOne),
        TEST(loadersMayKeepWhatTheyBringOffTheDisk),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
