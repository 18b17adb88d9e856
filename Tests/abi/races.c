/* races.c: threads that share managers, caches, targets, views, players and prefetchers, and make random calls on
 * them. Built with ThreadSanitizer by Tests/races/run; without it, a test of crashes, deadlocks and lost results.
 *
 *   races [SECONDS [SEED]]     default 3 1
 *
 * Each load must have exactly one FINAL, each destroy must be called once, and every kind of operation must occur. */
#include <poll.h>
#include <time.h>

#include "check.h"
#include "server.h"

enum {
    THREADS = 6,
    MANAGERS = 2,
    TARGETS = 3,
    VIEWS = 3,
    PLAYERS = 3,
    PICTURES = 40,
    ANIMATIONS = 4,
    FRAMES = 6,
    LEAST_EACH_SECOND = 9
};

static unsigned seconds = 3, seed = 1;
static uint64_t end_time;
static int port;
static atomic_int started, finals, destroyed;
enum {
    LOADS,
    CANCELLATIONS,
    TARGETS_USED,
    VIEWS_USED,
    PLAYERS_USED,
    CACHES_USED,
    PREFETCHES,
    MANAGERS_REPLACED,
    KINDS
};
static const char *const kind_names[KINDS] = {"loads",          "cancellations",    "calls of targets",
                                              "calls of views", "calls of players", "calls of caches",
                                              "prefetches",     "managers replaced"};
static atomic_int operations[KINDS];
static sdimage_data *animations[ANIMATIONS];

static uint64_t now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* --- The images: bitmaps of 8 x 8, and animations. */

enum { BITMAP = BITMAP_HEAD + 8 * 8 * 3 };

static void make_bitmap(unsigned char bytes[BITMAP], unsigned number) {
    memset(bytes, (int)(number * 6), BITMAP);
    put_bitmap_head(bytes, 8, 8);
}

static sdimage_data *new_animation(unsigned number) {
    static const sdimage_format formats[] = {SDIMAGE_FORMAT_GIF, SDIMAGE_FORMAT_WEBP, SDIMAGE_FORMAT_PNG,
                                             SDIMAGE_FORMAT_GIF};
    sdimage_image *frames[FRAMES], *animation = NULL;
    sdimage_data *data = NULL;
    uint32_t durations[FRAMES];
    for (uint32_t i = 0; i < FRAMES; i++) {
        void *pixels = NULL;
        size_t stride = 0;
        CHECK_EQUAL(
            sdimage_image_new_uninitialized(48, 32, SDIMAGE_PIXEL_FORMAT_RGBA8, &frames[i], &pixels, &stride, NULL), 0);
        for (uint32_t y = 0; y < 32; y++)
            for (uint32_t x = 0; x < 48; x++)
                put_number((unsigned char *)pixels + y * stride + 4 * x,
                           x / 8 == i ? 0xff0000ffu : 0xff000000u + number * 999, 4);
        durations[i] = 20 + 10 * number;
    }
    CHECK_EQUAL(sdimage_image_new_animation(frames, durations, FRAMES, 0, &animation, NULL), 0);
    CHECK_EQUAL(sdimage_encode(animation, formats[number % 4], NULL, &data, NULL), 0);
    for (int i = 0; i < FRAMES; i++)
        sdimage_image_unref(frames[i]);
    sdimage_image_unref(animation);
    return data;
}

static sdimage_image *decoded(unsigned number) {
    sdimage_image *image = NULL;
    const sdimage_data *data = animations[number % ANIMATIONS];
    CHECK_EQUAL(sdimage_decode(sdimage_data_bytes(data), sdimage_data_length(data), NULL, &image, NULL), 0);
    return image;
}

/* --- The origin: `/N`; some responses come in two halves, some end early, some are errors. */

