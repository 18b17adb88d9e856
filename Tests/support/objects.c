/* objects.c: the objects that most tests need. */
#include "check.h"

sdimage_manager *new_manager(sdimage_dispatcher *dispatcher, sdimage_loader *loader, bool has_cache) {
    sdimage_cache *cache = NULL;
    if (has_cache) {
        sdimage_cache_config *cache_config = sdimage_cache_config_new();
        sdimage_cache_config_set_memory_only(cache_config, true);
        CHECK_EQUAL(sdimage_cache_new(cache_config, &cache, NULL), SDIMAGE_STATUS_OK);
        sdimage_cache_config_unref(cache_config);
    }
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager_config_set_cache(config, cache);
    sdimage_manager_config_set_dispatcher(config, dispatcher);
    if (loader)
        sdimage_manager_config_set_loader(config, loader);
    sdimage_manager *manager = NULL;
    CHECK_EQUAL(sdimage_manager_new(config, &manager, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager_config_unref(config);
    sdimage_cache_unref(cache);
    return manager;
}

sdimage_request *new_request(const char *url) {
    sdimage_request *request = sdimage_request_new(url);
    CHECK(request != NULL);
    return request;
}

sdimage_image *memory_image(const sdimage_cache *cache, const void *key, size_t length) {
    sdimage_image *image = NULL;
    sdimage_cache_get_memory_image(cache, key, length, &image);
    return image;
}

sdimage_data *new_data(const void *bytes, size_t length) {
    sdimage_data *data = NULL;
    CHECK_EQUAL(sdimage_data_new(bytes, length, &data, NULL), SDIMAGE_STATUS_OK);
    return data;
}

long frame_statistic(const char *name) {
    sdimage_data *json = NULL;
    char pattern[40];
    CHECK_EQUAL(sdimage_frame_budget_statistics_to_json(&json, NULL), SDIMAGE_STATUS_OK);
    snprintf(pattern, sizeof pattern, "\"%s\":", name);
    const char *found = strstr(sdimage_data_bytes(json), pattern);
    long value = found ? atol(found + strlen(pattern)) : -1;
    sdimage_data_unref(json);
    return value;
}

long live_pixel_bytes(void) {
    static const char name[] = "\nsdimage_pixel_bytes{state=\"live\"} ";
    sdimage_data *text = NULL;
    CHECK_EQUAL(sdimage_metrics(&text, NULL), SDIMAGE_STATUS_OK);
    const char *found = memmem(sdimage_data_bytes(text), sdimage_data_length(text), name, sizeof name - 1);
    CHECK(found != NULL);
    long value = (long)strtod(found + sizeof name - 1, NULL);
    sdimage_data_unref(text);
    return value;
}
