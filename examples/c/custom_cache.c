/* custom_cache.c: a cache that stores each image as a plain file in a folder.
 *
 *   custom_cache FOLDER URL
 *
 * cc custom_cache.c $(pkg-config --cflags --libs sdimage) */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sdimage.h>
#include <sdimage/sys.h>

/* Path of an entry, from a hash of its key (FNV-1a, 64 bits), which would not do for keys that an attacker chooses. */
static void path_of(char *path, size_t size, const char *folder, const void *key, size_t length) {
    unsigned long long hash = 14695981039346656037ull;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ ((const unsigned char *)key)[i]) * 1099511628211ull;
    snprintf(path, size, "%s/%016llx", folder, hash);
}

/* The cache functions run on threads where they may block. Each completes its reply once and releases it. */
static void query(void *folder, const void *key, size_t length, const sdimage_options *options, sdimage_reply *reply) {
    (void)options;
    char path[512];
    path_of(path, sizeof path, folder, key, length);
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t count = 0;
    FILE *memory = file ? open_memstream(&bytes, &count) : NULL;
    for (int byte; memory && (byte = getc(file)) != EOF;)
        putc(byte, memory);
    if (memory)
        fclose(memory);
    if (file)
        fclose(file);
    sdimage_data *data = NULL;
    if (bytes && sdimage_data_new_adopting(bytes, count, bytes, free, &data, NULL) >= 0)
        sdimage_reply_complete_with_data(reply, data);
    else
        sdimage_reply_complete(reply);
    sdimage_data_unref(data);
    sdimage_reply_unref(reply);
}

static void store(void *folder, const void *key, size_t length, sdimage_data *data, const sdimage_options *options,
                  sdimage_reply *reply) {
    (void)options;
    char path[512];
    path_of(path, sizeof path, folder, key, length);
    FILE *file = fopen(path, "wb");
    size_t count = sdimage_data_length(data);
    bool is_written = file && fwrite(sdimage_data_bytes(data), 1, count, file) == count;
    is_written = file && !fclose(file) && is_written;
    sdimage_error *error = is_written ? NULL : sdimage_error_new(SDIMAGE_STATUS_IO_ERROR, "file: write failed");
    if (is_written)
        sdimage_reply_complete(reply);
    else
        sdimage_reply_complete_with_error(reply, error);
    sdimage_error_unref(error);
    sdimage_reply_unref(reply);
}

static void forget(void *folder, const void *key, size_t length, sdimage_cache_layers layers, sdimage_reply *reply) {
    char path[512];
    path_of(path, sizeof path, folder, key, length);
    if (layers & SDIMAGE_CACHE_LAYERS_DISK)
        unlink(path);
    sdimage_reply_complete(reply);
    sdimage_reply_unref(reply);
}

int main(int argc, char **argv) {
    if (argc != 3)
        return fputs("usage: custom_cache FOLDER URL\n", stderr), 2;
    sdimage_cache_vtable table = {.size = sizeof table, .query = query, .store = store, .remove = forget};
    sdimage_cache *cache = NULL;
    sdimage_manager *manager = NULL;
    sdimage_result *result = NULL;
    sdimage_error *error = NULL;
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_request *request = sdimage_request_new(argv[2]);
    sdimage_request_set_wait_for_store(request, true);
    bool is_loaded = sdimage_cache_new_custom(&table, argv[1], NULL, &cache, &error) >= 0;
    sdimage_manager_config_set_cache(config, cache);
    is_loaded = is_loaded && sdimage_manager_new(config, &manager, &error) >= 0 &&
                sdimage_manager_load_sync(manager, request, &result, &error) >= 0;
    if (is_loaded)
        puts(sdimage_image_source_name(sdimage_result_source(result)));
    else
        fprintf(stderr, "custom_cache: %s\n", sdimage_error_message(error));
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_config_unref(config);
    sdimage_manager_unref(manager);
    sdimage_cache_unref(cache);
    sdimage_error_unref(error);
    return is_loaded ? 0 : 1;
}
