#include "worker.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long entries, entry_size, next_entry;
static uint8_t *value, *copy;
static const char *operation;
static sdimage_cache *cache;

static size_t name_entry(long number, char key[33]) {
    uint64_t first = mix((uint64_t)number + 1);
    snprintf(key, 33, "%016llx%016llx", (unsigned long long)first, (unsigned long long)mix(first));
    return 32;
}

static void put_entry(long number) {
    char key[33];
    size_t length = name_entry(number, key);
    sdimage_data *data = NULL;
    sdimage_error *error = NULL;
    memcpy(value, &number, sizeof number);
    if (sdimage_data_new(value, (size_t)entry_size, &data, &error) < 0 ||
        sdimage_cache_store_data_async(cache, key, length, data, NULL, NULL, NULL, &error) < 0)
        fail("put", error);
    sdimage_data_unref(data);
}

static void get_entry(long number) {
    char key[33];
    size_t length = name_entry(number, key);
    sdimage_data *data = NULL;
    sdimage_error *error = NULL;
    if (sdimage_cache_data(cache, key, length, &data, &error) < 0)
        fail("get", error);
    memcpy(copy, sdimage_data_bytes(data), sdimage_data_length(data));
    sdimage_data_unref(data);
}

static long run_diskcache(long count) {
    static uint64_t random = 99;
    for (long i = 0; i < count; i++) {
        if (!strcmp(operation, "put")) {
            put_entry(next_entry++ % entries);
        } else if (!strcmp(operation, "get")) {
            random = mix(random + 1);
            get_entry((long)(random % (uint64_t)entries));
        } else {
            cache = open_cache(text_of("dir", ""));
            get_entry(entries / 2);
            sdimage_cache_unref(cache);
        }
    }
    if (!strcmp(operation, "put"))
        flush_cache(cache);
    return count;
}

static void fill(const char *folder) {
    char mark[PATH_MAX];
    snprintf(mark, sizeof mark, "%s/full", folder);
    if (!strcmp(operation, "put") || access(mark, F_OK) == 0)
        return;
    for (long i = 0; i < entries; i++) {
        put_entry(i);
        if (i % 64 == 63)
            flush_cache(cache);
    }
    flush_cache(cache);
    close(open(mark, O_CREAT | O_WRONLY, 0600));
}

int serve_diskcache(void) {
    const char *folder = text_of("dir", "");
    entries = number_of("entries", 10000);
    entry_size = number_of("vsize", 20480);
    operation = text_of("op", "get");
    if (strcmp(operation, "put") && strcmp(operation, "get") && strcmp(operation, "open"))
        skip("no such operation");
    value = malloc((size_t)entry_size);
    copy = malloc((size_t)entry_size);
    for (long i = 0; i < entry_size; i++)
        value[i] = (uint8_t)mix((uint64_t)i);
    make_folder(folder);
    cache = open_cache(folder);
    fill(folder);
    if (!strcmp(operation, "open"))
        sdimage_cache_unref(cache);
    return serve(run_diskcache);
}
