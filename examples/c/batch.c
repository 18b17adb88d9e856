/* batch.c: loads many images of one size into one array, as machine-learning programs need them.
 *
 *   batch WIDTH HEIGHT URL…        prints the mean color of each
 *
 * cc batch.c $(pkg-config --cflags --libs sdimage) */
#include <stdio.h>
#include <stdlib.h>

#include <sdimage.h>

enum { CHANNELS = 3 };

static void print_mean(const uint8_t *image, size_t pixels, const char *url) {
    unsigned long long sums[CHANNELS] = {0};
    for (size_t i = 0; i < pixels; i++)
        for (int c = 0; c < CHANNELS; c++)
            sums[c] += image[i * CHANNELS + c];
    printf("%3llu %3llu %3llu  %s\n", sums[0] / pixels, sums[1] / pixels, sums[2] / pixels, url);
}

/* Slots of failed images are unchanged. The group holds the errors, in the order of the failures. */
static void print_failures(const sdimage_prefetch_group *group, const char *const *urls) {
    size_t index;
    sdimage_error *why = NULL;
    for (size_t i = 0; sdimage_prefetch_group_get_failure(group, i, &index, &why, NULL) >= 0; i++) {
        printf("%s: %s (%s)\n", urls[index], sdimage_error_message(why), sdimage_status_name(sdimage_error_code(why)));
        sdimage_error_unref(why);
    }
}

int main(int argc, char **argv) {
    uint32_t width = argc > 3 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    uint32_t height = argc > 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    if (!width || !height) {
        fputs("usage: batch WIDTH HEIGHT URL...\n", stderr);
        return 2;
    }
    const char *const *urls = (const char *const *)argv + 3;
    size_t count = (size_t)argc - 3;

    sdimage_manager *manager = NULL;
    sdimage_prefetch_group *group = NULL;
    sdimage_error *error = NULL;
    sdimage_batch_options *options = sdimage_batch_options_new(width, height); /* RGB, cropped to fill the size */
    size_t size = sdimage_batch_options_array_size(options, count);
    uint8_t *pixels = calloc(size, 1);
    size_t failed = count;
    if (pixels && sdimage_manager_new(NULL, &manager, &error) >= 0 &&
        sdimage_manager_load_batch(manager, options, urls, NULL, count, pixels, size, NULL, NULL, NULL, &group,
                                   &error) >= 0 &&
        sdimage_prefetch_group_wait(group, UINT32_MAX, &error) >= 0) {
        size_t each = (size_t)width * height;
        for (size_t i = 0; i < count; i++)
            print_mean(pixels + i * each * CHANNELS, each, urls[i]);
        print_failures(group, urls);
        failed = sdimage_prefetch_group_skipped_count(group);
    } else {
        fprintf(stderr, "batch: %s\n", pixels ? sdimage_error_message(error) : "out of memory");
    }
    sdimage_error_unref(error);
    sdimage_prefetch_group_unref(group);
    sdimage_manager_unref(manager);
    sdimage_batch_options_unref(options);
    free(pixels);
    return failed ? 1 : 0;
}
