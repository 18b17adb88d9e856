/* cache.c: opening caches, and their memory part, which never blocks. job.c has the rest. */
#include <stdlib.h>

#include "binding.h"

/* Makes a configuration of the properties of an object, for the caller to release. */
static sdimage_cache_config *config_of(napi_env env, napi_value object) {
    sdimage_cache_config *config = sdimage_cache_config_new();
    double value;
    bool flag;
    /* The library copies the texts. */
    char *directory = text_property(env, object, "directory"), *name = text_property(env, object, "namespace");
    if (directory)
        sdimage_cache_config_set_directory(config, directory);
    if (name)
        sdimage_cache_config_set_namespace(config, name);
    free(directory);
    free(name);
    if (has_bool(env, object, "memoryOnly", &flag))
        sdimage_cache_config_set_memory_only(config, flag);
    if (has_number(env, object, "maxMemoryCost", &value))
        sdimage_cache_config_set_max_memory_cost(config, (size_t)value);
    if (has_number(env, object, "maxMemoryCount", &value))
        sdimage_cache_config_set_max_memory_count(config, (size_t)value);
    if (has_number(env, object, "maxDiskSize", &value))
        sdimage_cache_config_set_max_disk_size(config, (uint64_t)value);
    if (has_number(env, object, "maxDiskAge", &value))
        sdimage_cache_config_set_max_disk_age(config, (int64_t)value);
    return config;
}

/* cacheNew(options) */
napi_value cache_new(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS];
    sdimage_cache *cache = NULL;
    sdimage_error *error = NULL;
    arguments(env, info, values);
    sdimage_cache_config *config = config_of(env, values[0]);
    sdimage_status status = sdimage_cache_new(config, &cache, &error);
    sdimage_cache_config_unref(config);
    return status < 0 ? throw_error(env, status, error) : handle_wrap(env, CACHE, cache);
}

/* cacheMemoryImage(cache, key) => image or null */
napi_value cache_memory_image(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS], none;
    size_t length = 0;
    arguments(env, info, values);
    sdimage_cache *cache = handle_get(env, values[0], CACHE);
    char *key = cache ? text_of(env, values[1], &length) : NULL;
    sdimage_image *image = NULL;
    if (key)
        sdimage_cache_get_memory_image(cache, key, length, &image);
    free(key);
    napi_get_null(env, &none);
    return image ? image_fields(env, image) : none;
}

/* cacheSetMemoryImage(cache, key, image) */
napi_value cache_set_memory_image(napi_env env, napi_callback_info info) {
    napi_value values[MAX_ARGUMENTS];
    sdimage_error *error = NULL;
    size_t length = 0;
    arguments(env, info, values);
    sdimage_cache *cache = handle_get(env, values[0], CACHE);
    sdimage_image *image = cache ? handle_get(env, values[2], IMAGE) : NULL;
    char *key = image ? text_of(env, values[1], &length) : NULL;
    if (!key)
        return NULL;
    sdimage_status status = sdimage_cache_set_memory_image(cache, key, length, image, &error);
    free(key);
    return status < 0 ? throw_error(env, status, error) : NULL;
}
