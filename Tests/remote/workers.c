/* workers.c: a worker of a remote cache, and the counters in a forked process. Built from the plug-ins' own source,
 * with an engine that has no server. Linked with --wrap=calloc and --wrap=pthread_create. */
#include <errno.h>
#include <sys/wait.h>

#include "check.h"
#include "tier.c" /* for functions and objects of its own */

/* Look-ups that follow each other, each during the exchange of the one before, and a batch of the worker. */
enum { LOOK_UPS = 5, BATCH = 32 };

static bool refuses_memory;
static _Atomic bool refuses_threads; /* also called by threads of the library */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) {
    return refuses_memory ? NULL : __real_calloc(count, size);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    return refuses_threads ? EAGAIN : __real_pthread_create(thread, attributes, body, argument);
}

/* --- An engine whose exchanges are counted, and add look-ups or stop the cache. */

static tier *running;
static int look_ups, removals, look_ups_before_removals, stores, most_stores;

static void *parse_nothing(const char *address, sdimage_error **error) {
    (void)address, (void)error;
    return &look_ups;
}

static void *open_nothing(void *servers, const sdremote_settings *settings) {
    (void)settings;
    return servers;
}

static void ignore(void *object) {
    (void)object;
}

static size_t one(const void *servers) {
    (void)servers;
    return 1;
}

/* Leases are held by another process. The cache is stopped once both queues are empty. */
static void exchange(void *connection, sdremote_command *commands, size_t count, uint64_t deadline) {
    (void)connection, (void)deadline;
    int before = stores;
    for (size_t i = 0; i < count; i++) {
        commands[i].has_response = true;
        commands[i].is_true = commands[i].verb == SDREMOTE_DELETE;
        if (commands[i].verb == SDREMOTE_DELETE && !removals++)
            look_ups_before_removals = look_ups;
        look_ups += commands[i].verb == SDREMOTE_GET;
        stores += commands[i].verb == SDREMOTE_SET;
    }
    most_stores = stores - before > most_stores ? stores - before : most_stores;
    pthread_mutex_lock(&running->lock);
    if (commands[0].verb != SDREMOTE_DELETE && look_ups < LOOK_UPS)
        sdremote_push(&running->lookups, sdremote_job_new(JOB_PROBE, "test", "", 0, NULL));
    running->is_stopped = !running->lookups.first && !running->stores.first;
    pthread_mutex_unlock(&running->lock);
}

static const sdremote_engine engine = {"none", parse_nothing, ignore, one, open_nothing, ignore, exchange};

/* Makes a cache without threads, with a reference for this thread, which works for it. */
static tier *new_tier(int64_t connections) {
    sdimage_options *options = sdimage_options_new();
    sdimage_options_set_int64(options, SDIMAGE_REMOTE_CONNECTIONS, connections);
    CHECK(tier_new(&engine, "", options, &running, NULL) >= 0);
    sdimage_options_unref(options);
    running->references++;
    return running;
}

/* --- Tests. */

/* Both kinds of jobs make progress: removals of whole batches, and look-ups that never pause. */
static void aSingleConnectionAlternatesBetweenLookUpsAndStores(void) {
    tier *tier = new_tier(1);
    sdremote_push(&tier->lookups, sdremote_job_new(JOB_PROBE, "test", "", 0, NULL));
    for (int i = 0; i < 2 * BATCH; i++)
        sdremote_push(&tier->stores, sdremote_job_new(JOB_REMOVE, "test", "key", 3, NULL));
    sdremote_work(&tier->workers[0]);
    CHECK_EQUAL(look_ups, LOOK_UPS);
    CHECK_EQUAL(removals, 2 * BATCH);
    CHECK_EQUAL(look_ups_before_removals, 1);
    sdremote_tier_drop(tier);
}

