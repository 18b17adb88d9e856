/* exits FILE ENCODES: ends while loads of the file are decoded, and decodes it again after all other exit handlers and
 * the destructors of the libraries; if ENCODES is 1, it also encodes the image as HEIC then. Exit status 3: a load
 * ended with another error than SHUTDOWN; 4: the later decode did not end with it; 5: nor did the encode. */
#include <sdimage.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOADS = 100 };

static const char *path;
static sdimage_manager *manager;
/* The image to encode; NULL for none. */
static sdimage_image *image;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int results, failures;

static void note_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)user_data, (void)task;
    const sdimage_error *error = sdimage_result_error(result);
    bool is_expected = !error || sdimage_error_code(error) == SDIMAGE_STATUS_SHUTDOWN;
    if (!is_expected)
        fprintf(stderr, "%s\n", sdimage_error_message(error));
    pthread_mutex_lock(&lock);
    results++;
    failures += !is_expected;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_for_results(int count) {
    pthread_mutex_lock(&lock);
    while (results < count)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* Registered before any handler of a library, and so called after all of them (atexit(3)). */
static void end(void) {
    wait_for_results(LOADS);
    if (failures)
        _exit(3);
    sdimage_image *late = NULL;
    if (sdimage_decode_file(path, NULL, &late, NULL) != SDIMAGE_STATUS_SHUTDOWN)
        _exit(4);
    sdimage_data *data = NULL;
    if (image && sdimage_encode(image, SDIMAGE_FORMAT_HEIC, NULL, &data, NULL) != SDIMAGE_STATUS_SHUTDOWN)
        _exit(5);
}

static bool start_load(int number) {
    static const sdimage_load_handler handler = {.size = sizeof handler, .result = note_result};
    char key[16];
    sdimage_request *request = sdimage_request_new_file(path);
    /* Loads with equal keys share one decode. */
    snprintf(key, sizeof key, "%d", number);
    sdimage_request_set_cache_key(request, key, strlen(key));
    sdimage_status status = sdimage_manager_load(manager, request, &handler, NULL, NULL, NULL, NULL);
    sdimage_request_unref(request);
    return status == SDIMAGE_STATUS_OK;
}

int main(int count, char **arguments) {
    if (count != 3 || atexit(end) != 0 || sdimage_manager_get_shared(&manager, NULL) != SDIMAGE_STATUS_OK)
        _exit(2);
    path = arguments[1];
    sdimage_plugins_load_all(NULL, NULL);
    if (*arguments[2] == '1' && sdimage_decode_file(path, NULL, &image, NULL) != SDIMAGE_STATUS_OK)
        _exit(2);
    for (int i = 0; i < LOADS; i++)
        if (!start_load(i))
            _exit(2);
    wait_for_results(1);
    return 0;
}
