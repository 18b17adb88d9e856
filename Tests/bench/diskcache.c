#include "worker.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long entries, entry_size, next_entry;
static uint8_t *value, *copy;
static const char *operation;
static bool is_synchronous;
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
        (is_synchronous ? sdimage_cache_store_data(cache, key, length, data, &error)
                        : sdimage_cache_store_data_async(cache, key, length, data, NULL, NULL, NULL, &error)) < 0)
        fail("put", error);
    sdimage_data_unref(data);
}

static void get_entry(long number) {
    char key[33];
    size_t length = name_entry(number, key);
    sdimage_data *data = NULL;
    sdimage_error *error = NULL;
    if (sdimage_cache_get_data(cache, key, length, &data, &error) < 0)
        fail("get", error);
    memcpy(copy, sdimage_data_bytes(data), sdimage_data_length(data));
    sdimage_data_unref(data);
}

static void ask_entry(long number) {
    char key[33];
    size_t length = name_entry(number, key);
    if (!(sdimage_cache_contains(cache, key, length) & SDIMAGE_CACHE_LAYERS_DISK))
        fail("contains", NULL);
}

static uint64_t disk_use(void) {
    sdimage_data *json = NULL;
    sdimage_error *error = NULL;
    if (sdimage_cache_statistics_to_json(cache, &json, &error) < 0)
        fail("statistics", error);
    const char *found = strstr(sdimage_data_bytes(json), "\"allocated_bytes\": ");
    uint64_t bytes = found ? strtoull(found + 19, NULL, 10) : 0;
    sdimage_data_unref(json);
    return bytes;
}

static void read_totals(void) {
    uint64_t bytes, count;
    sdimage_error *error = NULL;
    if (sdimage_cache_get_disk_totals(cache, &bytes, &count, &error) < 0)
        fail("totals", error);
}

/* Wait times of a concurrent caller: the longest, and the number above five milliseconds. */
static atomic_bool is_trimming;
static struct wait {
    double longest;
    long late, count;
} look_ups, stores;

static void note_wait(struct wait *wait, double seconds) {
    wait->longest = fmax(wait->longest, seconds);
    wait->late += seconds > 5e-3;
    wait->count++;
}

static void call_cache(long number) {
    char key[33];
    sdimage_data *data = NULL, *found = NULL;
    double begun = wall_seconds();
    sdimage_cache_get_data(cache, key, name_entry(entries / 2 + number % (entries / 4), key), &found, NULL);
    double read = wall_seconds();
    note_wait(&look_ups, read - begun);
    sdimage_data_unref(found);
    sdimage_data_new("bytes", 5, &data, NULL);
    read = wall_seconds();
    sdimage_cache_store_data(cache, "waiting", 7, data, NULL);
    note_wait(&stores, wall_seconds() - read);
    sdimage_data_unref(data);
    usleep(1000);
}

static void *wait_for_cache(void *argument) {
    (void)argument;
    for (long i = 0; atomic_load(&is_trimming); i++)
        call_cache(i);
    return NULL;
}

static void tell_waits(const char *who) {
    fprintf(stderr, "%s: longest look-up %.2f ms (%ld of %ld over 5), longest store %.2f ms (%ld over 5)\n", who,
            look_ups.longest * 1e3, look_ups.late, look_ups.count, stores.longest * 1e3, stores.late);
    memset(&look_ups, 0, sizeof look_ups);
    memset(&stores, 0, sizeof stores);
}

static void trim_tenth(void) {
    pthread_t waiting;
    sdimage_error *error = NULL;
    uint64_t bytes = disk_use() / 10 * 9;
    bool is_watched = number_of("watch", 0);
    atomic_store(&is_trimming, true);
    if (is_watched)
        pthread_create(&waiting, NULL, wait_for_cache, NULL);
    double wall = wall_seconds(), cpu = cpu_seconds();
    if (sdimage_cache_trim(cache, bytes, &error) < 0)
        fail("trim", error);
    unclocked_wall -= wall_seconds() - wall;
    unclocked_cpu -= cpu_seconds() - cpu;
    atomic_store(&is_trimming, false);
    if (is_watched) {
        pthread_join(waiting, NULL);
        fprintf(stderr, "trim %.1f ms\n", (wall_seconds() - wall) * 1e3);
        tell_waits("a thread");
    }
    char key[33];
    for (long i = 0, missing = 0; i < entries; i++) {
        if (sdimage_cache_contains(cache, key, name_entry(i, key)) & SDIMAGE_CACHE_LAYERS_DISK)
            continue;
        put_entry(i);
        if (++missing % 64 == 0)
            flush_cache(cache);
    }
    flush_cache(cache);
}

static long run_diskcache(long count) {
    static uint64_t random = 99;
    if (!strcmp(operation, "trim")) {
        double wall = wall_seconds(), cpu = cpu_seconds();
        for (long i = 0; i < count; i++)
            trim_tenth();
        unclocked_wall += wall_seconds() - wall;
        unclocked_cpu += cpu_seconds() - cpu;
        return count;
    }
    for (long i = 0; i < count; i++) {
        if (!strcmp(operation, "put")) {
            put_entry(next_entry++ % entries);
        } else if (!strcmp(operation, "totals")) {
            read_totals();
        } else if (!strcmp(operation, "get")) {
            random = mix(random + 1);
            get_entry((long)(random % (uint64_t)entries));
        } else if (!strcmp(operation, "contains")) {
            random = mix(random + 1);
            ask_entry((long)(random % (uint64_t)entries));
        } else if (!strcmp(operation, "wait")) {
            call_cache(i);
        } else {
            cache = open_cache(text_of("dir", ""));
            get_entry(entries / 2);
            sdimage_cache_unref(cache);
        }
    }
    if (!strcmp(operation, "put"))
        flush_cache(cache);
    if (!strcmp(operation, "wait"))
        tell_waits("a process");
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
    is_synchronous = number_of("sync", 0);
    if (!strstr(" put get open trim totals contains wait ", operation))
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
