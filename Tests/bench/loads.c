#include "worker.h"

#include <arpa/inet.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Loads that wait: the cost of submitting them, and their memory. They wait for a listening socket that accepts
 * nothing. */

static sdimage_manager *manager;
static sdimage_cache *memory;

static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)user_data, (void)task;
    touched += (unsigned)sdimage_result_kind(result);
}

/* `most_images`: the limit of the memory cache; 0: none. */
static void open_manager(sdimage_loader *loader, size_t most_images) {
    sdimage_error *error = NULL;
    sdimage_cache_config *small = sdimage_cache_config_new();
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_dispatcher *dispatcher = NULL;
    sdimage_cache_config_set_memory_only(small, true);
    if (sdimage_cache_new(small, &memory, &error) < 0 || sdimage_dispatcher_new_immediate(&dispatcher, &error) < 0)
        fail("cache", error);
    sdimage_manager_config_set_dispatcher(config, dispatcher);
    sdimage_cache_set_memory_limits(memory, 0, most_images);
    sdimage_manager_config_set_cache(config, memory);
    if (loader)
        sdimage_manager_config_set_loader(config, loader);
    if (sdimage_manager_new(config, &manager, &error) < 0)
        fail("manager", error);
    sdimage_manager_config_unref(config);
    sdimage_cache_config_unref(small);
    sdimage_dispatcher_unref(dispatcher);
}

static sdimage_request **make_requests(const char *origin, long count) {
    sdimage_request **requests = calloc((size_t)count, sizeof *requests);
    char url[200];
    for (long i = 0; i < count; i++) {
        snprintf(url, sizeof url, "%s/photos/%07ld_t.jpg", origin, i);
        requests[i] = sdimage_request_new(url);
    }
    return requests;
}

static void listen_silently(char origin[64]) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) || listen(listener, 64) ||
        getsockname(listener, (struct sockaddr *)&address, &length))
        skip("no socket");
    snprintf(origin, 64, "http://127.0.0.1:%u", ntohs(address.sin_port));
}

static sdimage_request **requests;
static long request_count;

static void start_load(sdimage_request *request) {
    static const sdimage_load_handler handler = {.size = sizeof handler, .result = on_result};
    sdimage_error *error = NULL;
    if (sdimage_manager_load(manager, request, &handler, NULL, NULL, NULL, &error) < 0)
        fail("load", error);
}

static void cancel_loads(void) {
    sdimage_error *error = NULL;
    double cpu = cpu_seconds();
    sdimage_manager_cancel_all(manager);
    if (sdimage_manager_wait_all(manager, 60000, &error) < 0)
        fail("wait", error);
    unclocked_cpu += cpu_seconds() - cpu;
}

static double thread_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Reports the processor time of the calling thread as the wall time, because other threads begin to transfer. Loads are
 * cancelled outside the measured time, so that at most `loads=` of them wait. */
static long run_submit(long count) {
    double begun = wall_seconds(), own = 0;
    for (long done = 0; done < count;) {
        double start = thread_seconds();
        for (long i = 0; i < request_count && done < count; i++, done++)
            start_load(requests[i]);
        own += thread_seconds() - start;
        cancel_loads();
    }
    unclocked_wall = wall_seconds() - begun - own;
    return count;
}

/* Stores an image for each request in memory. */
static void fill_memory(void) {
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    if (sdimage_image_new(1, 1, 4, SDIMAGE_PIXEL_FORMAT_RGBA8, "dot", &image, &error) < 0)
        fail("image", error);
    for (long i = 0; i < request_count; i++) {
        sdimage_data *key = NULL;
        if (sdimage_manager_get_entry_key(manager, requests[i], &key, &error) < 0)
            fail("key", error);
        sdimage_cache_set_memory_image(memory, sdimage_data_bytes(key), sdimage_data_length(key), image, NULL);
        sdimage_data_unref(key);
    }
    sdimage_image_unref(image);
}

