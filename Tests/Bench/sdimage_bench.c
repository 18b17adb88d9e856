/* sdimage_bench.c: measures the library through its C functions, as a worker process.
 *
 *   sdimage-bench KIND name=value...
 *
 * prints `ready`, or `skip WHY`; then for each line `run N` on standard input it does the operation N times, prints
 * `ok wall=SECONDS cpu=SECONDS ops=N rss_kb=PEAK`; it ends at the end of input. So several programs can be measured in
 * turns, by whatever starts them.
 *
 *   decode     file= workers=0|1                       one picture to rgba8
 *   thumb      file= size=                             the same into a box of size x size
 *   anim       file=                                   all frames of an animation to rgba8
 *   anim_seek  file=                                   one frame of an opened animation, in no order
 *   memcache   items= threads= op=get|mixed            one look-up; mixed: every 16th is a store
 *   diskcache  dir= entries= vsize= op=put|get|open|trim|totals
 *              one entry; put: committed at the end of the run (sync=1: each by itself); open: and one get; trim: the oldest
 *              tenth, filled up again outside the clock (watch=1: the longest waits of another thread go to standard error)
 *   fetch      url= list= dir= size= conc= h2=         all names of the list, to thumbnails
 *              mode=fetchonly|cold|disk|memory */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sdimage.h>

/* --- The protocol. */

static char **parameters;
static int parameter_count;

static const char *text_of(const char *name, const char *fallback) {
    size_t length = strlen(name);
    for (int i = 0; i < parameter_count; i++) {
        if (!strncmp(parameters[i], name, length) && parameters[i][length] == '=')
            return parameters[i] + length + 1;
    }
    return fallback;
}

static long number_of(const char *name, long fallback) {
    const char *text = text_of(name, NULL);
    return text ? atol(text) : fallback;
}

_Noreturn static void skip(const char *why) {
    printf("skip %s\n", why);
    exit(0);
}

_Noreturn static void fail(const char *what, sdimage_error *error) {
    printf("fail %s: %s %s\n", what, sdimage_status_name(sdimage_error_code(error)), sdimage_error_message(error));
    exit(1);
}

static double wall_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static struct rusage usage(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage;
}

