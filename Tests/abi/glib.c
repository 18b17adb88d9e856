/* glib.c: the pollable dispatcher and a target on a GLib main loop, as in GTK programs. */
#include <glib-unix.h>

#include "check.h"

enum { LOADS = 200 };

typedef struct window {
    GMainLoop *loop;
    GThread *thread;
    int finals, pictures, ticks, elsewhere, set_inside_call;
    bool is_calling;
} window;

static gboolean drain(gint descriptor, GIOCondition condition, gpointer dispatcher) {
    (void)descriptor;
    (void)condition;
    sdimage_dispatcher_drain(dispatcher);
    return G_SOURCE_CONTINUE;
}

static gboolean tick(gpointer user_data) {
    ((window *)user_data)->ticks++;
    return G_SOURCE_CONTINUE;
}

static gboolean time_out(gpointer user_data) {
    g_main_loop_quit(((window *)user_data)->loop);
    return G_SOURCE_REMOVE;
}

static void loaded(void *user_data, sdimage_task *task, sdimage_result *result) {
    window *window = user_data;
    (void)task;
    window->elsewhere += g_thread_self() != window->thread;
    window->pictures += sdimage_result_image(result) != NULL;
    if (++window->finals == LOADS)
        g_main_loop_quit(window->loop);
}

static void shown(void *user_data, const char *key, sdimage_image *image, sdimage_result *result) {
    window *window = user_data;
    (void)key;
    (void)result;
    window->elsewhere += g_thread_self() != window->thread;
    window->set_inside_call += image && window->is_calling;
}

/* The one-time set-up of a program: a dispatcher, watched by the loop, on the thread of the loop. */
static sdimage_dispatcher *watch(window *window, guint *source) {
    sdimage_dispatcher *dispatcher = NULL;
    window->loop = g_main_loop_new(NULL, FALSE);
    window->thread = g_thread_self();
    CHECK_EQUAL(sdimage_dispatcher_new_pollable(&dispatcher, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_dispatcher_bind_current_thread(dispatcher, NULL), SDIMAGE_STATUS_OK);
    *source = g_unix_fd_add(sdimage_dispatcher_descriptor(dispatcher), G_IO_IN, drain, dispatcher);
    g_timeout_add(1, tick, window);
    g_timeout_add_seconds(300, time_out, window);
    return dispatcher;
}

static void loadsAreDeliveredByTheLoopWhileItGoesOn(void) {
    window window = {0};
    guint source = 0;
    sdimage_dispatcher *dispatcher = watch(&window, &source);
    sdimage_manager *manager = new_manager(dispatcher, NULL, true);
    sdimage_load_handler handler = {.size = sizeof handler, .result = loaded};
    for (int i = 0; i < LOADS; i++) {
        char key[32];
        sdimage_request *request = new_request(i % 2 ? PNG_DATA_URL : GIF_DATA_URL);
        snprintf(key, sizeof key, "picture %d", i);
        sdimage_request_set_cache_key(request, key, strlen(key));
        CHECK_EQUAL(sdimage_manager_load(manager, request, &handler, &window, NULL, NULL, NULL), SDIMAGE_STATUS_OK);
        sdimage_request_unref(request);
    }
    CHECK_EQUAL(window.finals, 0);
    g_main_loop_run(window.loop);
    CHECK_EQUAL(window.finals, LOADS);
    CHECK_EQUAL(window.pictures, LOADS);
    CHECK_EQUAL(window.elsewhere, 0);
    CHECK(window.ticks > 0);
    g_source_remove(source);
    sdimage_manager_unref(manager);
    sdimage_dispatcher_unref(dispatcher);
}

static gboolean has_shown(gpointer user_data) {
    window *window = user_data;
    if (window->finals == 0)
        return G_SOURCE_CONTINUE;
    g_main_loop_quit(window->loop);
    return G_SOURCE_REMOVE;
}

static void aPictureInMemoryIsSetInsideTheStartingCall(void) {
    window window = {0};
    guint source = 0;
    sdimage_dispatcher *dispatcher = watch(&window, &source);
    sdimage_manager *manager = new_manager(dispatcher, NULL, true);
    sdimage_target *target = NULL;
    sdimage_target_vtable table = {.size = sizeof table, .set_image = shown};
    sdimage_load_handler handler = {.size = sizeof handler, .result = loaded};
    sdimage_request *request = new_request(PNG_DATA_URL);
    CHECK_EQUAL(sdimage_target_new(manager, dispatcher, &table, &window, NULL, &target, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(sdimage_target_load(target, request, NULL, &handler, &window, NULL, NULL, NULL), SDIMAGE_STATUS_OK);
    g_timeout_add(1, has_shown, &window);
    g_main_loop_run(window.loop);
    CHECK_EQUAL(window.pictures, 1);
    CHECK_EQUAL(window.set_inside_call, 0);
    window.is_calling = true;
    CHECK_EQUAL(sdimage_target_load(target, request, NULL, &handler, &window, NULL, NULL, NULL), SDIMAGE_STATUS_OK);
    CHECK_EQUAL(window.set_inside_call, 1);
    CHECK_EQUAL(window.pictures, 2);
    CHECK_EQUAL(window.elsewhere, 0);
    g_source_remove(source);
    sdimage_request_unref(request);
    sdimage_target_unref(target);
    sdimage_manager_unref(manager);
    sdimage_dispatcher_unref(dispatcher);
}

int main(void) {
    static const test tests[] = {
        TEST(loadsAreDeliveredByTheLoopWhileItGoesOn),
        TEST(aPictureInMemoryIsSetInsideTheStartingCall),
    };
    return run_tests(tests, sizeof tests / sizeof *tests);
}