int serve_submit(void) {
    char origin[64];
    request_count = number_of("loads", 1000);
    listen_silently(origin);
    open_manager(NULL, 0);
    requests = make_requests(origin, request_count);
    if (!strcmp(text_of("op", "miss"), "hit"))
        fill_memory();
    return serve(run_submit);
}

/* Waits until the library's threads allocate nothing more. */
static size_t settled_bytes(void) {
    size_t before = 0, now;
    for (int quiet = 0; quiet < 20; before = now) {
        usleep(10000);
        struct mallinfo2 found = mallinfo2();
        now = found.uordblks + found.hblkhd; /* heap, and mapped blocks */
        quiet = now == before ? quiet + 1 : 0;
    }
    return before;
}

int run_waiting(void) {
    char origin[64];
    listen_silently(origin);
    open_manager(NULL, 0);
    long count = number_of("loads", 10000);
    requests = make_requests(origin, 2 * count);
    for (long i = 0; i < count; i++)
        start_load(requests[i]);
    size_t bytes = settled_bytes();
    long before = status_of("VmRSS:");
    for (long i = count; i < 2 * count; i++)
        start_load(requests[i]);
    size_t added = settled_bytes() - bytes;
    printf("loads=%ld bytes_each=%.0f rss_each=%.0f\n", count, (double)added / (double)count,
           (double)(status_of("VmRSS:") - before) * 1024 / (double)count);
    fflush(stdout);
    sdimage_manager_cancel_all(manager);
    return 0;
}

/* One group of many URLs, whose images a loader of this program provides at once. */

static sdimage_data *body;

static bool can_load(void *user_data, const sdimage_request *request) {
    (void)user_data, (void)request;
    return true;
}

static sdimage_status provide(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    (void)user_data, (void)request;
    sdimage_load_sink_finish_with_data(sink, body);
    return SDIMAGE_STATUS_OK;
}

static void open_prefetcher(sdimage_prefetcher **prefetcher) {
    /* 1 x 1 pixel (GIF). */
    static const char dot[] =
        "GIF89a\1\0\1\0\200\0\0\377\0\0\377\377\377!\371\4\0\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;";
    sdimage_loader_vtable table = {.size = sizeof table, .can_load = can_load, .load = provide};
    sdimage_loader *loader = NULL;
    sdimage_error *error = NULL;
    if (sdimage_data_new(dot, sizeof dot - 1, &body, &error) < 0 ||
        sdimage_loader_new_custom("dots", &table, NULL, NULL, &loader, &error) < 0)
        fail("loader", error);
    open_manager(loader, 1000);
    sdimage_loader_unref(loader);
    if (sdimage_prefetcher_new(manager, NULL, prefetcher, &error) < 0)
        fail("prefetcher", error);
}

static char **make_urls(size_t count) {
    char **urls = calloc(count, sizeof *urls);
    for (size_t i = 0; i < count; i++) {
        urls[i] = malloc(64);
        snprintf(urls[i], 64, "https://img.example.com/photos/%07zu_t.gif", i);
    }
    return urls;
}

int run_prefetch(void) {
    size_t count = (size_t)number_of("urls", 100000);
    sdimage_prefetcher *prefetcher = NULL;
    sdimage_prefetch_group *group = NULL;
    sdimage_error *error = NULL;
    open_prefetcher(&prefetcher);
    char **urls = make_urls(count);
    long before = status_of("VmRSS:");
    double wall = wall_seconds(), cpu = cpu_seconds();
    if (sdimage_prefetcher_start(prefetcher, (const char *const *)urls, NULL, count, NULL, NULL, NULL, NULL, &group,
                                 &error) < 0 ||
        sdimage_prefetch_group_wait(group, UINT32_MAX, &error) < 0)
        fail("prefetch", error);
    printf("urls=%zu skipped=%zu wall=%.3f cpu=%.3f rss_before_kb=%ld rss_most_kb=%ld\n", count,
           sdimage_prefetch_group_skipped_count(group), wall_seconds() - wall, cpu_seconds() - cpu, before,
           status_of("VmHWM:"));
    return 0;
}
