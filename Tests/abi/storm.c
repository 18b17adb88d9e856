/* storm.c: many threads load images over HTTP through caches that hold few of them, and cancel some at any time. The
 * pixels of an image encode its number. There must be no wrong image, and exactly one FINAL for each load.
 *
 *   storm [LOADS]     default 20,000; before a release: 200000 */
#include "check.h"
#include "server.h"

enum { THREADS = 16, PICTURES = 3000, IN_FLIGHT = 64 };

static int loads = 20000;
static int port;
static sdimage_manager *manager;
static atomic_int served, started, finished, good, cancelled, wrong, failed, early;

/* --- The origin: `/N` is a bitmap of two pixels, 24 bits each, that encode N. */

enum { BITMAP = BITMAP_HEAD + 8 };

static bool respond(int connection, unsigned number) {
    unsigned char response[256];
    int head = snprintf((char *)response, sizeof response,
                        "HTTP/1.1 200 OK\r\nContent-Type: image/bmp\r\nContent-Length: %d\r\n\r\n", BITMAP);
    unsigned char *bitmap = response + head;
    put_bitmap_head(bitmap, 2, 1);
    put_number(bitmap + BITMAP_HEAD, number, 3);
    put_number(bitmap + BITMAP_HEAD + 3, ~number, 3);
    put_number(bitmap + BITMAP_HEAD + 6, 0, 2);
    bool is_sent = send_bytes(connection, response, (size_t)head + BITMAP);
    atomic_fetch_add(&served, is_sent);
    return is_sent;
}

/* --- The loads. */

typedef struct one {
    unsigned number;
    atomic_int finals;
} one;

static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    one *one = user_data;
    (void)task;
    if (sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL || atomic_fetch_add(&one->finals, 1) > 0) {
        atomic_fetch_add(&early, 1);
        return;
    }
    sdimage_image *image = sdimage_result_image(result);
    sdimage_status status = sdimage_error_code(sdimage_result_error(result));
    const unsigned char *pixel = sdimage_image_pixels(image);
    if (!image) {
        atomic_fetch_add(status == SDIMAGE_STATUS_CANCELLED ? &cancelled : &failed, 1);
    } else {
        unsigned number = pixel[2] | (unsigned)pixel[1] << 8 | (unsigned)pixel[0] << 16;
        atomic_fetch_add(number == one->number ? &good : &wrong, 1);
    }
}

static void on_destroy(void *user_data) {
    atomic_fetch_add(&finished, atomic_load(&((one *)user_data)->finals) == 1);
    free(user_data);
}

static void *load_many(void *argument) {
    static const sdimage_load_handler handler = {.size = sizeof handler, .result = on_result};
    unsigned seed = (unsigned)(uintptr_t)argument * 7919 + 1;
    sdimage_task *tasks[IN_FLIGHT] = {NULL};
    for (int i = 0; i < loads / THREADS; i++) {
        one *one = calloc(1, sizeof *one);
        char url[64];
        CHECK(one != NULL);
        one->number = (unsigned)rand_r(&seed) % PICTURES;
        snprintf(url, sizeof url, "http://127.0.0.1:%d/%u", port, one->number);
        sdimage_request *request = sdimage_request_new(url);
        int place = i % IN_FLIGHT;
        /* Limits the number of concurrent loads: the oldest is awaited or cancelled. */
        if (tasks[place] && rand_r(&seed) % 4)
            sdimage_task_wait(tasks[place], UINT32_MAX, NULL);
        sdimage_task_cancel(tasks[place]);
        sdimage_task_unref(tasks[place]);
        atomic_fetch_add(&started, 1);
        CHECK_EQUAL(sdimage_manager_load(manager, request, &handler, one, on_destroy, &tasks[place], NULL),
                    SDIMAGE_STATUS_OK);
        sdimage_request_unref(request);
        sdimage_task *any = tasks[rand_r(&seed) % IN_FLIGHT];
        if (any && rand_r(&seed) % 5 == 0)
            sdimage_task_cancel(any);
    }
    for (int i = 0; i < IN_FLIGHT; i++)
        sdimage_task_unref(tasks[i]);
    return NULL;
}

static bool all_finished(void *argument) {
    (void)argument;
    return atomic_load(&finished) == atomic_load(&started);
}

static void noWrongPictureInAStormOfLoads(void) {
    port = start_server(respond);
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache_config_set_directory(config, temporary_folder());
    sdimage_cache_config_set_max_memory_count(config, 50);
    sdimage_cache_config_set_max_disk_size(config, 256 << 10);
    sdimage_cache *cache = NULL;
    CHECK_EQUAL(sdimage_cache_new(config, &cache, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager_config *settings = sdimage_manager_config_new();
    sdimage_manager_config_set_cache(settings, cache);
    CHECK_EQUAL(sdimage_manager_new(settings, &manager, NULL), SDIMAGE_STATUS_OK);
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, load_many, (void *)(i + 1)) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK(becomes_true(all_finished, NULL));
    CHECK_EQUAL(sdimage_manager_close(manager, 60000, NULL), SDIMAGE_STATUS_OK);
    fprintf(stderr, "%d loads: %d right, %d cancelled, %d failed; the origin was asked %d times\n",
            atomic_load(&started), atomic_load(&good), atomic_load(&cancelled), atomic_load(&failed),
            atomic_load(&served));
    CHECK_EQUAL(atomic_load(&wrong), 0);
    CHECK_EQUAL(atomic_load(&early), 0);
    CHECK_EQUAL(atomic_load(&failed), 0);
    CHECK(atomic_load(&good) > 0 && atomic_load(&cancelled) > 0);
    CHECK_EQUAL(atomic_load(&good) + atomic_load(&cancelled), atomic_load(&started));
    sdimage_manager_unref(manager);
    sdimage_cache_unref(cache);
    sdimage_cache_config_unref(config);
    sdimage_manager_config_unref(settings);
}

int main(int count, char **arguments) {
    static const test tests[] = {TEST(noWrongPictureInAStormOfLoads)};
    if (count > 1)
        loads = atoi(arguments[1]);
    return run_tests(tests, sizeof tests / sizeof *tests);
}
