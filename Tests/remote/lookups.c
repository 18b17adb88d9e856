/* lookups.c: measures look-ups in a remote cache.
 *
 *   lookups redis|memcached ADDRESS COUNT [OPTION=NUMBER…]
 *
 * Stores an entry of 20,000 bytes if the server accepts it, then looks it up COUNT times in sequence.
 * Prints `hits N median_us N p99_us N worst_us N opened N`; the times are without waits for a processor. */
#include <dirent.h>
#include <sdimage/plugins/memcached.h>
#include <sdimage/plugins/redis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* The time for which the threads of this process have been ready to run and waited for a processor (the kernel's
 * sched-stats): other programs may have added it to a look-up. 0 if the kernel does not tell. */
static double waited_us(void) {
    DIR *folder = opendir("/proc/self/task");
    double sum = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[300];
        unsigned long long waited = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%*u %llu", &waited) == 1)
            sum += (double)waited / 1e3;
        if (file)
            fclose(file);
    }
    if (folder)
        closedir(folder);
    return sum;
}

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static bool is_right(const sdimage_data *data, const uint8_t *bytes, size_t length) {
    return sdimage_data_length(data) == length && !memcmp(sdimage_data_bytes(data), bytes, length);
}

int main(int argc, char **argv) {
    if (argc < 4)
        return fputs("usage: lookups redis|memcached ADDRESS COUNT [OPTION=NUMBER...]\n", stderr), 2;
    bool is_redis = !strcmp(argv[1], "redis");
    size_t count = strtoul(argv[3], NULL, 10), hits = 0;
    double worst = 0;
    double *times = calloc(count ? count : 1, sizeof *times);
    static uint8_t bytes[20000];
    sdimage_options *options = sdimage_options_new();
    sdimage_cache *cache = NULL;
    sdimage_data *data = NULL;
    sdimage_error *error = NULL;
    for (int i = 4; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (!equals)
            return 2;
        *equals = 0;
        sdimage_options_set_int64(options, argv[i], strtoll(equals + 1, NULL, 10));
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 13);
    sdimage_status status =
        (is_redis ? sdimage_redis_cache_new : sdimage_memcached_cache_new)(argv[2], options, &cache, &error);
    if (status < 0 || !times)
        return fprintf(stderr, "lookups: %s\n", sdimage_error_message(error)), 1;
    sdimage_data_new(bytes, sizeof bytes, &data, NULL);
    sdimage_cache_store_data(cache, "lookups", SDIMAGE_NUL_TERMINATED, data, NULL);
    sdimage_data_unref(data);
    for (size_t i = 0; i < count; i++) {
        sdimage_data *found = NULL;
        double waited = waited_us(), start = now_us();
        status = sdimage_cache_get_data(cache, "lookups", SDIMAGE_NUL_TERMINATED, &found, NULL);
        times[i] = now_us() - start;
        waited = waited_us() - waited;
        times[i] -= waited > 0 ? waited : 0;
        worst = times[i] > worst ? times[i] : worst;
        if (status >= 0 && !is_right(found, bytes, sizeof bytes))
            return fputs("lookups: other bytes\n", stderr), 1;
        hits += status >= 0;
        sdimage_data_unref(found);
    }
    qsort(times, count, sizeof *times, by_value);
    unsigned long long opened = (is_redis ? sdimage_redis_cache_statistic : sdimage_memcached_cache_statistic)(
        cache, SDIMAGE_REMOTE_STATISTIC_BREAKER_OPENED);
    printf("hits %zu median_us %.1f p99_us %.1f worst_us %.1f opened %llu\n", hits, times[count / 2],
           times[count * 99 / 100], worst, opened);
    sdimage_cache_unref(cache);
    sdimage_options_unref(options);
    free(times);
    return 0;
}
