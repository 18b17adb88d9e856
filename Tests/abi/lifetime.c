/* lifetime.c: the library ends everything that it starts: threads, descriptors, destroy callbacks; and the permitted
 * uses after a fork. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "check.h"

/* --- The engine. */

typedef struct start {
    size_t threads, descriptors;
} start;

static bool is_back_to_start(void *argument) {
    const start *start = argument;
    return thread_count() <= start->threads && descriptor_count() <= start->descriptors;
}

static void load_and_expect_a_picture(sdimage_manager *manager, const char *url) {
    sdimage_request *request = new_request(url);
    sdimage_result *result = NULL;
    CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_image_width(sdimage_result_image(result)), 2);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
}

static sdimage_cache *new_disk_cache(const char *folder) {
    sdimage_cache *cache = NULL;
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache_config_set_directory(config, folder);
    CHECK_EQUAL(sdimage_cache_new(config, &cache, NULL), SDIMAGE_STATUS_OK);
    sdimage_cache_config_unref(config);
    return cache;
}

/* Uses network, disk, callbacks and a pollable queue: everything that has a thread or a descriptor. */
static void use_everything(void) {
    char folder[128];
    snprintf(folder, sizeof folder, "%s/cache", temporary_folder());
    sdimage_cache *cache = new_disk_cache(folder);
    sdimage_dispatcher *dispatcher = NULL;
    CHECK_EQUAL(sdimage_dispatcher_new_pollable(&dispatcher, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager_config_set_cache(config, cache);
    sdimage_manager *manager = NULL;
    CHECK_EQUAL(sdimage_manager_new(config, &manager, NULL), SDIMAGE_STATUS_OK);
    load_and_expect_a_picture(manager, PNG_DATA_URL);
    load_and_expect_a_picture(manager, file_url_with("a.png", png_2x2, sizeof png_2x2));
    sdimage_request *request = new_request("http://127.0.0.1:1/nobody.png");
    sdimage_result *result = NULL;
    CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_CONNECT_FAILED);
    CHECK(thread_count() > 1);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_config_unref(config);
    sdimage_manager_unref(manager);
    sdimage_dispatcher_unref(dispatcher);
    sdimage_cache_unref(cache);
}

static void theLastReleaseEndsThreadsAndClosesDescriptors(void) {
    start start = {thread_count(), descriptor_count()};
    use_everything();
    if (!becomes_true(is_back_to_start, &start))
        fail_test(__FILE__, __LINE__, "threads %zu to %zu, descriptors %zu to %zu", start.threads, thread_count(),
                  start.descriptors, descriptor_count());
}

static void theEngineStartsAgainAfterItsEnd(void) {
    start start = {thread_count(), descriptor_count()};
    for (int i = 0; i < 20; i++)
        use_everything();
    CHECK(becomes_true(is_back_to_start, &start));
}

static void decodingStartsNoThread(void) {
    start start = {thread_count(), descriptor_count()};
    sdimage_image *image = NULL;
    CHECK_EQUAL(sdimage_decode(png_2x2, sizeof png_2x2, NULL, &image, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(thread_count(), start.threads);
    CHECK_EQUAL(descriptor_count(), start.descriptors);
    sdimage_image_unref(image);
}

/* A program that the host executes inherits no cache, queue or connection of the library. */
static void everyDescriptorClosesOnExec(void) {
    bool was_open[256];
    for (int i = 0; i < 256; i++)
        was_open[i] = fcntl(i, F_GETFD) >= 0;
    char folder[128];
    snprintf(folder, sizeof folder, "%s/cache", temporary_folder());
    sdimage_cache *cache = new_disk_cache(folder);
    sdimage_dispatcher *dispatcher = NULL;
    CHECK_EQUAL(sdimage_dispatcher_new_pollable(&dispatcher, NULL), SDIMAGE_STATUS_OK);
    sdimage_data *data = new_data(png_2x2, sizeof png_2x2);
    CHECK_EQUAL(sdimage_cache_store_data(cache, "k", 1, data, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager *manager = new_manager(NULL, NULL, true);
    sdimage_request *request = new_request("http://127.0.0.1:1/nobody.png");
    sdimage_result *result = NULL;
    CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_CONNECT_FAILED);
    int opened = 0, inherited = 0;
    for (int i = 0; i < 256; i++) {
        int flags = fcntl(i, F_GETFD), unread = -1;
        if (flags < 0 || was_open[i])
            continue;
        opened++;
        if (flags & FD_CLOEXEC)
            continue;
        /* The socket pair by which libcurl wakes its own threads, which the library never uses: unnamed, connected
         * to itself, empty. */
        struct sockaddr_un address;
        socklen_t length = sizeof address;
        CHECK_EQUAL(getpeername(i, (struct sockaddr *)&address, &length), 0);
        CHECK_EQUAL(length, sizeof address.sun_family);
        CHECK(address.sun_family == AF_UNIX && ioctl(i, FIONREAD, &unread) == 0 && unread == 0);
        inherited++;
    }
    CHECK(opened >= 3);
    CHECK(inherited == 0 || inherited == 2);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    sdimage_data_unref(data);
    sdimage_dispatcher_unref(dispatcher);
    sdimage_cache_unref(cache);
}

/* --- Fork. */

static void wait_for_success_of(pid_t child) {
    int status = -1;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
}

static void aForkOfAUserOfTheLibraryMayOnlyDecode(void) {
    sdimage_manager *manager = new_manager(NULL, NULL, true);
    sdimage_resources *resources = NULL;
    CHECK_EQUAL(sdimage_resources_new(".", NULL, &resources, NULL), SDIMAGE_STATUS_OK);
    load_and_expect_a_picture(manager, PNG_DATA_URL);
    pid_t child = fork();
    if (child == 0) {
        alarm(120);
        sdimage_manager *another = NULL;
        sdimage_cache *cache = NULL;
        sdimage_image *image = NULL;
        sdimage_result *result = NULL;
        sdimage_request *request = new_request(GIF_DATA_URL);
        CHECK_EQUAL(sdimage_manager_new(NULL, &another, NULL), SDIMAGE_STATUS_FORKED);
        CHECK_EQUAL(sdimage_cache_new(NULL, &cache, NULL), SDIMAGE_STATUS_FORKED);
        CHECK_EQUAL(sdimage_manager_load(manager, request, NULL, NULL, NULL, NULL, NULL), SDIMAGE_STATUS_FORKED);
        CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_FORKED);
        CHECK_EQUAL(sdimage_resources_get_image(resources, "cat", &image, NULL), SDIMAGE_STATUS_FORKED);
        sdimage_resources_clear(resources);
        sdimage_resources_unref(resources);
        CHECK_EQUAL(sdimage_resources_new(".", NULL, &resources, NULL), SDIMAGE_STATUS_FORKED);
        CHECK_EQUAL(sdimage_decode(png_2x2, sizeof png_2x2, NULL, &image, NULL), SDIMAGE_STATUS_OK);
        CHECK_EQUAL(sdimage_image_height(image), 2);
        _exit(0);
    }
    wait_for_success_of(child);
    load_and_expect_a_picture(manager, PNG_DATA_URL);
    sdimage_resources_unref(resources);
    sdimage_manager_unref(manager);
}

static void aForkFindsTheMemoryOfACacheEmpty(void) {
    sdimage_manager *manager = new_manager(NULL, NULL, true);
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache *cache = NULL;
    sdimage_image *image = NULL;
    sdimage_cache_config_set_memory_only(config, true);
    CHECK_EQUAL(sdimage_cache_new(config, &cache, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_decode(png_2x2, sizeof png_2x2, NULL, &image, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_cache_set_memory_image(cache, "key", 3, image, NULL), SDIMAGE_STATUS_OK);
    pid_t child = fork();
    if (child == 0) {
        alarm(120);
        CHECK(!memory_image(cache, "key", 3));
        CHECK_EQUAL(sdimage_cache_set_memory_image(cache, "key", 3, image, NULL), SDIMAGE_STATUS_FORKED);
        sdimage_cache_set_memory_limits(cache, 1, 1);
        sdimage_cache_set_keep_weakly(cache, false);
        sdimage_trim_memory(true);
        sdimage_cache_unref(cache);
        _exit(0);
    }
    wait_for_success_of(child);
    sdimage_image *found = memory_image(cache, "key", 3);
    CHECK(found == image);
    sdimage_trim_memory(true);
    CHECK(!memory_image(cache, "key", 3));
    sdimage_image_unref(found);
    sdimage_image_unref(image);
    sdimage_cache_unref(cache);
    sdimage_cache_config_unref(config);
    sdimage_manager_unref(manager);
}

static void aForkBeforeTheFirstUseIsUnaffected(void) {
    pid_t child = fork();
    if (child == 0) {
        alarm(120);
        use_everything();
        _exit(0);
    }
    wait_for_success_of(child);
    use_everything();
}

static atomic_bool is_enough;

static void decode_once(void) {
    sdimage_image *image = NULL;
    CHECK_EQUAL(sdimage_decode(png_2x2, sizeof png_2x2, NULL, &image, NULL), SDIMAGE_STATUS_OK);
    sdimage_image_unref(image);
}

static void *decode_until_enough(void *unused) {
    (void)unused;
    while (!atomic_load(&is_enough))
        decode_once();
    return NULL;
}

static void aForkAmidDecodingCanDecode(void) {
    pthread_t threads[4];
    decode_once(); /* no first use is under way at the time of the fork */
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, decode_until_enough, NULL), 0);
    for (int i = 0; i < 200; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(120);
            decode_once();
            _exit(0);
        }
        wait_for_success_of(child);
    }
    atomic_store(&is_enough, true);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void aForkDecodesOnSeveralThreads(void) {
    /* The forking thread has taken locks of every kind; in the child other threads wait for it. */
    for (int i = 0; i < 100; i++)
        decode_once();
    for (int round = 0; round < 5; round++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(120);
            pthread_t threads[4];
            atomic_store(&is_enough, false);
            for (int i = 0; i < 4; i++)
                CHECK_EQUAL(pthread_create(&threads[i], NULL, decode_until_enough, NULL), 0);
            for (int i = 0; i < 5000; i++)
                decode_once();
            atomic_store(&is_enough, true);
            for (int i = 0; i < 4; i++)
                pthread_join(threads[i], NULL);
            _exit(0);
        }
        wait_for_success_of(child);
    }
}

/* --- Destroy. */

enum { MOST_DESTROYS = 16 };
static atomic_int destroyed[MOST_DESTROYS];

static bool all_destroyed(void *argument) {
    for (int i = 0; i < *(int *)argument; i++) {
        if (atomic_load(&destroyed[i]) == 0)
            return false;
    }
    return true;
}

static void expect_each_destroyed_once(int count) {
    becomes_true(all_destroyed, &count);
    for (int i = 0; i < count; i++) {
        if (atomic_load(&destroyed[i]) != 1)
            fail_test(__FILE__, __LINE__, "destroy number %d was called %d times", i, atomic_load(&destroyed[i]));
    }
}

static void aRefusedCallDestroysOnce(void) {
    sdimage_coder_vtable coder_table = {.size = sizeof coder_table};
    sdimage_loader_vtable loader_table = {.size = sizeof loader_table};
    sdimage_cache_vtable cache_table = {.size = 4};
    sdimage_coder *coder = NULL;
    sdimage_loader *loader = NULL;
    sdimage_cache *cache = NULL;
    sdimage_dispatcher *dispatcher = NULL;
    sdimage_image *image = NULL;
    uint8_t pixels[16] = {0};
    int n = 0;
    CHECK(sdimage_coder_new_custom("x", &coder_table, &destroyed[n++], count_destroy, &coder, NULL) < 0);
    CHECK(sdimage_coder_new_custom("x", NULL, &destroyed[n++], count_destroy, &coder, NULL) < 0);
    CHECK(sdimage_loader_new_custom("x", &loader_table, &destroyed[n++], count_destroy, &loader, NULL) < 0);
    CHECK(sdimage_cache_new_custom(&cache_table, &destroyed[n++], count_destroy, &cache, NULL) < 0);
    CHECK(sdimage_dispatcher_new_custom(NULL, &destroyed[n++], count_destroy, &dispatcher, NULL) < 0);
    CHECK(sdimage_image_new_adopting(0, 2, 8, SDIMAGE_PIXEL_FORMAT_RGBA8, pixels, &destroyed[n++], count_destroy,
                                     &image, NULL) < 0);
    CHECK(sdimage_data_new_adopting("x", 1, &destroyed[n++], count_destroy, NULL, NULL) < 0);
    CHECK(sdimage_manager_load(NULL, NULL, NULL, &destroyed[n++], count_destroy, NULL, NULL) < 0);
    CHECK(sdimage_cache_store_data_async(NULL, "k", 1, NULL, NULL, &destroyed[n++], count_destroy, NULL) < 0);
    CHECK(!coder && !loader && !cache && !dispatcher && !image);
    expect_each_destroyed_once(n);
}

static void post_at_once(void *user_data, void (*run)(void *), void *argument) {
    (void)user_data;
    run(argument);
}

static bool never_loads(void *user_data, const sdimage_request *request) {
    (void)user_data, (void)request;
    return false;
}

static sdimage_status load_nothing(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    (void)user_data, (void)request, (void)sink;
    return SDIMAGE_STATUS_UNSUPPORTED;
}

static void ignore_log(void *user_data, sdimage_log_level level, const char *message) {
    (void)user_data, (void)level, (void)message;
}

static void anAcceptedUserDataIsDestroyedOnce(void) {
    sdimage_loader_vtable loader_table = {.size = sizeof loader_table, .can_load = never_loads, .load = load_nothing};
    sdimage_dispatcher_vtable host_table = {.size = sizeof host_table, .post = post_at_once};
    sdimage_log_handler log_handler = {.size = sizeof log_handler, .message = ignore_log};
    sdimage_loader *loader = NULL;
    sdimage_dispatcher *dispatcher = NULL;
    sdimage_image *image = NULL;
    sdimage_data *data = NULL;
    static uint8_t pixels[16];
    int n = 0;
    CHECK_EQUAL(sdimage_loader_new_custom("x", &loader_table, &destroyed[n++], count_destroy, &loader, NULL), 0);
    CHECK_EQUAL(sdimage_dispatcher_new_custom(&host_table, &destroyed[n++], count_destroy, &dispatcher, NULL), 0);
    CHECK_EQUAL(sdimage_image_new_adopting(2, 2, 8, SDIMAGE_PIXEL_FORMAT_RGBA8, pixels, &destroyed[n++], count_destroy,
                                           &image, NULL),
                0);
    CHECK_EQUAL(sdimage_data_new_adopting("x", 1, &destroyed[n++], count_destroy, &data, NULL), 0);
    CHECK_EQUAL(sdimage_log_set_handler(SDIMAGE_LOG_LEVEL_DEBUG, &log_handler, &destroyed[n++], count_destroy, NULL),
                0);
    sdimage_options *options = sdimage_options_new();
    sdimage_options_set_pointer(options, "p", &destroyed[n++], count_destroy);
    sdimage_request *request = new_request(PNG_DATA_URL);
    sdimage_request_set_options(request, options);
    sdimage_options_unref(options);
    sdimage_manager *manager = new_manager(dispatcher, NULL, false);
    CHECK_EQUAL(sdimage_manager_load(manager, request, NULL, &destroyed[n++], count_destroy, NULL, NULL), 0);
    CHECK_EQUAL(sdimage_manager_close(manager, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager_unref(manager);
    sdimage_request_unref(request);
    sdimage_log_set_handler(SDIMAGE_LOG_LEVEL_OFF, NULL, NULL, NULL, NULL);
    sdimage_loader_unref(loader);
    sdimage_dispatcher_unref(dispatcher);
    sdimage_image_unref(image);
    sdimage_data_unref(data);
    expect_each_destroyed_once(n);
}

static sdimage_cache *asked_by_destroy;

static void ask_the_cache(void *user_data) {
    sdimage_cache_contains(asked_by_destroy, "key", 3);
    sdimage_cache_set_memory_limits(asked_by_destroy, 0, 0);
    count_destroy(user_data);
}

static void aDestroyMayCallTheCacheThatDropsIt(void) {
    static uint8_t pixels[16];
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache_config_set_memory_only(config, true);
    CHECK_EQUAL(sdimage_cache_new(config, &asked_by_destroy, NULL), SDIMAGE_STATUS_OK);
    sdimage_cache_config_unref(config);
    sdimage_image *image = NULL;
    CHECK_EQUAL(sdimage_image_new_adopting(2, 2, 8, SDIMAGE_PIXEL_FORMAT_RGBA8, pixels, &destroyed[0], ask_the_cache,
                                           &image, NULL),
                0);
    CHECK_EQUAL(sdimage_cache_set_memory_image(asked_by_destroy, "key", 3, image, NULL), SDIMAGE_STATUS_OK);
    sdimage_image_unref(image);
    CHECK_EQUAL(sdimage_cache_clear(asked_by_destroy, SDIMAGE_CACHE_LAYERS_MEMORY, NULL), SDIMAGE_STATUS_OK);
    expect_each_destroyed_once(1);
    sdimage_cache_unref(asked_by_destroy);
}

/* Memory caches have no permanent thread: each call starts one if needed, and must hold it until it completes. */
static void blockingCallsAreAnsweredWhereNothingElseKeepsThreads(void) {
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache *memory = NULL, *disk = NULL, *layered = NULL;
    sdimage_cache_config_set_memory_only(config, true);
    CHECK_EQUAL(sdimage_cache_new(config, &memory, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_cache_new(config, &disk, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_cache_new_layered(memory, disk, &layered, NULL), SDIMAGE_STATUS_OK);
    for (int i = 0; i < 300; i++) {
        sdimage_data *data = NULL;
        CHECK_EQUAL(sdimage_cache_get_data(layered, "k", 1, &data, NULL), SDIMAGE_STATUS_NOT_FOUND);
        CHECK_EQUAL(sdimage_cache_remove(layered, "k", 1, SDIMAGE_CACHE_LAYERS_ALL, NULL), SDIMAGE_STATUS_OK);
    }
    sdimage_cache_unref(layered);
    sdimage_cache_unref(disk);
    sdimage_cache_unref(memory);
    sdimage_cache_config_unref(config);
}

int main(void) {
    static const test tests[] = {
        TEST(decodingStartsNoThread),
        TEST(theLastReleaseEndsThreadsAndClosesDescriptors),
        TEST(theEngineStartsAgainAfterItsEnd),
        TEST(everyDescriptorClosesOnExec),
        TEST(aForkOfAUserOfTheLibraryMayOnlyDecode),
        TEST(aForkFindsTheMemoryOfACacheEmpty),
        TEST(aForkBeforeTheFirstUseIsUnaffected),
        TEST(aRefusedCallDestroysOnce),
        TEST(anAcceptedUserDataIsDestroyedOnce),
        TEST(aDestroyMayCallTheCacheThatDropsIt),
        TEST(blockingCallsAreAnsweredWhereNothingElseKeepsThreads),
        /* ThreadSanitizer does not support children of a process with several threads that start threads. */
        TEST(aForkAmidDecodingCanDecode),
        TEST(aForkDecodesOnSeveralThreads),
    };
    return run_tests(tests, sizeof tests / sizeof *tests - (HAS_THREAD_SANITIZER ? 2 : 0));
}