/* Look-ups wait for a batch of stores only if they have no connection of their own. */
static void aSingleConnectionStoresFewBytesAtOnce(void) {
    static const struct {
        int connections;
        size_t cost;
        int most;
    } cases[] = {{1, 1000, BATCH}, {1, 100000, 3}, {1, 1000000, 1}, {2, 1000000, BATCH}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tier *tier = new_tier(cases[i].connections);
        stores = most_stores = 0;
        for (int count = 0; count < 2 * BATCH; count++) {
            job *store = sdremote_job_new(JOB_STORE, "test", "key", 3, NULL);
            store->cost = cases[i].cost;
            tier->queued_bytes += store->cost;
            sdremote_push(&tier->stores, store);
        }
        look_ups = LOOK_UPS;
        sdremote_work(&tier->workers[cases[i].connections == 1 ? 0 : 15]);
        CHECK_EQUAL(stores, 2 * BATCH);
        CHECK_EQUAL(most_stores, cases[i].most);
        CHECK_EQUAL(tier->queued_bytes, 0);
        sdremote_tier_drop(tier);
    }
}

static void aWorkerForStoresNeedsNoMemoryToRunThem(void) {
    tier *tier = new_tier(2);
    sdremote_push(&tier->stores, sdremote_job_new(JOB_REMOVE, "test", "key", 3, NULL));
    refuses_memory = true;
    sdremote_work(&tier->workers[15]);
    refuses_memory = false;
    CHECK_EQUAL(removals, 1);
    sdremote_tier_drop(tier);
}

static sdimage_reply *received;
static sdimage_status refused;

static void keep_reply(void *user_data, const void *key, size_t length, const sdimage_options *options,
                       sdimage_reply *reply) {
    (void)key, (void)length, (void)options;
    received = reply;
    gate_open(user_data);
}

static void note_status(void *user_data, sdimage_data *data, sdimage_error *error) {
    (void)data;
    refused = sdimage_error_code(error);
    gate_open(user_data);
}

/* Otherwise the load would wait for an attempt that no thread begins. */
static void aLeaseIsNotRetriedWithoutATimer(void) {
    static const sdimage_cache_vtable table = {
        .size = sizeof table, .query = keep_reply, .store_entry = store_entry, .remove = remove_entry};
    static const sdimage_cache_handler handler = {.size = sizeof handler, .data = note_status};
    gate gate = GATE_CLOSED;
    sdimage_cache *cache = NULL;
    CHECK(sdimage_cache_new_custom(&table, &gate, ignore, &cache, NULL) >= 0);
    CHECK(sdimage_cache_get_data_async(cache, "key", 3, &handler, &gate, ignore, NULL) >= 0);
    gate_wait(&gate, 1);
    tier *tier = new_tier(2);
    job *lease = sdremote_job_new(JOB_LEASE, "test", "key", 3, received);
    lease->wait_until = UINT64_MAX;
    sdremote_push(&tier->lookups, lease);
    refuses_threads = true;
    sdremote_work(&tier->workers[0]);
    refuses_threads = false;
    CHECK(!tier->waiting.first);
    gate_wait(&gate, 2);
    CHECK_EQUAL(refused, SDIMAGE_STATUS_TIMEOUT);
    sdremote_tier_drop(tier);
    sdimage_cache_unref(cache);
}

/* A thread of the parent has the lock of the list during the fork. */
static void countersOfAForkedProcessAreZero(void) {
    sdimage_cache *cache = NULL;
    int status = 0;
    CHECK(sdremote_cache_new(&engine, "", NULL, &cache, NULL) >= 0);
    pthread_mutex_lock(&all->lock);
    all->statistics[SDIMAGE_REMOTE_STATISTIC_HITS] = 1;
    pthread_mutex_unlock(&all->lock);
    pthread_mutex_lock(&all_lock);
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        alarm(60);
        _exit((int)sdremote_cache_statistic(cache, SDIMAGE_REMOTE_STATISTIC_HITS));
    }
    pthread_mutex_unlock(&all_lock);
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(sdremote_cache_statistic(cache, SDIMAGE_REMOTE_STATISTIC_HITS), 1);
    sdimage_cache_unref(cache);
}

int main(void) {
    static const test tests[] = {
        TEST(aSingleConnectionAlternatesBetweenLookUpsAndStores),
        TEST(aSingleConnectionStoresFewBytesAtOnce),
        TEST(aWorkerForStoresNeedsNoMemoryToRunThem),
        TEST(aLeaseIsNotRetriedWithoutATimer),
        TEST(countersOfAForkedProcessAreZero),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
