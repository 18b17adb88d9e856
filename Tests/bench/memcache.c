/* Look-ups follow Zipf's law with exponent 0.9. With `apart` each thread has its own images. Stores of `put` bring new
   images into a full cache. */
#include "worker.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEQUENCE = 1 << 17, KEY = 64 };

static char (*keys)[KEY];
static uint8_t *lengths;
static uint32_t sequence[SEQUENCE];
static sdimage_cache *cache;
static sdimage_image **pictures;
static long operations_each, items, stored;
static bool is_mixed, is_apart, is_load, is_put;
static sdimage_manager *manager;
static sdimage_request **requests;

static void look_up_one(uint32_t item) {
    sdimage_image *image = NULL;
    sdimage_cache_get_memory_image(cache, keys[item], lengths[item], &image);
    sdimage_image_unref(image);
}

static void store_one(uint32_t item) {
    sdimage_cache_set_memory_image(cache, keys[item], lengths[item], pictures[item], NULL);
}

static void take_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)user_data, (void)task;
    if (!sdimage_result_image(result))
        fail("load", NULL);
}

static void load_one(uint32_t item) {
    static const sdimage_load_handler handler = {.size = sizeof handler, .result = take_result};
    sdimage_manager_load(manager, requests[item], &handler, NULL, NULL, NULL, NULL);
}

static void *look_up(void *argument) {
    uint32_t thread = (uint32_t)(uintptr_t)argument, threads = is_apart ? (uint32_t)number_of("threads", 1) : 1;
    uint32_t at = thread * 104729 % SEQUENCE;
    for (long i = 0; i < operations_each; i++, at = (at + 1) % SEQUENCE) {
        uint32_t item = is_put ? (uint32_t)((stored + thread * operations_each + i) % items) : sequence[at];
        if (threads > 1)
            item = (item / threads * threads + thread) % (uint32_t)items;
        if (is_put || (is_mixed && (i & 15) == 15))
            store_one(item);
        else if (is_load)
            load_one(item);
        else
            look_up_one(item);
    }
    return NULL;
}

static long run_memcache(long count) {
    long threads = number_of("threads", 1);
    pthread_t running[64];
    operations_each = count / threads;
    for (long i = 0; i < threads; i++)
        pthread_create(&running[i], NULL, look_up, (void *)(uintptr_t)i);
    for (long i = 0; i < threads; i++)
        pthread_join(running[i], NULL);
    stored += operations_each * threads;
    return operations_each * threads;
}

static void make_sequence(void) {
    double *sums = malloc((size_t)items * sizeof *sums), sum = 0;
    uint64_t random = 42;
    for (long i = 0; i < items; i++)
        sums[i] = sum += 1 / pow((double)(i + 1), 0.9);
    for (long i = 0; i < SEQUENCE; i++) {
        random = mix(random + (uint64_t)i + 1);
        double wanted = (double)(random >> 11) * 0x1p-53 * sum;
        long low = 0, high = items - 1;
        while (low < high) {
            long middle = (low + high) / 2;
            if (sums[middle] < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        sequence[i] = (uint32_t)(mix((uint64_t)low) % (uint64_t)items);
    }
    free(sums);
}

static void open_manager(void) {
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_dispatcher *dispatcher = NULL;
    sdimage_error *error = NULL;
    if (sdimage_dispatcher_new_immediate(&dispatcher, &error) < 0)
        fail("dispatcher", error);
    sdimage_manager_config_set_cache(config, cache);
    sdimage_manager_config_set_dispatcher(config, dispatcher);
    if (sdimage_manager_new(config, &manager, &error) < 0)
        fail("manager", error);
    sdimage_manager_config_unref(config);
    requests = calloc((size_t)items, sizeof(sdimage_request *));
    for (long i = 0; i < items; i++)
        requests[i] = sdimage_request_new(keys[i]);
}

int serve_memcache(void) {
    const char *operation = text_of("op", "get");
    items = number_of("items", 10000);
    is_apart = number_of("apart", 0);
    is_mixed = !strcmp(operation, "mixed");
    is_put = !strcmp(operation, "put");
    is_load = !strcmp(operation, "load");
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache_config_set_memory_only(config, true);
    if (is_put)
        sdimage_cache_config_set_max_memory_count(config, (uint64_t)items / 2);
    sdimage_error *error = NULL;
    if (number_of("threads", 1) > 64 || sdimage_cache_new(config, &cache, &error) < 0)
        fail("cache", error);
    keys = calloc((size_t)items, KEY);
    lengths = calloc((size_t)items, 1);
    pictures = calloc((size_t)items, sizeof(sdimage_image *));
    for (long i = 0; i < items; i++) {
        lengths[i] = (uint8_t)snprintf(keys[i], KEY, "https://img.example.com/photos/%06ld_t.jpg", i);
        if (sdimage_image_new(1, 1, 4, SDIMAGE_PIXEL_FORMAT_RGBA8, "dot", &pictures[i], &error) < 0)
            fail("image", error);
        sdimage_cache_set_memory_image(cache, keys[i], lengths[i], pictures[i], NULL);
    }
    make_sequence();
    if (is_load)
        open_manager();
    return serve(run_memcache);
}
