#include "worker.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Many images of one size in one array: by the function for batches, or by loads whose images the program copies. */

enum { MOST_URLS = 4096, CHANNELS = 3 };

static const char *urls[MOST_URLS];
static size_t url_count, side, filled;
static uint8_t *pixels;
static sdimage_manager *manager;
static sdimage_batch_options *options;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void load_batch(void) {
    sdimage_prefetch_group *group = NULL;
    sdimage_error *error = NULL;
    if (sdimage_manager_load_batch(manager, options, urls, NULL, url_count, pixels, url_count * side * side * CHANNELS,
                                   NULL, NULL, NULL, &group, &error) < 0 ||
        sdimage_prefetch_group_wait(group, UINT32_MAX, &error) < 0 || sdimage_prefetch_group_skipped_count(group) > 0)
        fail("batch", error);
    sdimage_prefetch_group_unref(group);
}

/* Copies the rows of the image, resized and cropped as by the batch. */
static void copy_image(size_t slot, const sdimage_image *image) {
    sdimage_image *scaled = NULL;
    sdimage_error *error = NULL;
    if (sdimage_image_resize(image, (double)side, (double)side, SDIMAGE_SCALE_MODE_ASPECT_FILL, &scaled, &error) < 0)
        fail("resize", error);
    for (size_t row = 0; row < side; row++)
        memcpy(pixels + (slot * side + row) * side * CHANNELS,
               (const uint8_t *)sdimage_image_pixels(scaled) + row * sdimage_image_stride(scaled), side * CHANNELS);
    sdimage_image_unref(scaled);
}

static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)task;
    if (sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL)
        return;
    if (!sdimage_result_image(result))
        fail("load", sdimage_result_error(result));
    copy_image((size_t)(uintptr_t)user_data, sdimage_result_image(result));
    pthread_mutex_lock(&lock);
    filled++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void load_each(void) {
    static const sdimage_load_handler handler = {.size = sizeof handler, .result = on_result};
    sdimage_error *error = NULL;
    filled = 0;
    for (size_t i = 0; i < url_count; i++) {
        sdimage_request *request = sdimage_request_new(urls[i]);
        sdimage_request_set_pixel_format(request, SDIMAGE_PIXEL_FORMAT_RGB8);
        sdimage_request_set_thumbnail_size(request, (uint32_t)side, (uint32_t)side, SDIMAGE_SCALE_MODE_ASPECT_FILL);
        if (sdimage_manager_load(manager, request, &handler, (void *)i, NULL, NULL, &error) < 0)
            fail("load", error);
        sdimage_request_unref(request);
    }
    pthread_mutex_lock(&lock);
    while (filled < url_count)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static long run_batch(long count) {
    bool is_batch = !strcmp(text_of("op", "batch"), "batch");
    for (long i = 0; i < count; i++) {
        if (is_batch)
            load_batch();
        else
            load_each();
        touched += pixels[0];
    }
    return count;
}

int serve_batch(void) {
    sdimage_error *error = NULL;
    sdimage_dispatcher *dispatcher = NULL;
    sdimage_manager_config *config = sdimage_manager_config_new();
    side = (size_t)number_of("size", 224);
    url_count = read_list(urls, MOST_URLS);
    pixels = calloc(url_count, side * side * CHANNELS);
    options = sdimage_batch_options_new((uint32_t)side, (uint32_t)side);
    if (sdimage_dispatcher_new_immediate(&dispatcher, &error) < 0)
        fail("dispatcher", error);
    sdimage_manager_config_set_dispatcher(config, dispatcher);
    sdimage_manager_config_set_cache(config, NULL);
    if (!pixels || sdimage_manager_new(config, &manager, &error) < 0)
        fail("manager", error);
    sdimage_manager_config_unref(config);
    return serve(run_batch);
}
