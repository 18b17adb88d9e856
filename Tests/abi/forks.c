/* forks.c: forked children of a busy process. They may read information, decode and encode; everything else must
 * return FORKED, and nothing may hang.
 *
 *   forks [FORKS]     default 800; before a release: 20000 */
#include <dlfcn.h>
#include <link.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"

enum { THREADS = 4, CHILD_SECONDS = 120 };

static long forks = 800;
static atomic_bool is_enough;
static sdimage_manager *manager;
static sdimage_cache *cache;

static void decode_and_encode(const void *bytes, size_t length, sdimage_format format) {
    sdimage_image *image = NULL;
    sdimage_info *info = NULL;
    sdimage_data *data = NULL;
    CHECK_EQUAL(sdimage_info_new(bytes, length, NULL, &info, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_decode(bytes, length, NULL, &image, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_encode(image, format, NULL, &data, NULL), SDIMAGE_STATUS_OK);
    sdimage_info_unref(info);
    sdimage_data_unref(data);
    sdimage_image_unref(image);
}

static void *keep_busy(void *argument) {
    static const sdimage_format formats[] = {SDIMAGE_FORMAT_PNG, SDIMAGE_FORMAT_JPEG, SDIMAGE_FORMAT_GIF,
                                             SDIMAGE_FORMAT_WEBP};
    unsigned seed = (unsigned)(uintptr_t)argument + 1;
    while (!atomic_load(&is_enough)) {
        sdimage_request *request = new_request(rand_r(&seed) % 2 ? PNG_DATA_URL : GIF_DATA_URL);
        sdimage_task *task = NULL;
        sdimage_image *image = NULL;
        sdimage_manager_load(manager, request, NULL, NULL, NULL, &task, NULL);
        if (rand_r(&seed) % 3 == 0)
            sdimage_task_cancel(task);
        if (rand_r(&seed) % 2)
            sdimage_task_wait(task, 1000, NULL);
        sdimage_task_unref(task);
        sdimage_request_unref(request);
        decode_and_encode(png_2x2, sizeof png_2x2, formats[rand_r(&seed) % 4]);
        if (sdimage_decode(png_2x2, sizeof png_2x2, NULL, &image, NULL) == SDIMAGE_STATUS_OK)
            sdimage_cache_set_memory_image(cache, "key", 3, image, NULL);
        sdimage_image_unref(image);
        sdimage_image_unref(memory_image(cache, "key", 3));
        if (rand_r(&seed) % 8 == 0)
            sdimage_trim_memory(true);
    }
    return NULL;
}

static void make_engine(void) {
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache_config_set_memory_only(config, true);
    CHECK_EQUAL(sdimage_cache_new(config, &cache, NULL), SDIMAGE_STATUS_OK);
    sdimage_cache_config_unref(config);
    manager = new_manager(NULL, NULL, false);
}

static void start_threads(pthread_t *threads) {
    make_engine();
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, keep_busy, (void *)i), 0);
}

/* The documented guarantees for a child process. */
static void work_in_child(unsigned number) {
    sdimage_manager *another = NULL;
    sdimage_cache *other_cache = NULL;
    sdimage_result *result = NULL;
    alarm(CHILD_SECONDS);
    if (number % 2)
        decode_and_encode(png_2x2, sizeof png_2x2, SDIMAGE_FORMAT_JPEG);
    else
        decode_and_encode(gif_1x1, sizeof gif_1x1, SDIMAGE_FORMAT_WEBP);
    sdimage_request *request = new_request(PNG_DATA_URL);
    CHECK_EQUAL(sdimage_manager_new(NULL, &another, NULL), SDIMAGE_STATUS_FORKED);
    CHECK_EQUAL(sdimage_cache_new(NULL, &other_cache, NULL), SDIMAGE_STATUS_FORKED);
    CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_FORKED);
    _exit(0);
}

static void expect_success(pid_t child) {
    int status = -1;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        fail_test(__FILE__, __LINE__, "a child was ended by signal %d (14: it hung)", WTERMSIG(status));
    CHECK_EQUAL(status, 0);
}

