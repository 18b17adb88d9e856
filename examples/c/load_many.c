/* load_many.c: loads many images at once. The callbacks run on the library's thread and count the results.
 *
 *   load_many URL…
 *
 * cc load_many.c $(pkg-config --cflags --libs sdimage) -pthread */
#include <pthread.h>
#include <stdio.h>

#include <sdimage.h>

typedef struct counts {
    pthread_mutex_t lock;
    pthread_cond_t all_done;
    unsigned waiting, loaded, failed;
    uint64_t bytes_of_pixels;
} counts;

/* Runs on the library's callback thread, one call at a time. The arguments are borrowed. */
static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)task;
    counts *counts = user_data;
    if (sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL)
        return; /* better results follow */
    sdimage_image *image = sdimage_result_image(result);
    sdimage_error *error = sdimage_result_error(result);
    if (image)
        printf("%-8s %ux%u %s\n", sdimage_image_source_name(sdimage_result_source(result)), sdimage_image_width(image),
               sdimage_image_height(image), sdimage_result_url(result));
    else
        printf("%-8s %s (%s)\n", sdimage_status_name(sdimage_error_code(error)), sdimage_result_url(result),
               sdimage_error_message(error));

    pthread_mutex_lock(&counts->lock);
    if (image) {
        counts->loaded++;
        counts->bytes_of_pixels += sdimage_image_memory_cost(image);
    } else {
        counts->failed++;
    }
    if (--counts->waiting == 0)
        pthread_cond_signal(&counts->all_done);
    pthread_mutex_unlock(&counts->lock);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: load_many URL...\n", stderr);
        return 2;
    }
    sdimage_manager *manager = NULL;
    sdimage_error *error = NULL;
    if (sdimage_manager_new(NULL, &manager, &error) < 0) {
        fprintf(stderr, "load_many: %s\n", sdimage_error_message(error));
        sdimage_error_unref(error);
        return 1;
    }
    /* Static, because a callback may still use it after a close that timed out. */
    static counts counts = {.lock = PTHREAD_MUTEX_INITIALIZER, .all_done = PTHREAD_COND_INITIALIZER};
    sdimage_load_handler handler = {.size = sizeof handler, .result = on_result};
    for (int i = 1; i < argc; i++) {
        sdimage_request *request = sdimage_request_new(argv[i]);
        pthread_mutex_lock(&counts.lock);
        counts.waiting++;
        pthread_mutex_unlock(&counts.lock);
        if (sdimage_manager_load(manager, request, &handler, &counts, NULL, NULL, &error) < 0) {
            /* A refused load never calls back. */
            fprintf(stderr, "load_many: %s\n", sdimage_error_message(error));
            sdimage_error_unref(error);
            error = NULL;
            pthread_mutex_lock(&counts.lock);
            counts.waiting--;
            counts.failed++;
            pthread_mutex_unlock(&counts.lock);
        }
        sdimage_request_unref(request);
    }
    pthread_mutex_lock(&counts.lock);
    while (counts.waiting > 0)
        pthread_cond_wait(&counts.all_done, &counts.lock);
    pthread_mutex_unlock(&counts.lock);

    /* Returns after the last callback has returned, or when the time is over. */
    if (sdimage_manager_close(manager, 10000, NULL) < 0)
        fputs("load_many: a callback is still running\n", stderr);
    sdimage_manager_unref(manager);
    printf("%u loaded, %u failed, %.1f MB of pixels\n", counts.loaded, counts.failed,
           (double)counts.bytes_of_pixels / 1e6);
    return counts.failed ? 1 : 0;
}
