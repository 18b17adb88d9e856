/* loads.c: each accepted load ends with exactly one FINAL, regardless of cancellation, closing and releases; each
 * failure has its own code. */
#include <limits.h>

#include "check.h"

/* The calls of one load's callbacks. */
typedef struct seen {
    atomic_int finals, after_final, destroyed;
    atomic_int code;
} seen;

static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    seen *seen = user_data;
    if (atomic_load(&seen->finals) > 0 || !task)
        atomic_fetch_add(&seen->after_final, 1);
    if (sdimage_result_kind(result) == SDIMAGE_DELIVERY_KIND_FINAL) {
        atomic_store(&seen->code, sdimage_error_code(sdimage_result_error(result)));
        atomic_fetch_add(&seen->finals, 1);
    }
}

static void on_progress(void *user_data, sdimage_task *task, int64_t received, int64_t expected) {
    seen *seen = user_data;
    (void)task, (void)received, (void)expected;
    if (atomic_load(&seen->finals) > 0)
        atomic_fetch_add(&seen->after_final, 1);
}

static void on_destroy(void *user_data) {
    atomic_fetch_add(&((seen *)user_data)->destroyed, 1);
}

static const sdimage_load_handler handler = {.size = sizeof handler, .result = on_result, .progress = on_progress};

static bool is_destroyed(void *argument) {
    return atomic_load(&((seen *)argument)->destroyed) > 0;
}

static void expect_one_final(seen *seen) {
    becomes_true(is_destroyed, seen);
    CHECK_EQUAL(atomic_load(&seen->finals), 1);
    CHECK_EQUAL(atomic_load(&seen->after_final), 0);
    CHECK_EQUAL(atomic_load(&seen->destroyed), 1);
}

/* --- Cancelling. */

enum { STORM_THREADS = 8, STORM_LOADS = 625 };

typedef struct storm {
    sdimage_manager *manager;
    const char *urls[4];
    unsigned seed;
    seen seen[STORM_LOADS];
} storm;

static void *start_and_cancel(void *argument) {
    storm *storm = argument;
    sdimage_task *tasks[16] = {NULL};
    for (int i = 0; i < STORM_LOADS; i++) {
        sdimage_request *request = new_request(storm->urls[rand_r(&storm->seed) % 4]);
        if (i % 3 == 0)
            sdimage_request_set_source_policy(request, SDIMAGE_SOURCE_POLICY_LOADER_ONLY);
        sdimage_task **slot = &tasks[rand_r(&storm->seed) % 16];
        if (rand_r(&storm->seed) % 2)
            sdimage_task_cancel(*slot); /* NULL at first: harmless */
        sdimage_task_unref(*slot);
        *slot = NULL;
        CHECK_EQUAL(sdimage_manager_load(storm->manager, request, &handler, &storm->seen[i], on_destroy, slot, NULL),
                    SDIMAGE_STATUS_OK);
        if (rand_r(&storm->seed) % 4 == 0)
            sdimage_task_cancel(*slot);
        sdimage_request_unref(request);
    }
    for (int i = 0; i < 16; i++) {
        sdimage_task_cancel(tasks[i]);
        sdimage_task_unref(tasks[i]);
    }
    return NULL;
}

