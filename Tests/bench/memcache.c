/* Look-ups follow Zipf's law with exponent 0.9. With `apart` each thread has its own images. */
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
static long operations_each, items;
static bool is_mixed, is_apart;

static void *look_up(void *argument) {
    uint32_t thread = (uint32_t)(uintptr_t)argument, threads = is_apart ? (uint32_t)number_of("threads", 1) : 1;
    uint32_t at = thread * 104729 % SEQUENCE;
    for (long i = 0; i < operations_each; i++, at = (at + 1) % SEQUENCE) {
        uint32_t item = sequence[at];
        if (threads > 1)
            item = (item / threads * threads + thread) % (uint32_t)items;
        const char *key = keys[item];
        size_t length = lengths[item];
        if (is_mixed && (i & 15) == 15) {
            sdimage_cache_set_memory_image(cache, key, length, pictures[item], NULL);
        } else {
            sdimage_image *image = NULL;
            sdimage_cache_get_memory_image(cache, key, length, &image);
            sdimage_image_unref(image);
        }
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

int serve_memcache(void) {
    items = number_of("items", 10000);
    is_apart = number_of("apart", 0);
    is_mixed = !strcmp(text_of("op", "get"), "mixed");
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache_config_set_memory_only(config, true);
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
    return serve(run_memcache);
}
