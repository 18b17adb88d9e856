/* load_hooks.c: loads images from URLs that carry a token. All tokens share one cache entry, private images are not
 * stored, and every load gets a thumbnail.
 *
 *   load_hooks URL…
 *
 * cc load_hooks.c $(pkg-config --cflags --libs sdimage) */
#include <stdio.h>
#include <string.h>

#include <sdimage.h>

/* The cache key consists of scheme, host and path; private images are not stored. */
static sdimage_data *key_of(void *user_data, const sdimage_request *request) {
    size_t length = 0;
    const char *url = sdimage_request_url(request, &length);
    const char *query = memchr(url, '?', length);
    sdimage_data *key = NULL;
    (void)user_data;
    if (!strstr(url, "/private/"))
        sdimage_data_new(url, query ? (size_t)(query - url) : length, &key, NULL);
    return key;
}

static void make_small(void *user_data, sdimage_request *request) {
    const unsigned *side = user_data;
    sdimage_request_set_thumbnail_size(request, *side, *side, SDIMAGE_SCALE_MODE_ASPECT_FIT);
}

/* Remembers only 404. A failure with an expired token must not be remembered: the next token may be valid. */
static bool is_gone(void *user_data, const sdimage_request *request, const sdimage_error *error) {
    (void)user_data, (void)request;
    return sdimage_error_http_status(error) == 404;
}

static int load(sdimage_manager *manager, const char *url) {
    sdimage_request *request = sdimage_request_new(url);
    sdimage_result *result = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = sdimage_manager_load_sync(manager, request, &result, &error);
    const sdimage_image *image = sdimage_result_image(result);
    if (status >= 0)
        printf("%u x %u from %s\n", sdimage_image_width(image), sdimage_image_height(image),
               sdimage_image_source_name(sdimage_result_source(result)));
    else
        fprintf(stderr, "%s\n", sdimage_error_message(error));
    sdimage_result_unref(result);
    sdimage_error_unref(error);
    sdimage_request_unref(request);
    return status < 0;
}

int main(int argc, char **argv) {
    if (argc < 2)
        return fputs("usage: load_hooks URL…\n", stderr), 2;
    static unsigned side = 32;
    sdimage_load_hooks_vtable table = {
        .size = sizeof table, .process_request = make_small, .cache_key = key_of, .should_remember_failure = is_gone};
    sdimage_cache_config *cache_config = sdimage_cache_config_new();
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_load_hooks *hooks = NULL;
    sdimage_cache *cache = NULL;
    sdimage_manager *manager = NULL;
    sdimage_error *error = NULL;
    int failures = 0;

    sdimage_cache_config_set_memory_only(cache_config, true);
    if (sdimage_load_hooks_new_custom(&table, &side, NULL, &hooks, &error) >= 0 &&
        sdimage_cache_new(cache_config, &cache, &error) >= 0) {
        sdimage_manager_config_set_cache(config, cache);
        sdimage_manager_config_set_load_hooks(config, hooks);
        sdimage_manager_new(config, &manager, &error);
    }
    if (error)
        fprintf(stderr, "%s\n", sdimage_error_message(error));
    for (int i = 1; manager && i < argc; i++)
        failures += load(manager, argv[i]);

    sdimage_manager_unref(manager);
    sdimage_cache_unref(cache);
    sdimage_load_hooks_unref(hooks);
    sdimage_manager_config_unref(config);
    sdimage_cache_config_unref(cache_config);
    failures += error != NULL;
    sdimage_error_unref(error);
    return failures > 0;
}
