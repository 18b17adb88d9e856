/* counts.c: fixed workloads, of which counts.py reads instructions, allocations and bytes.
 *
 *   counts WORKLOAD ARGUMENT
 *
 * Performs the operations of a workload twice and counts the second time only, so that start-up and first uses do not
 * count. Callgrind writes the instructions of the second time; this program prints the rest as one line. */
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <valgrind/callgrind.h>

#include <sdimage.h>
#include <sdimage/sys.h>

/* --- Allocations, counted by functions that replace those of libc in the whole process. */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long allocations;
static _Thread_local long own_allocations;

static void note_allocation(void) {
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    own_allocations++;
}

void *malloc(size_t size) {
    note_allocation();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    note_allocation();
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    note_allocation();
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note_allocation();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    note_allocation();
    void *found = __libc_memalign(alignment, size);
    if (!found)
        return ENOMEM;
    *block = found;
    return 0;
}

/* --- Parts of workloads. */

enum { MOST = 20000 };

static const char *argument;
static sdimage_dispatcher *dispatcher;
static sdimage_cache *cache;
static sdimage_manager *manager;
static sdimage_request *requests[MOST];
static sdimage_data *keys[MOST];
static long next_request, delivered;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void require(bool condition, const char *what, sdimage_error *error) {
    if (condition)
        return;
    fprintf(stderr, "%s: %s\n", what, error ? sdimage_error_message(error) : "failed");
    exit(1);
}

static void open_cache(const char *folder) {
    sdimage_error *error = NULL;
    sdimage_cache_config *config = sdimage_cache_config_new();
    if (folder)
        sdimage_cache_config_set_directory(config, folder);
    sdimage_cache_config_set_memory_only(config, !folder);
    require(sdimage_cache_new(config, &cache, &error) >= 0, "cache", error);
    sdimage_cache_config_unref(config);
}

static void open_manager(void) {
    sdimage_error *error = NULL;
    sdimage_manager_config *config = sdimage_manager_config_new();
    require(sdimage_dispatcher_new_immediate(&dispatcher, &error) >= 0, "dispatcher", error);
    sdimage_manager_config_set_dispatcher(config, dispatcher);
    sdimage_manager_config_set_cache(config, cache);
    require(sdimage_manager_new(config, &manager, &error) >= 0, "manager", error);
    sdimage_manager_config_unref(config);
}

static sdimage_image *dot(void) {
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    require(sdimage_image_new(1, 1, 4, SDIMAGE_PIXEL_FORMAT_RGBA8, "dot", &image, &error) >= 0, "image", error);
    return image;
}

static void *read_file(size_t *length) {
    FILE *file = fopen(argument, "rb");
    void *bytes = malloc(1 << 16);
    require(file && bytes, argument, NULL);
    *length = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

/* --- Loads. */

static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)user_data, (void)task;
    if (sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL)
        return;
    sdimage_error *error = sdimage_result_error(result);
    require(sdimage_result_image(result) || sdimage_error_code(error) == SDIMAGE_STATUS_CANCELLED, "result", error);
    pthread_mutex_lock(&lock);
    delivered++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void start_load(sdimage_request *request) {
    static const sdimage_load_handler handler = {.size = sizeof handler, .result = on_result};
    sdimage_error *error = NULL;
    require(sdimage_manager_load(manager, request, &handler, NULL, NULL, NULL, &error) >= 0, "load", error);
}

