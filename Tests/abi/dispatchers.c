/* dispatchers.c: the threads of callbacks, and memory hits on each dispatcher. */
#include <poll.h>

#include "check.h"

typedef struct seen {
    pthread_t thread;
    atomic_int finals, inside_call;
    atomic_int code;
    gate delivered;
} seen;

static _Thread_local bool in_starting_call;

static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    seen *seen = user_data;
    (void)task;
    if (sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL)
        return;
    seen->thread = pthread_self();
    atomic_store(&seen->inside_call, in_starting_call);
    atomic_store(&seen->code, sdimage_error_code(sdimage_result_error(result)));
    atomic_fetch_add(&seen->finals, 1);
    gate_open(&seen->delivered);
}

static const sdimage_load_handler handler = {.size = sizeof handler, .result = on_result};

static sdimage_task *start_load(sdimage_manager *manager, const char *url, const sdimage_load_handler *with,
                                void *token) {
    sdimage_task *task = NULL;
    sdimage_request *request = new_request(url);
    in_starting_call = true;
    CHECK_EQUAL(sdimage_manager_load(manager, request, with, token, NULL, &task, NULL), SDIMAGE_STATUS_OK);
    in_starting_call = false;
    sdimage_request_unref(request);
    return task;
}

/* Puts the image into the manager's memory cache without using its dispatcher. */
static void load_into_memory(sdimage_manager *manager, const char *url) {
    sdimage_request *request = new_request(url);
    sdimage_result *result = NULL;
    CHECK_EQUAL(sdimage_manager_load_sync(manager, request, &result, NULL), SDIMAGE_STATUS_OK);
    sdimage_result_unref(result);
    sdimage_request_unref(request);
}

static bool is_readable(sdimage_dispatcher *dispatcher, int timeout_ms) {
    struct pollfd watched = {.fd = sdimage_dispatcher_descriptor(dispatcher), .events = POLLIN};
    return poll(&watched, 1, timeout_ms) == 1;
}

static sdimage_dispatcher *new_pollable(void) {
    sdimage_dispatcher *dispatcher = NULL;
    CHECK_EQUAL(sdimage_dispatcher_new_pollable(&dispatcher, NULL), SDIMAGE_STATUS_OK);
    return dispatcher;
}

/* --- Pollable. */

static void aPollableQueueDeliversWhereItIsDrained(void) {
    sdimage_dispatcher *dispatcher = new_pollable();
    sdimage_manager *manager = new_manager(dispatcher, NULL, true);
    seen seen = {.delivered = GATE_CLOSED};
    CHECK_EQUAL(sdimage_dispatcher_drain(dispatcher), 0);
    CHECK(!is_readable(dispatcher, 0));
    sdimage_task_unref(start_load(manager, PNG_DATA_URL, &handler, &seen));
    while (atomic_load(&seen.finals) == 0) {
        CHECK(is_readable(dispatcher, 60000));
        sdimage_dispatcher_drain(dispatcher);
    }
    CHECK(pthread_equal(seen.thread, pthread_self()));
    CHECK(!is_readable(dispatcher, 0));
    sdimage_manager_unref(manager);
    sdimage_dispatcher_unref(dispatcher);
}

static void eventsReplaceCallbacksAndCarryTheToken(void) {
    enum { LOADS = 8 };
    sdimage_dispatcher *dispatcher = new_pollable();
    sdimage_manager *manager = new_manager(dispatcher, NULL, true);
    char tokens[LOADS] = {0};
    sdimage_task *tasks[LOADS];
    for (int i = 0; i < LOADS; i++) {
        tasks[i] = start_load(manager, i % 2 ? PNG_DATA_URL : GIF_DATA_URL, NULL, &tokens[i]);
        CHECK(sdimage_task_token(tasks[i]) == &tokens[i]);
    }
    for (int finals = 0; finals < LOADS;) {
        sdimage_event *event = NULL;
        CHECK(is_readable(dispatcher, 60000));
        if (sdimage_dispatcher_next_event(dispatcher, &event, NULL) == SDIMAGE_STATUS_END)
            continue;
        char *token = sdimage_event_token(event);
        CHECK(token >= tokens && token < tokens + LOADS);
        CHECK(sdimage_event_task(event) == tasks[token - tokens]);
        if (sdimage_event_callback_kind(event) == SDIMAGE_CALLBACK_KIND_RESULT) {
            CHECK_EQUAL(sdimage_result_kind(sdimage_event_result(event)), SDIMAGE_DELIVERY_KIND_FINAL);
            CHECK(sdimage_result_image(sdimage_event_result(event)) != NULL);
            CHECK_EQUAL(++*token, 1);
            finals++;
        } else {
            CHECK(sdimage_event_result(event) == NULL);
        }
        sdimage_event_unref(event);
    }
    sdimage_event *event = NULL;
    CHECK_EQUAL(sdimage_dispatcher_next_event(dispatcher, &event, NULL), SDIMAGE_STATUS_END);
    CHECK(event == NULL);
    for (int i = 0; i < LOADS; i++)
        sdimage_task_unref(tasks[i]);
    sdimage_manager_unref(manager);
    sdimage_dispatcher_unref(dispatcher);
}

