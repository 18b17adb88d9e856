#include "worker.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/resource.h>
#include <time.h>

volatile unsigned touched;

static char **parameters;
static int parameter_count;

void set_parameters(char **values, int count) {
    parameters = values;
    parameter_count = count;
}

const char *text_of(const char *name, const char *fallback) {
    size_t length = strlen(name);
    for (int i = 0; i < parameter_count; i++) {
        if (!strncmp(parameters[i], name, length) && parameters[i][length] == '=')
            return parameters[i] + length + 1;
    }
    return fallback;
}

long number_of(const char *name, long fallback) {
    const char *text = text_of(name, NULL);
    return text ? atol(text) : fallback;
}

_Noreturn void skip(const char *why) {
    printf("skip %s\n", why);
    exit(0);
}

_Noreturn void fail(const char *what, sdimage_error *error) {
    printf("fail %s: %s %s\n", what, sdimage_status_name(sdimage_error_code(error)), sdimage_error_message(error));
    exit(1);
}

double unclocked_wall, unclocked_cpu;

double wall_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static struct rusage usage(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage;
}

double cpu_seconds(void) {
    struct rusage used = usage();
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

/* Handles the lines of standard input; `run` performs `count` operations and returns the number performed. */
int serve(long (*run)(long count)) {
    char line[128];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        long count;
        if (sscanf(line, "run %ld", &count) != 1)
            break;
        unclocked_wall = unclocked_cpu = 0;
        double wall = wall_seconds(), cpu = cpu_seconds();
        long done = run(count);
        printf("ok wall=%.9f cpu=%.9f ops=%ld rss_kb=%ld\n", wall_seconds() - wall - unclocked_wall,
               cpu_seconds() - cpu - unclocked_cpu, done, usage().ru_maxrss);
        fflush(stdout);
    }
    return 0;
}

void *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (!file || fstat(fileno(file), &status) || status.st_size == 0)
        skip("no input file");
    char *bytes = malloc((size_t)status.st_size + 1);
    *length = fread(bytes, 1, (size_t)status.st_size, file);
    bytes[*length] = '\0';
    fclose(file);
    return bytes;
}

size_t read_list(const char **urls, size_t most) {
    size_t length, count = 0;
    char *list = read_file(text_of("list", ""), &length), *state = NULL;
    for (char *name = strtok_r(list, "\n", &state); name && count < most; name = strtok_r(NULL, "\n", &state)) {
        char *url = malloc(strlen(text_of("url", "")) + strlen(name) + 2);
        sprintf(url, "%s/%s", text_of("url", ""), name);
        urls[count++] = url;
    }
    free(list);
    return count;
}

long status_of(const char *name) {
    char line[256];
    long value = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (!strncmp(line, name, strlen(name)))
            value = atol(line + strlen(name));
    }
    if (file)
        fclose(file);
    return value;
}

uint64_t mix(uint64_t x) {
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
}

/* A program that loads images has a manager, and with it the library's workers; idle workers help with large images.
 * Without a manager each decode runs on the calling thread alone. */
void hold_workers(void) {
    sdimage_manager *held = NULL;
    sdimage_cache *memory = NULL;
    sdimage_error *error = NULL;
    sdimage_cache_config *small = sdimage_cache_config_new();
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_cache_config_set_memory_only(small, true);
    if (sdimage_cache_new(small, &memory, &error) < 0)
        fail("cache", error);
    sdimage_manager_config_set_cache(config, memory);
    if (sdimage_manager_new(config, &held, &error) < 0)
        fail("manager", error);
    sdimage_manager_config_unref(config);
    sdimage_cache_config_unref(small);
    sdimage_cache_unref(memory);
}

sdimage_cache *open_cache(const char *folder) {
    sdimage_cache *opened = NULL;
    sdimage_error *error = NULL;
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache_config_set_directory(config, folder);
    if (sdimage_cache_new(config, &opened, &error) < 0)
        fail("cache", error);
    sdimage_cache_config_unref(config);
    return opened;
}

void flush_cache(sdimage_cache *cache) {
    sdimage_error *error = NULL;
    if (sdimage_cache_flush(cache, &error) < 0)
        fail("flush", error);
}

void make_folder(const char *path) {
    char parent[PATH_MAX];
    snprintf(parent, sizeof parent, "%s", path);
    for (char *slash = parent + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(parent, 0755);
    }
    if (mkdir(path, 0700) && errno != EEXIST)
        skip("the folder cannot be made");
}