static void run_load(sdimage_request *request) {
    long before = delivered;
    start_load(request);
    pthread_mutex_lock(&lock);
    while (delivered == before)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* One load after the other. */
static void run_loads(long count) {
    for (long i = 0; i < count; i++)
        run_load(requests[i]);
}

static void make_requests(long count, const char *address) {
    char url[200];
    for (long i = 0; i < count; i++) {
        snprintf(url, sizeof url, "%s/photos/%06ld_t.png", address, i);
        requests[i] = sdimage_request_new(url);
    }
}

static void make_keys(long count) {
    for (long i = 0; i < count; i++) {
        sdimage_error *error = NULL;
        require(sdimage_manager_get_entry_key(manager, requests[i], &keys[i], &error) >= 0, "key", error);
    }
}

/* --- Memory. */

static void prepare_memory(void) {
    open_cache(NULL);
    open_manager();
    make_requests(1000, "https://img.example.com");
    make_keys(1000);
    sdimage_image *image = dot();
    for (long i = 0; i < 1000; i++)
        sdimage_cache_set_memory_image(cache, sdimage_data_bytes(keys[i]), sdimage_data_length(keys[i]), image, NULL);
    sdimage_image_unref(image);
}

static void run_look_ups(long count) {
    for (long i = 0; i < count; i++) {
        sdimage_image *image = NULL;
        sdimage_cache_get_memory_image(cache, sdimage_data_bytes(keys[i]), sdimage_data_length(keys[i]), &image);
        require(image, "look-up", NULL);
        sdimage_image_unref(image);
    }
}

/* --- Misses. They wait for a listening socket that accepts nothing. */

static void prepare_misses(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    require(listener >= 0 && bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 64) == 0 &&
                getsockname(listener, (struct sockaddr *)&address, &length) == 0,
            "socket", NULL);
    char origin[64];
    snprintf(origin, sizeof origin, "http://127.0.0.1:%u", ntohs(address.sin_port));
    open_cache(NULL);
    open_manager();
    make_requests(MOST, origin);
}

static void submit(long count) {
    for (long i = 0; i < count; i++)
        start_load(requests[next_request++]);
}

static void cancel_all(void) {
    sdimage_error *error = NULL;
    sdimage_manager_cancel_all(manager);
    require(sdimage_manager_wait_all(manager, 60000, &error) >= 0, "wait", error);
}

/* True if all other threads sleep (proc(5): the state follows the name, which ends with a parenthesis). */
static bool is_idle(void) {
    DIR *folder = opendir("/proc/self/task");
    bool idle = true;
    for (struct dirent *entry; folder && idle && (entry = readdir(folder));) {
        char path[300], line[300] = "";
        if (atoi(entry->d_name) == 0 || atoi(entry->d_name) == gettid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
        FILE *file = fopen(path, "r");
        const char *end = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
        idle = !end || end[2] == 'S';
        if (file)
            fclose(file);
    }
    if (folder)
        closedir(folder);
    return idle;
}

/* Waits until the library has processed all loads as far as it can: a thread that has work is not asleep. */
static void settle(void) {
    for (int idle = 0; idle < 5; idle = is_idle() ? idle + 1 : 0)
        usleep(1000);
}

/* --- A small body over HTTP, without a decode. */

static bool takes_all(void *user_data, const void *bytes, size_t length) {
    (void)user_data, (void)bytes;
    return length > 0;
}

static sdimage_status decode_to_dot(void *user_data, const void *bytes, size_t length,
                                    const sdimage_decode_options *options, sdimage_image **image,
                                    sdimage_error **error) {
    (void)user_data, (void)bytes, (void)length, (void)options;
    return sdimage_image_new(1, 1, 4, SDIMAGE_PIXEL_FORMAT_RGBA8, "dot", image, error);
}

static void prepare_fetch(void) {
    static const sdimage_coder_vtable table = {.size = sizeof table, .can_decode = takes_all, .decode = decode_to_dot};
    sdimage_coder *coder = NULL;
    sdimage_error *error = NULL;
    open_manager();
    make_requests(1000, argument);
    require(sdimage_coder_new_custom("nothing", &table, NULL, NULL, &coder, &error) >= 0, "coder", error);
    for (long i = 0; i < 1000; i++)
        sdimage_request_set_coder(requests[i], coder);
    sdimage_coder_unref(coder);
}

/* --- Small entries on disk. */

static void prepare_disk(void) {
    size_t length;
    sdimage_data *data = NULL;
    sdimage_error *error = NULL;
    void *bytes = read_file(&length);
    require(getenv("TMPDIR"), "TMPDIR", NULL);
    open_cache(getenv("TMPDIR"));
    open_manager();
    make_requests(500, "https://img.example.com");
    make_keys(500);
    require(sdimage_data_new(bytes, length, &data, &error) >= 0, "data", error);
    for (long i = 0; i < 500; i++) {
        require(sdimage_cache_store_data(cache, sdimage_data_bytes(keys[i]), sdimage_data_length(keys[i]), data,
                                         &error) >= 0,
                "store", error);
        sdimage_request_set_source_policy(requests[i], SDIMAGE_SOURCE_POLICY_CACHE_ONLY);
        sdimage_request_set_cache_policy(requests[i], SDIMAGE_CACHE_POLICY_SKIP_MEMORY_READ |
                                                          SDIMAGE_CACHE_POLICY_SKIP_MEMORY_WRITE);
    }
    sdimage_data_unref(data);
    free(bytes);
}

/* --- Entries on disk, of 20 KB. */

static sdimage_data *entry;

static void store_entries(long count) {
    for (long i = 0; i < count; i++) {
        sdimage_error *error = NULL;
        require(sdimage_cache_store_data(cache, sdimage_data_bytes(keys[i]), sdimage_data_length(keys[i]), entry,
                                         &error) >= 0,
                "store", error);
    }
}

static void read_entries(long count) {
    for (long i = 0; i < count; i++) {
        sdimage_data *data = NULL;
        sdimage_error *error = NULL;
        require(sdimage_cache_get_data(cache, sdimage_data_bytes(keys[i]), sdimage_data_length(keys[i]), &data,
                                       &error) >= 0,
                "read", error);
        sdimage_data_unref(data);
    }
}

static void prepare_entries(void) {
    static unsigned char bytes[20 << 10];
    sdimage_error *error = NULL;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * i >> 8);
    require(getenv("TMPDIR"), "TMPDIR", NULL);
    open_cache(getenv("TMPDIR"));
    open_manager();
    make_requests(100, "https://img.example.com");
    make_keys(100);
    require(sdimage_data_new(bytes, sizeof bytes, &entry, &error) >= 0, "data", error);
    store_entries(100);
}