static void childrenOfABusyProcessDecode(void) {
    pthread_t threads[THREADS];
    alarm((unsigned)(LONGEST_TEST_SECONDS + forks));
    start_threads(threads);
    for (long i = 0; i < forks; i++) {
        pid_t child = fork();
        if (child == 0)
            work_in_child((unsigned)i);
        CHECK(child > 0);
        expect_success(child);
    }
    atomic_store(&is_enough, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    sdimage_manager_unref(manager);
    sdimage_cache_unref(cache);
}

/* Each round is a process whose threads use everything for the first time while the main thread forks. */
static void childrenAmidFirstUsesDecode(void) {
    alarm((unsigned)(LONGEST_TEST_SECONDS + forks));
    for (long round = 0; round < forks / 10; round++) {
        pid_t fresh = fork();
        if (fresh == 0) {
            pthread_t threads[THREADS];
            alarm(CHILD_SECONDS);
            start_threads(threads);
            for (unsigned i = 0; i < 4; i++) {
                pid_t child = fork();
                if (child == 0)
                    work_in_child(i);
                expect_success(child);
                usleep((unsigned)round % 8 * 100);
            }
            _exit(0);
        }
        expect_success(fresh);
    }
}

static atomic_int ready;

static void *use_at_once(void *argument) {
    static const sdimage_format formats[] = {SDIMAGE_FORMAT_PNG, SDIMAGE_FORMAT_JPEG, SDIMAGE_FORMAT_GIF,
                                             SDIMAGE_FORMAT_WEBP};
    atomic_fetch_add(&ready, 1);
    while (atomic_load(&ready) < THREADS)
        continue;
    for (int i = 0; i < 4; i++)
        decode_and_encode(png_2x2, sizeof png_2x2, formats[i]);
    return argument;
}

/* The library is loaded but unused: children may use all of it. Their main thread, which forked, and other threads
 * need the same first uses at once; each waits for the other. */
static void childrenOfAnIdleProcessUseThreads(void) {
    alarm((unsigned)(LONGEST_TEST_SECONDS + forks));
    for (long i = 0; i < forks / 10; i++) {
        pid_t child = fork();
        if (child == 0) {
            pthread_t threads[THREADS];
            alarm(CHILD_SECONDS);
            for (uintptr_t thread = 1; thread < THREADS; thread++)
                CHECK_EQUAL(pthread_create(&threads[thread], NULL, use_at_once, NULL), 0);
            use_at_once(NULL);
            for (int thread = 1; thread < THREADS; thread++)
                pthread_join(threads[thread], NULL);
            make_engine();
            sdimage_request *request = new_request(PNG_DATA_URL);
            sdimage_result *result = NULL;
            CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
            _exit(0);
        }
        expect_success(child);
    }
}

/* Counts mutexes of the C library inside the library's own memory. Those belong to the Swift runtime, because the
 * library uses other locks. A child that takes one could wait forever for a thread of its parent. */
static uintptr_t library_start, library_end;
static atomic_bool is_counting;
static atomic_int runtime_locks;

/* Replaces the function of the C library. */
int pthread_mutex_lock(pthread_mutex_t *mutex) {
    static int (*real)(pthread_mutex_t *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    if (atomic_load(&is_counting) && (uintptr_t)mutex >= library_start && (uintptr_t)mutex < library_end)
        atomic_fetch_add(&runtime_locks, 1);
    return real(mutex);
}

static int find_library(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size, (void)data;
    if (!strstr(info->dlpi_name, "libsdimage.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        if (!library_start || start < library_start)
            library_start = start;
        if (start + part->p_memsz > library_end)
            library_end = start + part->p_memsz;
    }
    return 1;
}

static void decode_half(const void *bytes, size_t length) {
    sdimage_image *image = NULL;
    sdimage_error *error = NULL;
    sdimage_decode_options *options = sdimage_decode_options_new();
    sdimage_decode_options_set_thumbnail_size(options, 1, 1, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    sdimage_decode(bytes, length / 2, NULL, &image, &error);
    CHECK(image || sdimage_error_code(error) < 0);
    sdimage_error_unref(error);
    sdimage_image_unref(image);
    CHECK_EQUAL(sdimage_decode(bytes, length, options, &image, NULL), SDIMAGE_STATUS_OK);
    sdimage_image_unref(image);
    sdimage_decode_options_unref(options);
}

static void aChildTakesNoLockOfTheRuntime(void) {
    static const sdimage_format formats[] = {SDIMAGE_FORMAT_PNG, SDIMAGE_FORMAT_JPEG, SDIMAGE_FORMAT_GIF,
                                             SDIMAGE_FORMAT_WEBP};
    dl_iterate_phdr(find_library, NULL);
    CHECK(library_end > library_start);
    make_engine();
    pid_t child = fork();
    if (child == 0) {
        sdimage_manager *another = NULL;
        sdimage_error *error = NULL;
        atomic_store(&is_counting, true);
        for (int i = 0; i < 4; i++) {
            sdimage_image *image = NULL;
            sdimage_data *data = NULL;
            CHECK_EQUAL(sdimage_decode(png_2x2, sizeof png_2x2, NULL, &image, NULL), SDIMAGE_STATUS_OK);
            CHECK_EQUAL(sdimage_encode(image, formats[i], NULL, &data, NULL), SDIMAGE_STATUS_OK);
            decode_and_encode(sdimage_data_bytes(data), sdimage_data_length(data), SDIMAGE_FORMAT_BMP);
            decode_half(sdimage_data_bytes(data), sdimage_data_length(data));
            sdimage_data_unref(data);
            sdimage_image_unref(image);
        }
        CHECK_EQUAL(sdimage_manager_new(NULL, &another, &error), SDIMAGE_STATUS_FORKED);
        sdimage_error_unref(error);
        CHECK_EQUAL(atomic_load(&runtime_locks), 0);
        work_in_child(0);
    }
    expect_success(child);
}

enum { SLOW_SIDE = 1600 };

/* Encodes an image for which libwebp needs seconds. */
static void *encode_slowly(void *argument) {
    sdimage_image *image = argument;
    sdimage_encode_options *options = sdimage_encode_options_new();
    sdimage_data *data = NULL;
    sdimage_encode_options_set_lossless(options, true);
    sdimage_encode_options_set_effort(options, 9);
    /* Other processes may prolong the seconds to minutes. */
    sdimage_encode_options_set_max_work_ms(options, LONGEST_TEST_SECONDS * 1000);
    CHECK_EQUAL(sdimage_encode(image, SDIMAGE_FORMAT_WEBP, options, &data, NULL), SDIMAGE_STATUS_OK);
    sdimage_encode_options_unref(options);
    sdimage_data_unref(data);
    return NULL;
}

static sdimage_image *noise(void) {
    sdimage_image *image = NULL;
    void *pixels = NULL;
    size_t stride = 0;
    unsigned seed = 1;
    CHECK_EQUAL(sdimage_image_new_uninitialized(SLOW_SIDE, SLOW_SIDE, SDIMAGE_PIXEL_FORMAT_RGB8, &image, &pixels,
                                                &stride, NULL),
                SDIMAGE_STATUS_OK);
    for (size_t i = 0; i < stride * SLOW_SIDE; i++)
        ((uint8_t *)pixels)[i] = (uint8_t)(rand_r(&seed) >> 8 & 15);
    return image;
}

/* Waits until the thread has used 200 ms of processor time: it is then in libwebp. */
static void wait_for_work_of(pthread_t thread) {
    clockid_t clock;
    struct timespec time = {0};
    CHECK_EQUAL(pthread_getcpuclockid(thread, &clock), 0);
    while (clock_gettime(clock, &time) == 0 && time.tv_sec == 0 && time.tv_nsec < 200000000)
        usleep(1000);
}

/* libwebp has mutexes, which a thread of the parent may hold: its child is refused WebP, and decodes the rest. */
static void aChildIsRefusedWebPThatItsParentIsEncoding(void) {
    pthread_t thread;
    sdimage_image *slow = noise(), *image = NULL;
    sdimage_data *webp = NULL;
    CHECK_EQUAL(sdimage_decode(png_2x2, sizeof png_2x2, NULL, &image, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_encode(image, SDIMAGE_FORMAT_WEBP, NULL, &webp, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(pthread_create(&thread, NULL, encode_slowly, slow), 0);
    wait_for_work_of(thread);
    pid_t child = fork();
    if (child == 0) {
        sdimage_data *data = NULL;
        sdimage_image *decoded = NULL;
        alarm(CHILD_SECONDS);
        CHECK_EQUAL(sdimage_encode(image, SDIMAGE_FORMAT_WEBP, NULL, &data, NULL), SDIMAGE_STATUS_FORKED);
        CHECK_EQUAL(sdimage_decode(sdimage_data_bytes(webp), sdimage_data_length(webp), NULL, &decoded, NULL),
                    SDIMAGE_STATUS_FORKED);
        decode_and_encode(png_2x2, sizeof png_2x2, SDIMAGE_FORMAT_JPEG);
        _exit(0);
    }
    expect_success(child);
    pthread_join(thread, NULL);
    child = fork();
    if (child == 0) {
        alarm(CHILD_SECONDS);
        decode_and_encode(gif_1x1, sizeof gif_1x1, SDIMAGE_FORMAT_WEBP);
        _exit(0);
    }
    expect_success(child);
    sdimage_data_unref(webp);
    sdimage_image_unref(slow);
    sdimage_image_unref(image);
}

int main(int argc, char **argv) {
    static const test tests[] = {
        TEST(aChildTakesNoLockOfTheRuntime),     TEST(aChildIsRefusedWebPThatItsParentIsEncoding),
        TEST(childrenOfABusyProcessDecode),      TEST(childrenAmidFirstUsesDecode),
        TEST(childrenOfAnIdleProcessUseThreads),
    };
    if (argc > 1)
        forks = atol(argv[1]);
    return run_tests(tests, sizeof tests / sizeof *tests);
}