static bool respond(int connection, unsigned number) {
    unsigned char bitmap[BITMAP];
    const void *body = bitmap;
    size_t length = BITMAP;
    char head[256];
    make_bitmap(bitmap, number);
    if (number % 5 == 0) {
        body = sdimage_data_bytes(animations[number / 5 % ANIMATIONS]);
        length = sdimage_data_length(animations[number / 5 % ANIMATIONS]);
    }
    const char *status = number % 11 == 10 ? "404 Not Found" : number % 13 == 12 ? "503 Service Unavailable" : "200 OK";
    int count = snprintf(head, sizeof head,
                         "HTTP/1.1 %s\r\nContent-Length: %zu\r\nCache-Control: max-age=%u\r\nETag: \"%u\"\r\n\r\n",
                         status, length, number % 3, number);
    if (!send_bytes(connection, head, (size_t)count) || !send_bytes(connection, body, length / 2))
        return false;
    if (number % 7 == 6)
        usleep(3000);
    return number % 17 != 16 && send_bytes(connection, (const char *)body + length / 2, length - length / 2);
}

/* --- Shared objects. Slots are replaced under the lock; a thread holds a reference to every object that it uses. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sdimage_cache *caches[MANAGERS];
static sdimage_manager *managers[MANAGERS];
static sdimage_dispatcher *dispatcher; /* pollable; one thread drains it */
static sdimage_target *targets[TARGETS];
static sdimage_animated_view *views[VIEWS];
static sdimage_player *players[PLAYERS];
static sdimage_prefetcher *prefetcher;

#define SHARED(type, slots, index)                                                                                     \
    static type *shared_##type(unsigned random) {                                                                      \
        pthread_mutex_lock(&lock);                                                                                     \
        type *object = type##_ref(slots[random % (index)]);                                                            \
        pthread_mutex_unlock(&lock);                                                                                   \
        return object;                                                                                                 \
    }                                                                                                                  \
    static void replace_##type(unsigned random, type *object) {                                                        \
        pthread_mutex_lock(&lock);                                                                                     \
        type *old = slots[random % (index)];                                                                           \
        slots[random % (index)] = object;                                                                              \
        pthread_mutex_unlock(&lock);                                                                                   \
        type##_unref(old);                                                                                             \
    }
SHARED(sdimage_manager, managers, MANAGERS)
SHARED(sdimage_target, targets, TARGETS)
SHARED(sdimage_animated_view, views, VIEWS)
SHARED(sdimage_player, players, PLAYERS)

static void count_destroyed(void *user_data) {
    (void)user_data;
    atomic_fetch_add(&destroyed, 1);
}

static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)user_data, (void)task;
    atomic_fetch_add(&finals, sdimage_result_kind(result) == SDIMAGE_DELIVERY_KIND_FINAL);
}

static void on_progress(void *user_data, sdimage_task *task, int64_t received, int64_t expected) {
    (void)user_data, (void)task, (void)received, (void)expected;
}

static const sdimage_load_handler handler = {.size = sizeof handler, .result = on_result, .progress = on_progress};

static void set_image(void *user_data, const char *key, sdimage_image *image, sdimage_result *result) {
    (void)user_data, (void)key, (void)image, (void)result;
}

static void show(void *user_data, sdimage_animated_view *view, const sdimage_image *image) {
    (void)user_data, (void)view, (void)image;
}

static void see(void *user_data, sdimage_player *player, uint32_t index, const sdimage_image *image) {
    (void)user_data, (void)player, (void)index, (void)image;
}

static sdimage_manager *new_shared_manager(unsigned index) {
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager *manager = NULL;
    sdimage_manager_config_set_cache(config, caches[index % MANAGERS]);
    if (index % MANAGERS)
        sdimage_manager_config_set_dispatcher(config, dispatcher);
    CHECK_EQUAL(sdimage_manager_new(config, &manager, NULL), 0);
    sdimage_manager_config_unref(config);
    return manager;
}