static void aMemoryHitOnTheBoundThreadIsDeliveredInsideTheCall(void) {
    sdimage_dispatcher *dispatcher = new_pollable();
    CHECK_EQUAL(sdimage_dispatcher_bind_current_thread(dispatcher, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager *manager = new_manager(dispatcher, NULL, true);
    load_into_memory(manager, PNG_DATA_URL);
    seen seen = {.delivered = GATE_CLOSED};
    sdimage_task_unref(start_load(manager, PNG_DATA_URL, &handler, &seen));
    CHECK_EQUAL(atomic_load(&seen.finals), 1);
    CHECK(atomic_load(&seen.inside_call));
    sdimage_manager_unref(manager);
    sdimage_dispatcher_unref(dispatcher);
}

static bool takes_all(void *user_data, const sdimage_request *request) {
    (void)user_data, (void)request;
    return true;
}

static sdimage_load_sink *held_sink;

static sdimage_status hold(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    (void)request;
    held_sink = sdimage_load_sink_ref(sink);
    gate_open(user_data);
    return SDIMAGE_STATUS_OK;
}

static void cancellingOnTheBoundThreadDeliversBeforeItReturns(void) {
    gate started = GATE_CLOSED;
    sdimage_loader_vtable table = {.size = sizeof table, .can_load = takes_all, .load = hold};
    sdimage_loader *loader = NULL;
    CHECK_EQUAL(sdimage_loader_new_custom("holder", &table, &started, NULL, &loader, NULL), SDIMAGE_STATUS_OK);
    sdimage_dispatcher *dispatcher = new_pollable();
    CHECK_EQUAL(sdimage_dispatcher_bind_current_thread(dispatcher, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager *manager = new_manager(dispatcher, loader, true);
    seen seen = {.delivered = GATE_CLOSED};
    sdimage_task *task = start_load(manager, "held:1", &handler, &seen);
    gate_wait(&started, 1);
    sdimage_task_cancel(task);
    CHECK_EQUAL(atomic_load(&seen.finals), 1);
    CHECK_EQUAL(atomic_load(&seen.code), SDIMAGE_STATUS_CANCELLED);
    sdimage_load_sink_finish(held_sink, NULL);
    sdimage_load_sink_unref(held_sink);
    CHECK_EQUAL(sdimage_manager_close(manager, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_dispatcher_drain(dispatcher);
    CHECK_EQUAL(atomic_load(&seen.finals), 1);
    sdimage_task_unref(task);
    sdimage_manager_unref(manager);
    sdimage_loader_unref(loader);
    sdimage_dispatcher_unref(dispatcher);
}

static void aLoadThatIsNotDrainedTimesOutWhenItsManagerCloses(void) {
    sdimage_dispatcher *dispatcher = new_pollable();
    sdimage_manager *manager = new_manager(dispatcher, NULL, false);
    seen seen = {.delivered = GATE_CLOSED};
    sdimage_task *task = start_load(manager, PNG_DATA_URL, &handler, &seen);
    CHECK_EQUAL(sdimage_task_wait(task, 60000, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_manager_close(manager, 50, NULL), SDIMAGE_STATUS_TIMEOUT);
    CHECK(is_readable(dispatcher, 60000));
    sdimage_dispatcher_drain(dispatcher);
    CHECK_EQUAL(atomic_load(&seen.finals), 1);
    CHECK_EQUAL(sdimage_manager_close(manager, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_task_unref(task);
    sdimage_manager_unref(manager);
    sdimage_dispatcher_unref(dispatcher);
}

/* --- Immediate. */

static void anImmediateMemoryHitIsDeliveredInsideTheCall(void) {
    sdimage_dispatcher *dispatcher = NULL;
    CHECK_EQUAL(sdimage_dispatcher_new_immediate(&dispatcher, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager *manager = new_manager(dispatcher, NULL, true);
    load_into_memory(manager, PNG_DATA_URL);
    seen seen = {.delivered = GATE_CLOSED};
    sdimage_task *task = start_load(manager, PNG_DATA_URL, &handler, &seen);
    CHECK_EQUAL(atomic_load(&seen.finals), 1);
    CHECK(atomic_load(&seen.inside_call) && pthread_equal(seen.thread, pthread_self()));
    sdimage_result *result = NULL;
    sdimage_task_get_result(task, &result);
    CHECK_EQUAL(sdimage_result_source(result), SDIMAGE_IMAGE_SOURCE_MEMORY);
    sdimage_result_unref(result);
    sdimage_task_unref(task);
    CHECK_EQUAL(sdimage_dispatcher_descriptor(dispatcher), -1);
    sdimage_manager_unref(manager);
    sdimage_dispatcher_unref(dispatcher);
}

/* --- The library's thread. */

static void aMemoryHitIsTheTasksResultBeforeTheCallReturns(void) {
    sdimage_manager *manager = new_manager(NULL, NULL, true);
    load_into_memory(manager, PNG_DATA_URL);
    seen seen = {.delivered = GATE_CLOSED};
    sdimage_task *task = start_load(manager, PNG_DATA_URL, &handler, &seen);
    sdimage_result *result = NULL;
    CHECK(sdimage_task_is_finished(task));
    sdimage_task_get_result(task, &result);
    CHECK_EQUAL(sdimage_result_source(result), SDIMAGE_IMAGE_SOURCE_MEMORY);
    gate_wait(&seen.delivered, 1);
    CHECK(!pthread_equal(seen.thread, pthread_self()));
    CHECK(!atomic_load(&seen.inside_call));
    sdimage_result_unref(result);
    sdimage_task_unref(task);
    CHECK_EQUAL(sdimage_manager_close(manager, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager_unref(manager);
}

typedef struct blocking {
    sdimage_manager *manager;
    sdimage_status load, wait;
    gate done;
} blocking;

static void block_in_callback(void *user_data, sdimage_task *task, sdimage_result *result) {
    blocking *blocking = user_data;
    sdimage_request *request = new_request(GIF_DATA_URL);
    sdimage_result *another = NULL;
    (void)task, (void)result;
    blocking->load = sdimage_manager_load_sync(blocking->manager, request, &another, NULL);
    sdimage_request_set_source_policy(request, SDIMAGE_SOURCE_POLICY_LOADER_ONLY);
    sdimage_task *inner = NULL;
    CHECK_EQUAL(sdimage_manager_load(blocking->manager, request, NULL, NULL, NULL, &inner, NULL), SDIMAGE_STATUS_OK);
    blocking->wait = sdimage_task_wait(inner, 5000, NULL);
    sdimage_task_unref(inner);
    sdimage_result_unref(another);
    sdimage_request_unref(request);
    gate_open(&blocking->done);
}

static void blockingOnTheLibrarysThreadIsRefused(void) {
    blocking blocking = {.manager = new_manager(NULL, NULL, false), .done = GATE_CLOSED};
    sdimage_load_handler blocking_handler = {.size = sizeof blocking_handler, .result = block_in_callback};
    sdimage_task_unref(start_load(blocking.manager, PNG_DATA_URL, &blocking_handler, &blocking));
    gate_wait(&blocking.done, 1);
    CHECK_EQUAL(blocking.load, SDIMAGE_STATUS_WOULD_DEADLOCK);
    CHECK_EQUAL(blocking.wait, SDIMAGE_STATUS_WOULD_DEADLOCK);
    CHECK_EQUAL(sdimage_manager_close(blocking.manager, 60000, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager_unref(blocking.manager);
}

/* --- A loop of the host. */

typedef struct host {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    struct {
        void (*run)(void *);
        void *argument;
    } posts[64];
    int first, last;
} host;

static void post(void *user_data, void (*run)(void *), void *argument) {
    host *host = user_data;
    pthread_mutex_lock(&host->lock);
    host->posts[host->last % 64].run = run;
    host->posts[host->last++ % 64].argument = argument;
    pthread_cond_signal(&host->changed);
    pthread_mutex_unlock(&host->lock);
}

static bool is_current(void *user_data) {
    return pthread_equal(((host *)user_data)->thread, pthread_self());
}

static void run_one(host *host) {
    pthread_mutex_lock(&host->lock);
    while (host->first == host->last)
        pthread_cond_wait(&host->changed, &host->lock);
    void (*run)(void *) = host->posts[host->first % 64].run;
    void *argument = host->posts[host->first++ % 64].argument;
    pthread_mutex_unlock(&host->lock);
    run(argument);
}

static void aHostLoopRunsTheCallbacks(void) {
    host host = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, pthread_self(), {{NULL, NULL}}, 0, 0};
    sdimage_dispatcher_vtable table = {.size = sizeof table, .post = post, .is_current = is_current};
    sdimage_dispatcher *dispatcher = NULL;
    CHECK_EQUAL(sdimage_dispatcher_new_custom(&table, &host, NULL, &dispatcher, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager *manager = new_manager(dispatcher, NULL, true);
    seen cold = {.delivered = GATE_CLOSED}, warm = {.delivered = GATE_CLOSED};
    sdimage_task_unref(start_load(manager, PNG_DATA_URL, &handler, &cold));
    while (atomic_load(&cold.finals) == 0)
        run_one(&host);
    CHECK(pthread_equal(cold.thread, pthread_self()) && !atomic_load(&cold.inside_call));
    sdimage_task_unref(start_load(manager, PNG_DATA_URL, &handler, &warm));
    CHECK_EQUAL(atomic_load(&warm.finals), 1);
    CHECK(atomic_load(&warm.inside_call));
    sdimage_manager_unref(manager);
    sdimage_dispatcher_unref(dispatcher);
}

/* --- Progress. */

typedef struct told {
    pthread_t loading, telling;
    gate heard;
} told;

static bool takes_all_urls(void *user_data, const sdimage_request *request) {
    (void)user_data, (void)request;
    return true;
}

/* The thread that delivers bytes reports progress, and waits until the callback has run. */
static sdimage_status load_and_report(void *user_data, const sdimage_request *request, sdimage_load_sink *sink) {
    told *told = user_data;
    (void)request;
    told->loading = pthread_self();
    sdimage_load_sink_report_progress(sink, 1, 2);
    gate_wait(&told->heard, 1);
    return SDIMAGE_STATUS_NOT_FOUND;
}

static void hear_progress(void *user_data, sdimage_task *task, int64_t received, int64_t expected) {
    told *told = user_data;
    (void)task, (void)received, (void)expected;
    told->telling = pthread_self();
    gate_open(&told->heard);
}

static void ignore_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)user_data, (void)task, (void)result;
}

/* A slow callback must not block the thread that transfers the bytes. */
static void immediateProgressIsNotToldByTheThreadThatMovesBytes(void) {
    const sdimage_loader_vtable table = {.size = sizeof table, .can_load = takes_all_urls, .load = load_and_report};
    const sdimage_load_handler hears = {.size = sizeof hears, .result = ignore_result, .progress = hear_progress};
    static told told = {.heard = GATE_CLOSED};
    sdimage_dispatcher *immediate = NULL;
    sdimage_loader *loader = NULL;
    sdimage_task *task = NULL;
    CHECK_EQUAL(sdimage_dispatcher_new_immediate(&immediate, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_loader_new_custom("told", &table, &told, NULL, &loader, NULL), SDIMAGE_STATUS_OK);
    sdimage_manager *manager = new_manager(immediate, loader, false);
    sdimage_request *request = new_request("test://a");
    CHECK_EQUAL(sdimage_manager_load(manager, request, &hears, &told, NULL, &task, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_task_wait(task, 60000, NULL), SDIMAGE_STATUS_OK);
    CHECK(!pthread_equal(told.loading, told.telling));
    sdimage_task_unref(task);
    sdimage_request_unref(request);
    sdimage_manager_unref(manager);
    sdimage_loader_unref(loader);
    sdimage_dispatcher_unref(immediate);
}

int main(void) {
    static const test tests[] = {
        TEST(aPollableQueueDeliversWhereItIsDrained),
        TEST(eventsReplaceCallbacksAndCarryTheToken),
        TEST(aMemoryHitOnTheBoundThreadIsDeliveredInsideTheCall),
        TEST(cancellingOnTheBoundThreadDeliversBeforeItReturns),
        TEST(aLoadThatIsNotDrainedTimesOutWhenItsManagerCloses),
        TEST(anImmediateMemoryHitIsDeliveredInsideTheCall),
        TEST(aMemoryHitIsTheTasksResultBeforeTheCallReturns),
        TEST(blockingOnTheLibrarysThreadIsRefused),
        TEST(aHostLoopRunsTheCallbacks),
        TEST(immediateProgressIsNotToldByTheThreadThatMovesBytes),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