static void eachOf5000CancelledLoadsEndsOnce(void) {
    static storm storms[STORM_THREADS];
    pthread_t threads[STORM_THREADS];
    sdimage_manager *manager = new_manager(NULL, NULL, true);
    const char *file = file_url_with("a.png", png_2x2, sizeof png_2x2);
    const char *missing = "file:///nonexistent/b.png";
    for (int i = 0; i < STORM_THREADS; i++) {
        storms[i].manager = manager;
        storms[i].urls[0] = PNG_DATA_URL;
        storms[i].urls[1] = GIF_DATA_URL;
        storms[i].urls[2] = file;
        storms[i].urls[3] = missing;
        storms[i].seed = (unsigned)i + 1;
        CHECK_EQUAL(pthread_create(&threads[i], NULL, start_and_cancel, &storms[i]), 0);
    }
    for (int i = 0; i < STORM_THREADS; i++)
        CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
    CHECK_EQUAL(sdimage_manager_close(manager, 60000, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_manager_running_count(manager), 0);
    sdimage_manager_unref(manager);
    for (int i = 0; i < STORM_THREADS; i++)
        for (int k = 0; k < STORM_LOADS; k++)
            expect_one_final(&storms[i].seen[k]);
}

/* A loader that holds every load until it is cancelled. */
typedef struct holder {
    gate started;
    atomic_int cancelled;
} holder;

static bool takes_all(void *user_data, const sdimage_request *request) {
    (void)user_data, (void)request;
    return true;
}

static sdimage_status hold(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    (void)request;
    sdimage_load_sink_ref(sink); /* released by `finish_cancelled` */
    gate_open(&((holder *)user_data)->started);
    return SDIMAGE_STATUS_OK;
}

static void finish_cancelled(void *user_data, sdimage_load_sink *sink) {
    atomic_fetch_add(&((holder *)user_data)->cancelled, 1);
    sdimage_load_sink_finish(sink, NULL);
    sdimage_load_sink_unref(sink);
}

static sdimage_loader *new_holder(holder *holder) {
    sdimage_loader_vtable table = {
        .size = sizeof table, .can_load = takes_all, .load = hold, .cancel = finish_cancelled};
    sdimage_loader *loader = NULL;
    CHECK_EQUAL(sdimage_loader_new_custom("holder", &table, holder, NULL, &loader, NULL), SDIMAGE_STATUS_OK);
    return loader;
}

static sdimage_task *start_url(sdimage_manager *manager, const char *url, seen *seen) {
    sdimage_task *task = NULL;
    sdimage_request *request = new_request(url);
    CHECK_EQUAL(sdimage_manager_load(manager, request, &handler, seen, on_destroy, &task, NULL), SDIMAGE_STATUS_OK);
    sdimage_request_unref(request);
    return task;
}

static void aCancelledLoadEndsWithCancelledAndItsLoaderIsTold(void) {
    static holder holder = {.started = GATE_CLOSED}; /* static: a call of the loader may return later */
    seen seen = {0};
    sdimage_loader *loader = new_holder(&holder);
    sdimage_manager *manager = new_manager(NULL, loader, true);
    sdimage_task *task = start_url(manager, "held:1", &seen);
    gate_wait(&holder.started, 1);
    sdimage_task_cancel(task);
    CHECK_EQUAL(sdimage_task_wait(task, 60000, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_manager_close(manager, 60000, NULL), SDIMAGE_STATUS_OK);
    expect_one_final(&seen);
    CHECK_EQUAL(atomic_load(&seen.code), SDIMAGE_STATUS_CANCELLED);
    CHECK_EQUAL(atomic_load(&holder.cancelled), 1);
    sdimage_task_unref(task);
    sdimage_manager_unref(manager);
    sdimage_loader_unref(loader);
}

static void cancelAndWaitComesBackAfterTheLastCallback(void) {
    for (int i = 0; i < 200; i++) {
        seen seen = {0};
        sdimage_manager *manager = new_manager(NULL, NULL, false);
        sdimage_task *task = start_url(manager, PNG_DATA_URL, &seen);
        CHECK_EQUAL(sdimage_task_cancel_and_wait(task, 60000, NULL), SDIMAGE_STATUS_OK);
        CHECK_EQUAL(atomic_load(&seen.finals), 1);
        sdimage_task_unref(task);
        sdimage_manager_unref(manager);
        expect_one_final(&seen);
    }
}

/* --- Closing and releasing. */

/* A thousand loads, started or queued. */
static void closingEndsAThousandRunningLoadsWithShutdown(void) {
    enum { LOADS = 1000 };
    static holder holder = {.started = GATE_CLOSED}; /* static: a call of the loader may return later */
    static seen seen[LOADS];
    sdimage_loader *loader = new_holder(&holder);
    sdimage_manager *manager = new_manager(NULL, loader, true);
    char url[32];
    for (int i = 0; i < LOADS; i++) {
        snprintf(url, sizeof url, "held:%d", i);
        sdimage_task_unref(start_url(manager, url, &seen[i]));
    }
    CHECK_EQUAL(sdimage_manager_running_count(manager), LOADS);
    CHECK_EQUAL(sdimage_manager_close(manager, 60000, NULL), SDIMAGE_STATUS_OK);
    for (int i = 0; i < LOADS; i++) {
        expect_one_final(&seen[i]);
        CHECK_EQUAL(atomic_load(&seen[i].code), SDIMAGE_STATUS_SHUTDOWN);
    }
    sdimage_request *request = new_request("held:late");
    CHECK_EQUAL(sdimage_manager_load(manager, request, &handler, NULL, NULL, NULL, NULL), SDIMAGE_STATUS_SHUTDOWN);
    CHECK_EQUAL(sdimage_manager_close(manager, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    sdimage_loader_unref(loader);
}

static void releasingTheManagerEndsRunningLoads(void) {
    static holder holder = {.started = GATE_CLOSED}; /* static: a call of the loader may return later */
    seen seen = {0};
    sdimage_loader *loader = new_holder(&holder);
    sdimage_manager *manager = new_manager(NULL, loader, false);
    sdimage_task *task = start_url(manager, "held:1", &seen);
    gate_wait(&holder.started, 1);
    sdimage_manager_unref(manager);
    CHECK_EQUAL(sdimage_task_wait(task, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_task_unref(task);
    sdimage_loader_unref(loader);
    expect_one_final(&seen);
}

static void aClosedCacheAnswersShutdown(void) {
    sdimage_cache *cache = NULL;
    sdimage_data *data = new_data("x", 1), *found = NULL;
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache_config_set_directory(config, temporary_folder());
    CHECK_EQUAL(sdimage_cache_new(config, &cache, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_cache_close(cache, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_cache_store_data(cache, "k", 1, data, NULL), SDIMAGE_STATUS_SHUTDOWN);
    CHECK_EQUAL(sdimage_cache_get_data(cache, "k", 1, &found, NULL), SDIMAGE_STATUS_SHUTDOWN);
    CHECK_EQUAL(sdimage_cache_flush(cache, NULL), SDIMAGE_STATUS_SHUTDOWN);
    CHECK(found == NULL);
    sdimage_data_unref(data);
    sdimage_cache_config_unref(config);
    sdimage_cache_unref(cache);
}

/* --- Failures. */

static void expect_failure(sdimage_manager *manager, const char *url, sdimage_status expected) {
    sdimage_request *request = new_request(url);
    sdimage_result *result = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = sdimage_manager_load_sync(manager, request, &result, &error);
    if (status != expected)
        fail_test(__FILE__, __LINE__, "%.60s: %s, not %s", url, sdimage_status_name(status),
                  sdimage_status_name(expected));
    CHECK_EQUAL(sdimage_error_code(error), expected);
    CHECK(*sdimage_error_message(error) != '\0' && !strchr(sdimage_error_message(error), '\n'));
    CHECK(result && !sdimage_result_image(result));
    sdimage_error_unref(error);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
}

static void eachFailureHasItsOwnCode(void) {
    sdimage_manager *manager = new_manager(NULL, NULL, true);
    const char html[] = "<!DOCTYPE html><title>404</title>";
    char folder[128];
    snprintf(folder, sizeof folder, "file://%s", temporary_folder());
    expect_failure(manager, "", SDIMAGE_STATUS_INVALID_URL);
    expect_failure(manager, "nonsense:x", SDIMAGE_STATUS_SCHEME_FORBIDDEN);
    expect_failure(manager, "http://127.0.0.1:1/x.png", SDIMAGE_STATUS_CONNECT_FAILED);
    expect_failure(manager, "file:///nonexistent/x.png", SDIMAGE_STATUS_NOT_FOUND);
    expect_failure(manager, folder, SDIMAGE_STATUS_NOT_A_FILE);
    expect_failure(manager, file_url_with("empty.png", "", 0), SDIMAGE_STATUS_EMPTY_DATA);
    expect_failure(manager, file_url_with("page.png", html, sizeof html), SDIMAGE_STATUS_NOT_AN_IMAGE);
    expect_failure(manager, file_url_with("cut.png", png_2x2, 50), SDIMAGE_STATUS_TRUNCATED);
    expect_failure(manager, file_url_with("big.png", png_30000x30000, sizeof png_30000x30000),
                   SDIMAGE_STATUS_TOO_LARGE);

    sdimage_request *request = new_request(PNG_DATA_URL);
    sdimage_result *result = NULL;
    CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
}

static void anErrorNamesTheUrlWithoutItsPassword(void) {
    sdimage_manager *manager = new_manager(NULL, NULL, false);
    sdimage_request *request = new_request("http://user:secret@127.0.0.1:1/x.png");
    sdimage_result *result = NULL;
    sdimage_error *error = NULL;
    CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, &error), SDIMAGE_STATUS_CONNECT_FAILED);
    CHECK(strstr(sdimage_error_url(error), "127.0.0.1:1/x.png"));
    CHECK(!strstr(sdimage_error_url(error), "secret") && !strstr(sdimage_error_message(error), "secret"));
    CHECK(!strstr(sdimage_result_url(result), "secret"));
    CHECK(sdimage_error_is_transient(error));
    sdimage_error_unref(error);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
}

static void anUnusableCacheFolderFailsStoresOnly(void) {
    sdimage_cache *cache = NULL;
    sdimage_cache_config *config = sdimage_cache_config_new();
    sdimage_cache_config_set_directory(config, "/proc/nowhere");
    CHECK_EQUAL(sdimage_cache_new(config, &cache, NULL), SDIMAGE_STATUS_OK);
    sdimage_cache_config_unref(config);
    sdimage_data *data = new_data(png_2x2, sizeof png_2x2);
    CHECK_EQUAL(sdimage_cache_store_data(cache, "k", 1, data, NULL), SDIMAGE_STATUS_CACHE_UNUSABLE);
    sdimage_data_unref(data);

    sdimage_manager_config *manager_config = sdimage_manager_config_new();
    sdimage_manager *manager = NULL;
    sdimage_manager_config_set_cache(manager_config, cache);
    CHECK_EQUAL(sdimage_manager_new(manager_config, &manager, NULL), SDIMAGE_STATUS_OK);
    sdimage_request *request = new_request(file_url_with("a.png", png_2x2, sizeof png_2x2));
    sdimage_request_set_wait_for_store(request, true);
    sdimage_result *result = NULL;
    CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
    sdimage_manager_config_unref(manager_config);
    sdimage_manager_unref(manager);
    sdimage_cache_unref(cache);
}

int main(void) {
    static const test tests[] = {
        TEST(eachOf5000CancelledLoadsEndsOnce),
        TEST(aCancelledLoadEndsWithCancelledAndItsLoaderIsTold),
        TEST(cancelAndWaitComesBackAfterTheLastCallback),
        TEST(closingEndsAThousandRunningLoadsWithShutdown),
        TEST(releasingTheManagerEndsRunningLoads),
        TEST(aClosedCacheAnswersShutdown),
        TEST(eachFailureHasItsOwnCode),
        TEST(anErrorNamesTheUrlWithoutItsPassword),
        TEST(anUnusableCacheFolderFailsStoresOnly),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