static sdimage_target *new_target(unsigned index) {
    static const sdimage_target_vtable table = {.size = sizeof table, .set_image = set_image};
    sdimage_target *target = NULL;
    sdimage_manager *manager = shared_sdimage_manager(index);
    CHECK_EQUAL(sdimage_target_new(manager, index % 2 ? dispatcher : NULL, &table, NULL, NULL, &target, NULL), 0);
    sdimage_manager_unref(manager);
    return target;
}

static sdimage_animated_view *new_view(void) {
    static const sdimage_animated_view_handler table = {.size = sizeof table, .show = show};
    sdimage_animated_view *view = NULL;
    CHECK_EQUAL(sdimage_animated_view_new(&table, NULL, NULL, &view, NULL), 0);
    return view;
}

static sdimage_player *new_player(unsigned number) {
    static const sdimage_player_handler table = {.size = sizeof table, .frame = see};
    sdimage_player *player = NULL;
    sdimage_image *image = decoded(number);
    CHECK_EQUAL(sdimage_player_new(image, &table, NULL, NULL, &player, NULL), 0);
    sdimage_image_unref(image);
    return player;
}

static void make_shared(void) {
    for (unsigned i = 0; i < ANIMATIONS; i++)
        animations[i] = new_animation(i);
    CHECK_EQUAL(sdimage_dispatcher_new_pollable(&dispatcher, NULL), 0);
    for (unsigned i = 0; i < MANAGERS; i++) {
        char folder[128];
        sdimage_cache_config *config = sdimage_cache_config_new();
        snprintf(folder, sizeof folder, "%s/cache-%u", temporary_folder(), i);
        sdimage_cache_config_set_directory(config, folder);
        CHECK_EQUAL(sdimage_cache_new(config, &caches[i], NULL), 0);
        sdimage_cache_config_unref(config);
        sdimage_cache_set_memory_limits(caches[i], 20000, 20);
        sdimage_cache_set_keep_weakly(caches[i], i);
        managers[i] = new_shared_manager(i);
    }
    for (unsigned i = 0; i < TARGETS; i++)
        targets[i] = new_target(i);
    for (unsigned i = 0; i < VIEWS; i++)
        views[i] = new_view();
    for (unsigned i = 0; i < PLAYERS; i++)
        players[i] = new_player(i);
    sdimage_manager *manager = shared_sdimage_manager(0);
    CHECK_EQUAL(sdimage_prefetcher_new(manager, NULL, &prefetcher, NULL), 0);
    sdimage_manager_unref(manager);
}

/* --- The operations. */

