/* shared.c: the manager that the process shares, and the cache and loader of managers that set none. */
#include <sys/wait.h>

#include "check.h"

static sdimage_manager *shared(void) {
    sdimage_manager *manager = NULL;
    CHECK_EQUAL(sdimage_manager_get_shared(&manager, NULL), SDIMAGE_STATUS_OK);
    return manager;
}

static sdimage_image_source source_of(sdimage_manager *manager, const char *url) {
    sdimage_request *request = new_request(url);
    sdimage_result *result = NULL;
    CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_image_width(sdimage_result_image(result)), 2);
    sdimage_image_source source = sdimage_result_source(result);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    return source;
}

/* A memory-only default cache, so that the tests do not use the user's cache. */
static sdimage_cache *use_cache_in_memory(void) {
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache *cache = NULL;
    sdimage_cache_config_set_memory_only(config, true);
    CHECK_EQUAL(sdimage_cache_new(config, &cache, NULL), SDIMAGE_STATUS_OK);
    sdimage_cache_config_unref(config);
    sdimage_set_default_cache(cache);
    return cache;
}

static void *take_shared(void *argument) {
    (void)argument;
    return shared();
}

static void allThreadsGetTheSameManager(void) {
    enum { THREADS = 16 };
    pthread_t threads[THREADS];
    void *managers[THREADS];
    sdimage_cache_unref(use_cache_in_memory());
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, take_shared, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQUAL(pthread_join(threads[i], &managers[i]), 0);
        CHECK(managers[i] == managers[0]);
    }
    CHECK_EQUAL(source_of(managers[0], PNG_DATA_URL), SDIMAGE_IMAGE_SOURCE_LOADER);
    for (int i = 0; i < THREADS; i++)
        sdimage_manager_unref(managers[i]);
    /* The manager exists even without a reference of the test. */
    sdimage_manager *again = shared();
    CHECK_EQUAL(source_of(again, PNG_DATA_URL), SDIMAGE_IMAGE_SOURCE_MEMORY);
    sdimage_manager_unref(again);
}

typedef struct start {
    size_t threads, descriptors;
} start;

static bool is_back_to_start(void *argument) {
    const start *start = argument;
    return thread_count() <= start->threads && descriptor_count() <= start->descriptors;
}

static void closingTheSharedManagerEndsItsThreadsAndMakesRoomForAnother(void) {
    setenv("XDG_CACHE_HOME", temporary_folder(), 1);
    start start = {thread_count(), descriptor_count()};
    sdimage_manager *first = shared();
    sdimage_cache *cache = NULL;
    sdimage_manager_get_cache(first, &cache);
    CHECK(cache != NULL);
    sdimage_cache_unref(cache);
    CHECK_EQUAL(sdimage_manager_close(first, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager *second = shared();
    CHECK(second != first);
    CHECK_EQUAL(source_of(second, PNG_DATA_URL), SDIMAGE_IMAGE_SOURCE_LOADER);
    CHECK_EQUAL(sdimage_manager_close(second, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager_unref(first);
    sdimage_manager_unref(second);
    CHECK(becomes_true(is_back_to_start, &start));
}

static bool takes_all(void *user_data, const sdimage_request *request) {
    (void)user_data, (void)request;
    return true;
}

static sdimage_status answer_with_a_picture(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    (void)request;
    atomic_fetch_add((atomic_int *)user_data, 1);
    sdimage_status status = sdimage_load_sink_write(sink, png_2x2, sizeof png_2x2, NULL);
    sdimage_load_sink_finish(sink, NULL);
    return status;
}

static void managersThatNameNoneUseTheDefaults(void) {
    static atomic_int loads;
    sdimage_loader_vtable table = {.size = sizeof table, .can_load = takes_all, .load = answer_with_a_picture};
    sdimage_loader *loader = NULL;
    CHECK_EQUAL(sdimage_loader_new_custom("own", &table, &loads, NULL, &loader, NULL), SDIMAGE_STATUS_OK);
    sdimage_cache *cache = use_cache_in_memory(), *found = NULL;
    sdimage_set_default_loader(loader);
    sdimage_loader_unref(loader);
    sdimage_manager *managers[] = {shared(), NULL};
    CHECK_EQUAL(sdimage_manager_new(NULL, &managers[1], NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(source_of(managers[0], "own:a"), SDIMAGE_IMAGE_SOURCE_LOADER);
    CHECK_EQUAL(source_of(managers[1], "own:a"), SDIMAGE_IMAGE_SOURCE_MEMORY);
    CHECK_EQUAL(sdimage_cache_contains(cache, "own:a", 5), SDIMAGE_CACHE_LAYERS_MEMORY);
    sdimage_cache *set = NULL;
    sdimage_loader *named = NULL;
    sdimage_get_default_cache(&set);
    sdimage_get_default_loader(&named);
    CHECK_EQUAL(sdimage_cache_contains(set, "own:a", 5), SDIMAGE_CACHE_LAYERS_MEMORY);
    CHECK(!strcmp(sdimage_loader_name(named), "own"));
    sdimage_cache_unref(set);
    sdimage_loader_unref(named);
    /* After a reset, the managers that have the defaults continue to use them. */
    sdimage_set_default_loader(NULL);
    sdimage_set_default_cache(NULL);
    sdimage_get_default_cache(&set);
    sdimage_get_default_loader(&named);
    CHECK(!set && !named);
    CHECK_EQUAL(source_of(managers[0], "own:b"), SDIMAGE_IMAGE_SOURCE_LOADER);
    CHECK_EQUAL(atomic_load(&loads), 2);
    sdimage_manager *another = new_manager(NULL, NULL, true);
    sdimage_request *request = new_request("own:c");
    sdimage_result *result = NULL;
    CHECK_EQUAL(sdimage_manager_load_sync(another, request, &result, NULL), SDIMAGE_STATUS_SCHEME_FORBIDDEN);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_get_cache(managers[0], &found);
    CHECK(found != NULL);
    sdimage_cache_unref(found);
    sdimage_manager_close(managers[0], 60000, NULL);
    for (int i = 0; i < 2; i++)
        sdimage_manager_unref(managers[i]);
    sdimage_manager_unref(another);
    sdimage_cache_unref(cache);
}

static void aForkHasNoSharedManager(void) {
    sdimage_cache_unref(use_cache_in_memory());
    sdimage_manager *manager = shared();
    CHECK_EQUAL(source_of(manager, PNG_DATA_URL), SDIMAGE_IMAGE_SOURCE_LOADER);
    pid_t child = fork();
    if (child == 0) {
        alarm(120);
        sdimage_manager *none = NULL;
        CHECK_EQUAL(sdimage_manager_get_shared(&none, NULL), SDIMAGE_STATUS_FORKED);
        CHECK(none == NULL);
        CHECK_EQUAL(sdimage_manager_close(manager, 0, NULL), SDIMAGE_STATUS_FORKED);
        sdimage_set_default_loader(NULL);
        sdimage_manager_unref(manager);
        _exit(0);
    }
    int status = -1;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(source_of(manager, PNG_DATA_URL), SDIMAGE_IMAGE_SOURCE_MEMORY);
    sdimage_manager_unref(manager);
}

int main(void) {
    static const test tests[] = {
        TEST(allThreadsGetTheSameManager),
        TEST(closingTheSharedManagerEndsItsThreadsAndMakesRoomForAnother),
        TEST(managersThatNameNoneUseTheDefaults),
        TEST(aForkHasNoSharedManager),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
