/* storm.c: many threads load images over HTTP through caches that hold few of them, and cancel some at any time. The
 * pixels of an image encode its number. There must be no wrong image, and exactly one FINAL for each load.
 *
 *   storm [LOADS]     default 20,000; before a release: 200000 */
#include <arpa/inet.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "check.h"

enum { THREADS = 16, PICTURES = 3000, IN_FLIGHT = 64 };

static int loads = 20000;
static int port;
static sdimage_manager *manager;
static atomic_int served, started, finished, good, cancelled, wrong, failed, early;

/* --- The origin: `/N` is a bitmap of two pixels, 24 bits each, that encode N. */

static void put(unsigned char *at, unsigned value, int count) {
    for (int i = 0; i < count; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static size_t make_bitmap(unsigned char bytes[62], unsigned number) {
    memset(bytes, 0, 62);
    memcpy(bytes, "BM", 2);
    put(bytes + 2, 62, 4);
    put(bytes + 10, 54, 4);
    put(bytes + 14, 40, 4);
    put(bytes + 18, 2, 4);
    put(bytes + 22, 1, 4);
    put(bytes + 26, 1, 2);
    put(bytes + 28, 24, 2);
    put(bytes + 54, number, 3);
    put(bytes + 57, ~number, 3);
    return 62;
}

static void *serve(void *argument) {
    int connection = (int)(intptr_t)argument;
    char request[8192], *line;
    size_t length = 0;
    for (ssize_t count; (count = read(connection, request + length, sizeof request - 1 - length)) > 0;) {
        length += (size_t)count;
        request[length] = 0;
        if (!(line = strstr(request, "\r\n\r\n")))
            continue;
        length = 0;
        unsigned char answer[256];
        unsigned number = (unsigned)strtoul(request + 5, NULL, 10);
        int head = snprintf((char *)answer, sizeof answer,
                            "HTTP/1.1 200 OK\r\nContent-Type: image/bmp\r\nContent-Length: 62\r\n\r\n");
        size_t whole = (size_t)head + make_bitmap(answer + head, number);
        if (write(connection, answer, whole) != (ssize_t)whole)
            break;
        atomic_fetch_add(&served, 1);
    }
    close(connection);
    return NULL;
}

static void *accept_all(void *argument) {
    for (;;) {
        int connection = accept((int)(intptr_t)argument, NULL, NULL), on = 1;
        pthread_t thread;
        if (connection < 0)
            return NULL;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)connection) == 0)
            pthread_detach(thread);
    }
}

static void start_origin(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    pthread_t thread;
    CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 256) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&address, &length) == 0);
    port = ntohs(address.sin_port);
    CHECK(pthread_create(&thread, NULL, accept_all, (void *)(intptr_t)listener) == 0);
    pthread_detach(thread);
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
    start_origin();
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
    CHECK_EQUAL(sdimage_manager_close(manager, 10000, NULL), SDIMAGE_STATUS_OK);
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
