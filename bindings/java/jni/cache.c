/* cache.c: native methods of caches.
 *
 * Keys are bytes. Methods that touch the disk block. A missing entry is null or 0, not an exception. */
#include <stdlib.h>

#include "shim.h"

/* Opens a cache. A directory or namespace of null is the default. */
jlong NATIVE(cacheNew)(JNIEnv *env, jclass self, jbyteArray directory, jbyteArray name, jboolean is_memory_only,
                       jlong max_memory_cost, jlong max_memory_count, jlong max_disk_size, jboolean has_max_disk_age,
                       jlong max_disk_age) {
    sdimage_cache *cache = NULL;
    sdimage_error *error = NULL;
    (void)self;
    sdimage_cache_config *config = sdimage_cache_config_new();
    char *path = bytes_of(env, directory, NULL), *space = bytes_of(env, name, NULL);
    if (path)
        sdimage_cache_config_set_directory(config, path);
    if (space)
        sdimage_cache_config_set_namespace(config, space);
    free(path);
    free(space);
    sdimage_cache_config_set_memory_only(config, is_memory_only);
    sdimage_cache_config_set_max_memory_cost(config, (size_t)max_memory_cost);
    sdimage_cache_config_set_max_memory_count(config, (size_t)max_memory_count);
    sdimage_cache_config_set_max_disk_size(config, (uint64_t)max_disk_size);
    /* Negative values are no limit. */
    if (has_max_disk_age)
        sdimage_cache_config_set_max_disk_age(config, max_disk_age);
    sdimage_status status = SDIMAGE_STATUS_NO_MEMORY;
    if (config && !(*env)->ExceptionCheck(env)) /* a cache without a configuration would have the defaults */
        status = sdimage_cache_new(config, &cache, &error);
    sdimage_cache_config_unref(config);
    return failed(env, status, error) ? 0 : address(cache);
}

/* Returns a reference for Java; 0 for a missing entry. */
jlong NATIVE(cacheMemoryImage)(JNIEnv *env, jclass self, jlong cache, jbyteArray name) {
    size_t length = 0;
    (void)self;
    char *key = bytes_of(env, name, &length);
    sdimage_image *image = NULL;
    if (key)
        sdimage_cache_get_memory_image(pointer(cache), key, length, &image);
    free(key);
    return address(image);
}

void NATIVE(cacheSetMemoryImage)(JNIEnv *env, jclass self, jlong cache, jbyteArray name, jlong image) {
    sdimage_error *error = NULL;
    size_t length = 0;
    (void)self;
    char *key = bytes_of(env, name, &length);
    sdimage_status status = sdimage_cache_set_memory_image(pointer(cache), key, length, pointer(image), &error);
    failed(env, status, error);
    free(key);
}

/* Reports that an entry is missing, which is no error, and releases the error. */
static bool is_missing(sdimage_status status, sdimage_error *error) {
    if (status == SDIMAGE_STATUS_NOT_FOUND)
        sdimage_error_unref(error);
    return status == SDIMAGE_STATUS_NOT_FOUND;
}

jlong NATIVE(cacheImage)(JNIEnv *env, jclass self, jlong cache, jbyteArray name, jlongArray values) {
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    size_t length = 0;
    (void)self;
    char *key = bytes_of(env, name, &length);
    sdimage_decode_options *options = decode_options(env, values);
    sdimage_status status = sdimage_cache_get_image(pointer(cache), key, length, options, &image, &error);
    sdimage_decode_options_unref(options);
    free(key);
    return is_missing(status, error) || failed(env, status, error) ? 0 : address(image);
}

jbyteArray NATIVE(cacheData)(JNIEnv *env, jclass self, jlong cache, jbyteArray name) {
    sdimage_data *data = NULL;
    sdimage_error *error = NULL;
    size_t length = 0;
    (void)self;
    char *key = bytes_of(env, name, &length);
    sdimage_status status = sdimage_cache_get_data(pointer(cache), key, length, &data, &error);
    free(key);
    return is_missing(status, error) || failed(env, status, error) ? NULL : array_of_data(env, data);
}

/* Stores an image, data or both; 0 and null stand for none. */
void NATIVE(cacheStore)(JNIEnv *env, jclass self, jlong cache, jbyteArray name, jlong image, jbyteArray array,
                        jint layers) {
    sdimage_data *data = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = SDIMAGE_STATUS_OK;
    size_t length = 0, size = 0;
    (void)self;
    char *key = bytes_of(env, name, &length), *bytes = bytes_of(env, array, &size);
    /* A copy failed; its exception stays pending. */
    if ((*env)->ExceptionCheck(env))
        status = SDIMAGE_STATUS_NO_MEMORY;
    else if (bytes)
        status = sdimage_data_new(bytes, size, &data, &error);
    if (status >= 0)
        status = sdimage_cache_store(pointer(cache), key, length, pointer(image), data, (sdimage_cache_layers)layers,
                                     NULL, &error);
    failed(env, status, error);
    sdimage_data_unref(data);
    free(bytes);
    free(key);
}

/* Returns the bits of sdimage_cache_layers; 0 for a missing entry. */
jint NATIVE(cacheContains)(JNIEnv *env, jclass self, jlong cache, jbyteArray name) {
    size_t length = 0;
    (void)self;
    char *key = bytes_of(env, name, &length);
    jint layers = (jint)sdimage_cache_contains(pointer(cache), key, length);
    free(key);
    return layers;
}

void NATIVE(cacheRemove)(JNIEnv *env, jclass self, jlong cache, jbyteArray name, jint layers) {
    sdimage_error *error = NULL;
    size_t length = 0;
    (void)self;
    char *key = bytes_of(env, name, &length);
    sdimage_status status = sdimage_cache_remove(pointer(cache), key, length, (sdimage_cache_layers)layers, &error);
    failed(env, status, error);
    free(key);
}

void NATIVE(cacheClear)(JNIEnv *env, jclass self, jlong cache, jint layers) {
    sdimage_error *error = NULL;
    (void)self;
    sdimage_status status = sdimage_cache_clear(pointer(cache), (sdimage_cache_layers)layers, &error);
    failed(env, status, error);
}

void NATIVE(cacheFlush)(JNIEnv *env, jclass self, jlong cache) {
    sdimage_error *error = NULL;
    (void)self;
    sdimage_status status = sdimage_cache_flush(pointer(cache), &error);
    failed(env, status, error);
}

void NATIVE(cacheClose)(JNIEnv *env, jclass self, jlong cache) {
    sdimage_error *error = NULL;
    (void)self;
    sdimage_status status = sdimage_cache_close(pointer(cache), &error);
    failed(env, status, error);
}

/* Returns the bytes on disk and stores the number of entries; throws on failure. */
static uint64_t totals(JNIEnv *env, jlong cache, uint64_t *count) {
    sdimage_error *error = NULL;
    uint64_t bytes = 0;
    sdimage_status status = sdimage_cache_get_disk_totals(pointer(cache), &bytes, count, &error);
    failed(env, status, error);
    return bytes;
}

jlong NATIVE(cacheDiskBytes)(JNIEnv *env, jclass self, jlong cache) {
    uint64_t count = 0;
    (void)self;
    return (jlong)totals(env, cache, &count);
}

jlong NATIVE(cacheDiskCount)(JNIEnv *env, jclass self, jlong cache) {
    uint64_t count = 0;
    (void)self;
    totals(env, cache, &count);
    return (jlong)count;
}
