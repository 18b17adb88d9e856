#include "worker.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_URLS = 4096 };

static const char *urls[MOST_URLS];
static unsigned url_count;
static sdimage_manager *manager;
static sdimage_cache *cache;
static sdimage_dispatcher *dispatcher;
static atomic_uint waiting, failures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;

static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)user_data, (void)task;
    if (sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL)
        return;
    if (!sdimage_result_image(result)) {
        if (atomic_fetch_add(&failures, 1) < 3)
            fprintf(stderr, "%s: %s\n", sdimage_result_url(result),
                    sdimage_error_message(sdimage_result_error(result)));
    }
    if (atomic_fetch_sub(&waiting, 1) == 1) {
        pthread_mutex_lock(&lock);
        pthread_cond_signal(&all_done);
        pthread_mutex_unlock(&lock);
    }
}

static sdimage_request *request_for(const char *url) {
    sdimage_request *request = sdimage_request_new(url);
    const char *mode = text_of("mode", "cold");
    uint32_t size = (uint32_t)number_of("size", 200);
    sdimage_request_set_thumbnail_size(request, size, size, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    /* As in the libraries compared: the disk stores the originals. Mode `thumbs` stores the thumbnails, too. */
    sdimage_request_set_cache_policy(request, strcmp(mode, "thumbs") ? SDIMAGE_CACHE_POLICY_SKIP_DISK_WRITE
                                                                     : SDIMAGE_CACHE_POLICY_DISK_ONLY);
    if (!strcmp(mode, "cold") || !strcmp(mode, "fetchonly"))
        sdimage_request_set_source_policy(request, SDIMAGE_SOURCE_POLICY_LOADER_ONLY);
    if (!strcmp(text_of("fmt", ""), "bmp"))
        sdimage_request_set_encode_format(request, SDIMAGE_FORMAT_BMP);
    if (!strcmp(mode, "disk")) {
        /* Reads the original's bytes from disk and decodes them each time. */
        sdimage_request_set_cache_policy(
            request, SDIMAGE_CACHE_POLICY_SKIP_MEMORY_READ | SDIMAGE_CACHE_POLICY_SKIP_MEMORY_WRITE |
                         SDIMAGE_CACHE_POLICY_SKIP_DISK_READ | SDIMAGE_CACHE_POLICY_SKIP_DISK_WRITE);
    }
    return request;
}

static void load_all(sdimage_request **requests) {
    sdimage_load_handler handler = {.size = sizeof handler, .result = on_result};
    atomic_store(&waiting, url_count);
    for (unsigned i = 0; i < url_count; i++) {
        sdimage_error *error = NULL;
        if (sdimage_manager_load(manager, requests[i], &handler, NULL, NULL, NULL, &error) < 0)
            fail("load", error);
    }
    pthread_mutex_lock(&lock);
    while (atomic_load(&waiting) > 0)
        pthread_cond_wait(&all_done, &lock);
    pthread_mutex_unlock(&lock);
    if (cache)
        flush_cache(cache);
    if (atomic_load(&failures) > 0)
        fail("loads failed", NULL);
}

static sdimage_request *requests[MOST_URLS];

static void set_source_policies(sdimage_source_policy policy) {
    for (unsigned i = 0; i < url_count; i++)
        sdimage_request_set_source_policy(requests[i], policy);
}

/* Fills the disk once; the measured loads read it. */
static void fill_disk(void) {
    sdimage_error *error = NULL;
    set_source_policies(SDIMAGE_SOURCE_POLICY_LOADER_ONLY);
    load_all(requests);
    if (sdimage_manager_flush(manager, 60000, &error) < 0)
        fail("flush", error);
    set_source_policies(SDIMAGE_SOURCE_POLICY_CACHE_ONLY);
}

static long run_fetch(long count) {
    for (long i = 0; i < count; i++)
        load_all(requests);
    return count;
}

/* For fetchonly: a coder that skips decoding. */
static bool takes_all(void *user_data, const void *bytes, size_t length) {
    (void)user_data, (void)bytes;
    return length > 0;
}

static sdimage_status decode_to_dot(void *user_data, const void *bytes, size_t length,
                                    const sdimage_decode_options *options, sdimage_image **image,
                                    sdimage_error **error) {
    (void)user_data, (void)bytes, (void)length, (void)options;
    return sdimage_image_new(1, 1, 4, SDIMAGE_PIXEL_FORMAT_RGBA8, "dot", image, error);
}

static sdimage_loader *new_downloader(void) {
    sdimage_downloader_config *config = sdimage_downloader_config_new();
    sdimage_loader *loader = NULL;
    sdimage_error *error = NULL;
    sdimage_downloader_config_set_max_per_host(config, (uint32_t)number_of("conc", 16));
    if (!strncmp(text_of("url", ""), "https", 5)) {
        /* The loopback origin uses a self-signed certificate, two folders above the list's folder. */
        char path[PATH_MAX];
        const char *list = text_of("list", ""), *slash = strrchr(list, '/');
        snprintf(path, sizeof path, "%.*s/../../cert.pem", slash ? (int)(slash - list) : 0, list);
        char *certificate = realpath(path, NULL);
        if (!certificate)
            skip("no certificate of the origin");
        sdimage_downloader_config_set_ca_file(config, certificate);
        free(certificate);
    }
    if (sdimage_downloader_new(config, &loader, &error) < 0)
        fail("downloader", error);
    sdimage_downloader_config_unref(config);
    return loader;
}

static void open_manager(bool fetch_only) {
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_loader *loader = new_downloader();
    sdimage_error *error = NULL;
    if (sdimage_dispatcher_new_immediate(&dispatcher, &error) < 0)
        fail("dispatcher", error);
    if (!fetch_only) {
        make_folder(text_of("dir", ""));
        cache = open_cache(text_of("dir", ""));
    }
    sdimage_manager_config_set_cache(config, cache);
    sdimage_manager_config_set_loader(config, loader);
    sdimage_manager_config_set_dispatcher(config, dispatcher);
    if (sdimage_manager_new(config, &manager, &error) < 0)
        fail("manager", error);
    sdimage_manager_config_unref(config);
    sdimage_loader_unref(loader);
}

int serve_fetch(void) {
    const char *mode = text_of("mode", "cold");
    bool fetch_only = !strcmp(mode, "fetchonly");
    sdimage_coder *coder = NULL;
    sdimage_coder_vtable table = {.size = sizeof table, .can_decode = takes_all, .decode = decode_to_dot};
    sdimage_error *error = NULL;
    url_count = (unsigned)read_list(urls, MOST_URLS);
    open_manager(fetch_only);
    if (fetch_only && sdimage_coder_new_custom("nothing", &table, NULL, NULL, &coder, &error) < 0)
        fail("coder", error);
    for (unsigned i = 0; i < url_count; i++) {
        requests[i] = request_for(urls[i]);
        if (coder)
            sdimage_request_set_coder(requests[i], coder);
    }
    if (!strcmp(mode, "disk") || !strcmp(mode, "thumbs")) {
        fill_disk();
    } else if (!strcmp(mode, "memory")) {
        load_all(requests);
    }
    return serve(run_fetch);
}