static sdimage_request *random_request(unsigned random) {
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/%u", port, random % PICTURES);
    sdimage_request *request = sdimage_request_new(url);
    if (random & 0x1000)
        sdimage_request_set_thumbnail_size(request, 5, 5, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    if (random & 0x2000)
        sdimage_request_set_progressive(request, true);
    if (random & 0x4000)
        sdimage_request_set_priority(request, random & 0x8000 ? SDIMAGE_PRIORITY_LOW : SDIMAGE_PRIORITY_HIGH);
    return request;
}

static void note(int kind) {
    /* Relaxed, so that it orders nothing for ThreadSanitizer. */
    atomic_fetch_add_explicit(&operations[kind], 1, memory_order_relaxed);
}

static void end_task(sdimage_task *task, unsigned random) {
    if (random % 3 == 0 || random % 7 == 0)
        note(CANCELLATIONS);
    if (random % 3 == 0)
        sdimage_task_cancel(task);
    else if (random % 7 == 0)
        sdimage_task_cancel_and_wait(task, 1000, NULL);
    sdimage_task_unref(task);
}

static void load(unsigned random) {
    note(LOADS);
    sdimage_request *request = random_request(random);
    sdimage_manager *manager = shared_sdimage_manager(random >> 16);
    sdimage_task *task = NULL;
    if (sdimage_manager_load(manager, request, &handler, NULL, count_destroyed, &task, NULL) == SDIMAGE_STATUS_OK)
        atomic_fetch_add(&started, 1);
    else
        atomic_fetch_sub(&destroyed, 1);
    end_task(task, random >> 20);
    sdimage_manager_unref(manager);
    sdimage_request_unref(request);
}

static void load_sync(unsigned random) {
    note(LOADS);
    sdimage_request *request = random_request(random);
    sdimage_manager *manager = shared_sdimage_manager(0);
    sdimage_result *result = NULL;
    sdimage_manager_load_sync(manager, request, &result, NULL);
    sdimage_result_unref(result);
    sdimage_manager_unref(manager);
    sdimage_request_unref(request);
}

static void replace_manager(unsigned random) {
    note(MANAGERS_REPLACED);
    sdimage_manager *manager = new_shared_manager(random), *old = shared_sdimage_manager(random);
    replace_sdimage_manager(random, manager);
    if (random & 0x100)
        sdimage_manager_cancel_all(old);
    if (random & 0x200)
        sdimage_manager_close(old, 2000, NULL);
    sdimage_manager_unref(old);
}

static void use_target(unsigned random) {
    note(TARGETS_USED);
    static const char *const keys[] = {"a", "b"};
    const char *key = keys[random >> 24 & 1];
    sdimage_target *target = shared_sdimage_target(random >> 16);
    switch (random >> 8 & 15) {
    case 0: sdimage_target_cancel(target, key); break;
    case 1: sdimage_target_cancel_latest(target); break;
    case 2: sdimage_target_remove_task(target, key); break;
    case 3: {
        sdimage_animated_view *view = random & 0x80 ? shared_sdimage_animated_view(random) : NULL;
        sdimage_target_set_view(target, key, view);
        sdimage_animated_view_unref(view);
        break;
    }
    case 4:
        if (random & 0x80)
            sdimage_target_close(target);
        replace_sdimage_target(random >> 16, new_target(random));
        break;
    case 5: {
        sdimage_task *task = NULL;
        sdimage_target_get_task(target, key, &task);
        sdimage_task_progress(task, NULL, NULL);
        sdimage_task_unref(task);
        break;
    }
    default: {
        sdimage_request *request = random_request(random);
        sdimage_target_options *options = sdimage_target_options_new();
        sdimage_task *task = NULL;
        sdimage_target_options_set_key(options, key);
        if (random & 0x40)
            sdimage_target_options_set_transition(options, SDIMAGE_TRANSITION_FADE, 5);
        if (random & 0x20)
            sdimage_target_options_set_previous_load(options, SDIMAGE_PREVIOUS_LOAD_KEEP);
        if (sdimage_target_load(target, request, options, &handler, NULL, count_destroyed, &task, NULL) ==
            SDIMAGE_STATUS_OK)
            atomic_fetch_add(&started, 1);
        else
            atomic_fetch_sub(&destroyed, 1);
        sdimage_task_unref(task);
        sdimage_target_options_unref(options);
        sdimage_request_unref(request);
    }
    }
    sdimage_target_unref(target);
}

static void use_view(unsigned random) {
    note(VIEWS_USED);
    sdimage_animated_view *view = shared_sdimage_animated_view(random >> 16);
    sdimage_image *image = NULL;
    switch (random >> 8 & 7) {
    case 0: sdimage_animated_view_set_visible(view, random & 1); break;
    case 1:
        sdimage_animated_view_set_clock(view, (sdimage_player_clock)(random % 3), random & 8 ? dispatcher : NULL, NULL);
        break;
    case 2: random & 1 ? sdimage_animated_view_start(view) : sdimage_animated_view_stop(view); break;
    case 3: sdimage_animated_view_tick(view, 30000000); break;
    case 4: sdimage_animated_view_get_image(view, &image); break;
    case 5: sdimage_animated_view_set_rate(view, random & 1 ? 2 : 1); break;
    case 6: replace_sdimage_animated_view(random >> 16, new_view()); break;
    default:
        image = decoded(random >> 24);
        sdimage_animated_view_set_image(view, image, NULL);
        break;
    }
    sdimage_image_unref(image);
    sdimage_animated_view_unref(view);
}

static void use_player(unsigned random) {
    note(PLAYERS_USED);
    sdimage_player *player = shared_sdimage_player(random >> 16);
    sdimage_image *image = NULL;
    switch (random >> 8 & 15) {
    case 0: sdimage_player_start(player); break;
    case 1: sdimage_player_pause(player); break;
    case 2: sdimage_player_stop(player); break;
    case 3: sdimage_player_seek(player, random % FRAMES, 0, NULL); break;
    case 4: sdimage_player_clear_frame_buffer(player); break;
    case 5:
        sdimage_player_set_clock(player, (sdimage_player_clock)(random % 3), random & 8 ? dispatcher : NULL, NULL);
        break;
    case 6: sdimage_player_set_mode(player, (sdimage_playback_mode)(random % 4)); break;
    case 7: sdimage_player_get_frame(player, &image); break;
    case 8: sdimage_player_set_max_buffer_size(player, random & 1 ? 0 : 20000); break;
    case 9: replace_sdimage_player(random >> 16, new_player(random >> 24)); break;
    case 10: sdimage_player_advance(player); break;
    case 11: sdimage_player_update(player); break;
    default: sdimage_player_tick(player, 25000000); break;
    }
    sdimage_image_unref(image);
    sdimage_player_unref(player);
}

static void use_cache(unsigned random) {
    note(CACHES_USED);
    sdimage_cache *cache = caches[random >> 16 & 1];
    char key[32];
    int length = snprintf(key, sizeof key, "key-%u", random >> 20 & 31);
    sdimage_image *image = NULL;
    sdimage_data *data = NULL;
    switch (random >> 8 & 15) {
    case 0: sdimage_cache_set_memory_limits(cache, 10000 + (random & 0xfff), 20); break;
    case 1: sdimage_cache_clear(cache, SDIMAGE_CACHE_LAYERS_MEMORY, NULL); break;
    case 2: sdimage_cache_statistics_to_json(cache, &data, NULL); break;
    case 3: sdimage_cache_remove(cache, key, (size_t)length, SDIMAGE_CACHE_LAYERS_ALL, NULL); break;
    case 4: sdimage_cache_get_data(cache, key, (size_t)length, &data, NULL); break;
    case 5: sdimage_cache_store_data(cache, key, (size_t)length, animations[random % ANIMATIONS], NULL); break;
    case 6: sdimage_cache_contains(cache, key, (size_t)length); break;
    case 7: sdimage_trim_memory(random & 1); break;
    case 8:
    case 9:
    case 10:
        image = decoded(random);
        sdimage_cache_set_memory_image(cache, key, (size_t)length, image, NULL);
        break;
    default: sdimage_cache_get_memory_image(cache, key, (size_t)length, &image); break;
    }
    sdimage_image_unref(image);
    sdimage_data_unref(data);
}

static void prefetch(unsigned random) {
    note(PREFETCHES);
    char urls[6][64];
    const char *list[6];
    for (unsigned i = 0; i < 6; i++) {
        snprintf(urls[i], sizeof urls[i], "http://127.0.0.1:%d/%u", port, (random + i) % PICTURES);
        list[i] = urls[i];
    }
    sdimage_prefetch_group *group = NULL;
    sdimage_prefetcher_start(prefetcher, list, NULL, 6, NULL, NULL, NULL, NULL, &group, NULL);
    if (random & 0x100)
        sdimage_prefetcher_cancel_all(prefetcher);
    sdimage_prefetch_group_unref(group);
}

/* Is over after the time, or, on a busy machine, after enough operations; the time limit of the test ends a hang. */
static bool is_enough(void) {
    uint64_t now = now_ms();
    bool is_missing = false;
    for (int i = 0; i < KINDS; i++)
        is_missing |= atomic_load_explicit(&operations[i], memory_order_relaxed) < (int)seconds * LEAST_EACH_SECOND;
    return now >= end_time && !is_missing;
}

static void *run(void *argument) {
    unsigned state = seed * 7919 + (unsigned)(uintptr_t)argument;
    while (!is_enough()) {
        unsigned random = (unsigned)rand_r(&state) ^ (unsigned)rand_r(&state) << 16;
        switch (rand_r(&state) % 16) {
        case 0: replace_manager(random); break;
        case 1: load_sync(random); break;
        case 2: prefetch(random); break;
        case 3:
        case 4: use_cache(random); break;
        case 5:
        case 6:
        case 7: use_view(random); break;
        case 8:
        case 9:
        case 10: use_player(random); break;
        case 11:
        case 12: use_target(random); break;
        default: load(random); break;
        }
    }
    return NULL;
}

static atomic_bool is_over;

static void *drain(void *argument) {
    struct pollfd descriptor = {.fd = sdimage_dispatcher_descriptor(dispatcher), .events = POLLIN};
    sdimage_dispatcher_bind_current_thread(dispatcher, NULL);
    while (!atomic_load(&is_over)) {
        poll(&descriptor, 1, 20);
        sdimage_dispatcher_drain(dispatcher);
    }
    return argument;
}

static bool all_ended(void *argument) {
    (void)argument;
    return atomic_load(&finals) == atomic_load(&started) && atomic_load(&destroyed) == atomic_load(&started);
}

static void everyLoadEndsOnceUnderRandomCalls(void) {
    alarm(5 * seconds + LONGEST_TEST_SECONDS);
    port = start_server(respond);
    make_shared();
    end_time = now_ms() + seconds * 1000ull;
    pthread_t threads[THREADS], drainer;
    CHECK(pthread_create(&drainer, NULL, drain, NULL) == 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, run, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < TARGETS; i++)
        sdimage_target_close(targets[i]);
    for (int i = 0; i < MANAGERS; i++)
        sdimage_manager_close(managers[i], 60000, NULL);
    if (!becomes_true(all_ended, NULL))
        fail_test(__FILE__, __LINE__, "%d loads, %d FINALs, %d destroyed", atomic_load(&started), atomic_load(&finals),
                  atomic_load(&destroyed));
    for (int i = 0; i < KINDS; i++) {
        fprintf(stderr, "%d %s\n", atomic_load(&operations[i]), kind_names[i]);
        CHECK(atomic_load(&operations[i]) >= (int)seconds * LEAST_EACH_SECOND);
    }
    for (int i = 0; i < PLAYERS; i++)
        sdimage_player_unref(players[i]);
    for (int i = 0; i < VIEWS; i++)
        sdimage_animated_view_unref(views[i]);
    for (int i = 0; i < TARGETS; i++)
        sdimage_target_unref(targets[i]);
    sdimage_prefetcher_unref(prefetcher);
    for (int i = 0; i < MANAGERS; i++)
        sdimage_manager_unref(managers[i]);
    atomic_store(&is_over, true);
    pthread_join(drainer, NULL);
    for (int i = 0; i < MANAGERS; i++)
        sdimage_cache_unref(caches[i]);
    sdimage_dispatcher_unref(dispatcher);
    for (int i = 0; i < ANIMATIONS; i++)
        sdimage_data_unref(animations[i]);
}

int main(int argc, char **argv) {
    static const test tests[] = {TEST(everyLoadEndsOnceUnderRandomCalls)};
    if (argc > 1)
        seconds = (unsigned)atoi(argv[1]);
    if (argc > 2)
        seed = (unsigned)atoi(argv[2]);
    return run_tests(tests, 1);
}