/* --- Decodes. */

static void *encoded;
static size_t encoded_length;

static void prepare_decode(void) {
    encoded = read_file(&encoded_length);
}

static void run_decodes(long count) {
    for (long i = 0; i < count; i++) {
        sdimage_image *image = NULL;
        sdimage_error *error = NULL;
        require(sdimage_decode(encoded, encoded_length, NULL, &image, &error) >= 0, "decode", error);
        sdimage_image_unref(image);
    }
}

/* --- The workloads. */

static const struct workload {
    const char *name;
    void (*prepare)(void);
    void (*run)(long count);
    long operations;
    void (*finish)(void); /* ends each of the two times */
} workloads[] = {
    {"memory_hit", prepare_memory, run_loads, 1000, NULL},     {"cache_hit", prepare_memory, run_look_ups, 1000, NULL},
    {"submit_miss", prepare_misses, submit, 1000, cancel_all}, {"waiting_load", prepare_misses, submit, 10000, settle},
    {"http_fetch", prepare_fetch, run_loads, 500, NULL},       {"disk_hit", prepare_disk, run_loads, 500, NULL},
    {"decode", prepare_decode, run_decodes, 300, NULL},        {"disk_read", prepare_entries, read_entries, 100, NULL},
    {"disk_store", prepare_entries, store_entries, 100, NULL},
};

/* Bytes in use, also in mapped blocks. */
static size_t used_bytes(void) {
    struct mallinfo2 found = mallinfo2();
    return found.uordblks + found.hblkhd;
}

static void finish(const struct workload *workload) {
    if (workload->finish)
        workload->finish();
}

static void measure(const struct workload *workload) {
    workload->prepare();
    workload->run(workload->operations);
    finish(workload);
    size_t bytes = used_bytes();
    long all = atomic_load(&allocations), own = own_allocations;
    CALLGRIND_ZERO_STATS;
    workload->run(workload->operations);
    own = own_allocations - own;
    CALLGRIND_DUMP_STATS_AT("counted");
    finish(workload);
    all = atomic_load(&allocations) - all;
    bytes = used_bytes() - bytes;
    printf("operations=%ld allocations=%ld own_allocations=%ld bytes=%zu\n", workload->operations, all, own, bytes);
    fflush(stdout);
    _exit(0); /* without the teardown, which is not measured */
}

int main(int argc, char **argv) {
    argument = argc > 2 ? argv[2] : "";
    for (size_t i = 0; argc > 1 && i < sizeof workloads / sizeof *workloads; i++) {
        if (!strcmp(workloads[i].name, argv[1]))
            measure(&workloads[i]);
    }
    fputs("usage: counts WORKLOAD ARGUMENT\n", stderr);
    return 2;
}