static double cpu_seconds(void) {
    struct rusage used = usage();
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

/* Time of a run that does not count. */
static double unclocked_wall, unclocked_cpu;

/* Answers the lines of standard input; `run` does the operation so many times and returns how many it did. */
static int serve(long (*run)(long count)) {
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

static void *read_file(const char *path, size_t *length) {
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

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
}

/* --- decode, thumb. */

static void *encoded;
static size_t encoded_length;
static sdimage_decode_options *decode_options;
static volatile unsigned touched;

static long run_decode(long count) {
    for (long i = 0; i < count; i++) {
        sdimage_image *image = NULL;
        sdimage_error *error = NULL;
        if (sdimage_decode(encoded, encoded_length, decode_options, &image, &error) < 0)
            fail("decode", error);
        touched += *(const uint8_t *)sdimage_image_pixels(image);
        sdimage_image_unref(image);
    }
    return count;
}

/* A program that loads pictures has a manager, and with it the library's workers, of which an idle one helps with large
   pictures. Without one every decode runs on the calling thread alone. */
static void hold_workers(void) {
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

static int serve_decode(uint32_t box) {
    if (number_of("workers", 1))
        hold_workers();
    encoded = read_file(text_of("file", ""), &encoded_length);
    decode_options = sdimage_decode_options_new();
    sdimage_decode_options_set_pixel_format(decode_options, SDIMAGE_PIXEL_FORMAT_RGBA8);
    sdimage_decode_options_set_thumbnail_size(decode_options, box, box, true);
    return serve(run_decode);
}

/* --- anim, anim_seek. */

static sdimage_image *animation;

static void open_animation(void) {
    sdimage_error *error = NULL;
    if (sdimage_decode(encoded, encoded_length, decode_options, &animation, &error) < 0)
        fail("decode", error);
}

static void show_frame(uint32_t index) {
    sdimage_image *frame = NULL;
    sdimage_error *error = NULL;
    if (sdimage_image_copy_frame(animation, index, &frame, &error) < 0)
        fail("frame", error);
    touched += *(const uint8_t *)sdimage_image_pixels(frame);
    sdimage_image_unref(frame);
}

static long run_anim(long count) {
    for (long i = 0; i < count; i++) {
        open_animation();
        for (uint32_t frame = 0; frame < sdimage_image_frame_count(animation); frame++)
            show_frame(frame);
        sdimage_image_unref(animation);
    }
    return count;
}

static long run_anim_seek(long count) {
    static uint32_t random = 17;
    for (long i = 0; i < count; i++) {
        random = (random * 1103515245 + 12345) & 0x7fffffff;
        show_frame((random >> 8) % sdimage_image_frame_count(animation));
    }
    return count;
}

static int serve_anim(bool seeks) {
    encoded = read_file(text_of("file", ""), &encoded_length);
    decode_options = sdimage_decode_options_new();
    sdimage_decode_options_set_pixel_format(decode_options, SDIMAGE_PIXEL_FORMAT_RGBA8);
    if (!seeks)
        return serve(run_anim);
    open_animation();
    return serve(run_anim_seek);
}

/* --- memcache: look-ups follow Zipf's law with exponent 0.9. */

enum { SEQUENCE = 1 << 17, KEY = 64 };

static char (*keys)[KEY];
static uint32_t sequence[SEQUENCE];
static sdimage_cache *cache;
static sdimage_image *dot;
static long operations_each;
static bool is_mixed;

static void *look_up(void *argument) {
    uint32_t at = (uint32_t)((uintptr_t)argument * 104729) % SEQUENCE;
    for (long i = 0; i < operations_each; i++, at = (at + 1) % SEQUENCE) {
        const char *key = keys[sequence[at]];
        size_t length = strlen(key);
        if (is_mixed && (i & 15) == 15)
            sdimage_cache_set_memory_image(cache, key, length, dot, NULL);
        else
            sdimage_image_unref(sdimage_cache_memory_image(cache, key, length));
    }
    return NULL;
}

static long run_memcache(long count) {
    long threads = number_of("threads", 1);
    pthread_t running[64];
    operations_each = count / threads;
    for (long i = 0; i < threads; i++)
        pthread_create(&running[i], NULL, look_up, (void *)(uintptr_t)i);
    for (long i = 0; i < threads; i++)
        pthread_join(running[i], NULL);
    return operations_each * threads;
}

static void make_sequence(long items) {
    double *sums = malloc((size_t)items * sizeof *sums), sum = 0;
    uint64_t random = 42;
    for (long i = 0; i < items; i++)
        sums[i] = sum += 1 / pow((double)(i + 1), 0.9);
    for (long i = 0; i < SEQUENCE; i++) {
        random = mix(random + (uint64_t)i + 1);
        double wanted = (double)(random >> 11) * 0x1p-53 * sum;
        long low = 0, high = items - 1;
        while (low < high) {
            long middle = (low + high) / 2;
            if (sums[middle] < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        sequence[i] = (uint32_t)(mix((uint64_t)low) % (uint64_t)items);
    }
    free(sums);
}

static int serve_memcache(void) {
    long items = number_of("items", 10000);
    is_mixed = !strcmp(text_of("op", "get"), "mixed");
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache_config_set_memory_only(config, true);
    sdimage_error *error = NULL;
    if (number_of("threads", 1) > 64 || sdimage_cache_new(config, &cache, &error) < 0)
        fail("cache", error);
    if (sdimage_image_new(1, 1, 4, SDIMAGE_PIXEL_FORMAT_RGBA8, "dot", &dot, &error) < 0)
        fail("image", error);
    keys = calloc((size_t)items, KEY);
    for (long i = 0; i < items; i++) {
        snprintf(keys[i], KEY, "https://img.example.com/photos/%06ld_t.jpg", i);
        sdimage_cache_set_memory_image(cache, keys[i], strlen(keys[i]), dot, NULL);
    }
    make_sequence(items);
    return serve(run_memcache);
}

/* --- diskcache. */

static long entries, entry_size, next_entry;
static bool is_synchronous;
static uint8_t *value, *copy;
static const char *operation;

static size_t name_entry(long number, char key[33]) {
    uint64_t first = mix((uint64_t)number + 1);
    snprintf(key, 33, "%016llx%016llx", (unsigned long long)first, (unsigned long long)mix(first));
    return 32;
}

static sdimage_cache *open_cache(const char *folder) {
    sdimage_cache *opened = NULL;
    sdimage_error *error = NULL;
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache_config_set_directory(config, folder);
    if (sdimage_cache_new(config, &opened, &error) < 0)
        fail("cache", error);
    sdimage_cache_config_unref(config);
    return opened;
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

static void flush_entries(void) {
    sdimage_error *error = NULL;
    if (sdimage_cache_flush(cache, &error) < 0)
        fail("flush", error);
}

static uint64_t disk_use(void) {
    sdimage_data *json = NULL;
    sdimage_error *error = NULL;
    if (sdimage_cache_statistics(cache, &json, &error) < 0)
        fail("statistics", error);
    const char *found = strstr(sdimage_data_bytes(json), "\"allocated_bytes\": ");
    uint64_t bytes = found ? strtoull(found + 19, NULL, 10) : 0;
    sdimage_data_unref(json);
    return bytes;
}

static void read_totals(void) {
    uint64_t bytes, count;
    sdimage_error *error = NULL;
    if (sdimage_cache_disk_totals(cache, &bytes, &count, &error) < 0)
        fail("totals", error);
}

/* Another caller meanwhile, and how long it ever waited. */
static atomic_bool is_trimming;
static double longest_wait[2];

static void *wait_for_cache(void *argument) {
    char key[33];
    sdimage_data *data = NULL, *found;
    (void)argument;
    sdimage_data_new("bytes", 5, &data, NULL);
    for (long i = 0; atomic_load(&is_trimming); i++) {
        double begun = wall_seconds();
        found = NULL;
        sdimage_cache_data(cache, key, name_entry(entries / 2 + i % (entries / 4), key), &found, NULL);
        sdimage_data_unref(found);
        double read = wall_seconds();
        sdimage_cache_store_data(cache, "waiting", 7, data, NULL);
        double stored = wall_seconds();
        longest_wait[0] = fmax(longest_wait[0], read - begun);
        longest_wait[1] = fmax(longest_wait[1], stored - read);
        usleep(1000);
    }
    sdimage_data_unref(data);
    return NULL;
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
        fprintf(stderr, "trim %.1f ms; longest look-up %.2f ms, longest store %.2f ms\n", (wall_seconds() - wall) * 1e3,
                longest_wait[0] * 1e3, longest_wait[1] * 1e3);
    }
    char key[33];
    for (long i = 0, missing = 0; i < entries; i++) {
        if (sdimage_cache_contains(cache, key, name_entry(i, key)) & SDIMAGE_CACHE_LAYERS_DISK)
            continue;
        put_entry(i);
        if (++missing % 64 == 0)
            flush_entries();
    }
    flush_entries();
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
            if (is_synchronous)
                flush_entries();
        } else if (!strcmp(operation, "totals")) {
            read_totals();
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
        flush_entries();
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
            flush_entries();
    }
    flush_entries();
    close(open(mark, O_CREAT | O_WRONLY, 0600));
}

static void make_folder(const char *path) {
    char parent[PATH_MAX];
    snprintf(parent, sizeof parent, "%s", path);
    for (char *slash = parent + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(parent, 0755);
    }
    if (mkdir(path, 0700) && errno != EEXIST)
        skip("the folder cannot be made");
}

static int serve_diskcache(void) {
    const char *folder = text_of("dir", "");
    entries = number_of("entries", 10000);
    entry_size = number_of("vsize", 20480);
    operation = text_of("op", "get");
    is_synchronous = number_of("sync", 0);
    if (strcmp(operation, "put") && strcmp(operation, "get") && strcmp(operation, "open") && strcmp(operation, "trim") &&
        strcmp(operation, "totals"))
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

/* --- fetch. */

enum { MOST_URLS = 4096 };

static char *urls[MOST_URLS];
static unsigned url_count;
static sdimage_manager *manager;
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
    sdimage_request *request = sdimage_request_new(url, SDIMAGE_NUL_TERMINATED);
    const char *mode = text_of("mode", "cold");
    uint32_t size = (uint32_t)number_of("size", 200);
    sdimage_request_set_thumbnail_size(request, size, size, true);
    if (!strcmp(mode, "cold") || !strcmp(mode, "fetchonly"))
        sdimage_request_set_source_policy(request, SDIMAGE_SOURCE_POLICY_LOADER_ONLY);
    if (!strcmp(mode, "disk")) {
        /* The original's bytes from disk, decoded each time. */
        sdimage_request_set_query_layers(request, SDIMAGE_CACHE_LAYERS_NONE);
        sdimage_request_set_store_layers(request, SDIMAGE_CACHE_LAYERS_NONE);
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
        flush_entries();
    if (atomic_load(&failures) > 0)
        fail("loads failed", NULL);
}

static sdimage_request *requests[MOST_URLS];

static long run_fetch(long count) {
    for (long i = 0; i < count; i++)
        load_all(requests);
    return count;
}

/* For fetchonly: a coder that looks at nothing. */
static bool takes_all(void *user_data, const void *bytes, size_t length) {
    (void)user_data, (void)bytes;
    return length > 0;
}

static sdimage_status decode_to_dot(void *user_data, const void *bytes, size_t length,
                                    const sdimage_decode_options *options, const sdimage_options *bag,
                                    sdimage_image **image, sdimage_error **error) {
    (void)user_data, (void)bytes, (void)length, (void)options, (void)bag;
    return sdimage_image_new(1, 1, 4, SDIMAGE_PIXEL_FORMAT_RGBA8, "dot", image, error);
}

static void read_list(void) {
    size_t length;
    char *list = read_file(text_of("list", ""), &length), *state = NULL;
    for (char *name = strtok_r(list, "\n", &state); name && url_count < MOST_URLS;
         name = strtok_r(NULL, "\n", &state)) {
        char *url = malloc(strlen(text_of("url", "")) + strlen(name) + 2);
        sprintf(url, "%s/%s", text_of("url", ""), name);
        urls[url_count++] = url;
    }
    free(list);
}

static sdimage_loader *new_downloader(void) {
    sdimage_downloader_config *config = sdimage_downloader_config_new();
    sdimage_loader *loader = NULL;
    sdimage_error *error = NULL;
    sdimage_downloader_config_set_max_per_host(config, (uint32_t)number_of("conc", 16));
    if (!strncmp(text_of("url", ""), "https", 5)) {
        /* The loopback origin signs its own certificate, which lies two folders above that of the list. */
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

static int serve_fetch(void) {
    const char *mode = text_of("mode", "cold");
    bool fetch_only = !strcmp(mode, "fetchonly");
    sdimage_coder *coder = NULL;
    sdimage_coder_vtable table = {.size = sizeof table, .can_decode = takes_all, .decode = decode_to_dot};
    sdimage_error *error = NULL;
    read_list();
    open_manager(fetch_only);
    if (fetch_only && sdimage_coder_new_custom("nothing", &table, NULL, NULL, &coder, &error) < 0)
        fail("coder", error);
    for (unsigned i = 0; i < url_count; i++) {
        requests[i] = request_for(urls[i]);
        if (coder)
            sdimage_request_set_coder(requests[i], coder);
    }
    if (!strcmp(mode, "disk")) {
        /* Fill the disk once; the measured requests keep nothing themselves. */
        for (unsigned i = 0; i < url_count; i++)
            sdimage_request_set_source_policy(requests[i], SDIMAGE_SOURCE_POLICY_LOADER_ONLY);
        load_all(requests);
        for (unsigned i = 0; i < url_count; i++)
            sdimage_request_set_source_policy(requests[i], SDIMAGE_SOURCE_POLICY_CACHE_ONLY);
    } else if (!strcmp(mode, "memory")) {
        load_all(requests);
    }
    return serve(run_fetch);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: sdimage-bench decode|thumb|anim|anim_seek|memcache|diskcache|fetch name=value...\n", stderr);
        return 2;
    }
    parameters = argv + 2;
    parameter_count = argc - 2;
    if (!strcmp(argv[1], "decode"))
        return serve_decode(0);
    if (!strcmp(argv[1], "thumb"))
        return serve_decode((uint32_t)number_of("size", 256));
    if (!strcmp(argv[1], "anim"))
        return serve_anim(false);
    if (!strcmp(argv[1], "anim_seek"))
        return serve_anim(true);
    if (!strcmp(argv[1], "memcache"))
        return serve_memcache();
    if (!strcmp(argv[1], "diskcache"))
        return serve_diskcache();
    if (!strcmp(argv[1], "fetch"))
        return serve_fetch();
    skip("no such kind");
}
