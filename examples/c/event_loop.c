/* event_loop.c: loading inside a poll(2) loop; every callback runs on this one thread.
 *
 *   event_loop URL…
 *
 * cc event_loop.c $(pkg-config --cflags --libs sdimage) */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include <sdimage.h>

/* Needs no lock: only the program's own thread uses it. */
typedef struct state {
    unsigned waiting, failed;
} state;

static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)task;
    state *state = user_data;
    if (sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL)
        return;
    state->waiting--;
    sdimage_image *image = sdimage_result_image(result);
    if (image) {
        printf("%s: %ux%u after %.1f ms\n", sdimage_result_url(result), sdimage_image_width(image),
               sdimage_image_height(image), (double)sdimage_result_time_ns(result, SDIMAGE_STAGE_TOTAL) / 1e6);
    } else {
        state->failed++;
        printf("%s: %s\n", sdimage_result_url(result), sdimage_error_message(sdimage_result_error(result)));
    }
}

static int failed(sdimage_error *error) {
    fprintf(stderr, "event_loop: %s\n", sdimage_error_message(error));
    sdimage_error_unref(error);
    return 1;
}

/* A real program would also watch its other descriptors here. */
static int run_loop(sdimage_dispatcher *dispatcher, const state *state) {
    struct pollfd watched = {.fd = sdimage_dispatcher_descriptor(dispatcher), .events = POLLIN};
    while (state->waiting > 0) {
        if (poll(&watched, 1, -1) < 0 && errno != EINTR) {
            fprintf(stderr, "event_loop: poll: %s\n", strerror(errno));
            return 1;
        }
        sdimage_dispatcher_drain(dispatcher);
    }
    return 0;
}

static int load_all(sdimage_manager *manager, sdimage_dispatcher *dispatcher, char **urls) {
    state state = {0, 0};
    sdimage_load_handler handler = {.size = sizeof handler, .result = on_result};
    for (; *urls; urls++) {
        sdimage_request *request = sdimage_request_new(*urls);
        sdimage_error *error = NULL;
        state.waiting++; /* before the call: an image in memory is delivered inside it */
        sdimage_status status = sdimage_manager_load(manager, request, &handler, &state, NULL, NULL, &error);
        sdimage_request_unref(request);
        if (status < 0) {
            state.waiting--;
            state.failed += (unsigned)failed(error);
        }
    }
    return run_loop(dispatcher, &state) || state.failed ? 1 : 0;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: event_loop URL...\n", stderr);
        return 2;
    }
    sdimage_error *error = NULL;
    sdimage_dispatcher *dispatcher = NULL;
    if (sdimage_dispatcher_new_pollable(&dispatcher, &error) < 0 ||
        sdimage_dispatcher_bind_current_thread(dispatcher, &error) < 0) {
        sdimage_dispatcher_unref(dispatcher);
        return failed(error);
    }
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager_config_set_dispatcher(config, dispatcher);
    sdimage_manager *manager = NULL;
    sdimage_status status = sdimage_manager_new(config, &manager, &error);
    sdimage_manager_config_unref(config);
    int code = status < 0 ? failed(error) : load_all(manager, dispatcher, argv + 1);
    sdimage_manager_unref(manager);
    sdimage_dispatcher_unref(dispatcher);
    return code;
}
