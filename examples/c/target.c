/* target.c: a list of cells without a toolkit. Two rows scroll over more URLs than they can show. Each row is reused
 * for the next URL while the previous one may still be loading, and never shows the image of another URL.
 *
 *   target URL…
 *
 * cc target.c $(pkg-config --cflags --libs sdimage) */
#include <poll.h>
#include <stdio.h>

#include <sdimage.h>

enum { CELLS = 2 };

typedef struct cell {
    sdimage_target *target;
    int row;
} cell;

/* Prints a line where a toolkit would draw. All callbacks run on this thread, in order. */
static void set_image(void *user_data, const char *key, sdimage_image *image, sdimage_result *result) {
    cell *cell = user_data;
    (void)key;
    if (!result)
        printf("row %d: placeholder %ux%u\n", cell->row, sdimage_image_width(image), sdimage_image_height(image));
    else
        printf("row %d: %ux%u from %s\n", cell->row, sdimage_image_width(image), sdimage_image_height(image),
               sdimage_image_source_name(sdimage_result_source(result)));
}

static void transition(void *user_data, const char *key, sdimage_transition transition, uint32_t ms,
                       sdimage_image *image) {
    (void)key, (void)transition, (void)image;
    printf("row %d: fades for %u ms\n", ((cell *)user_data)->row, ms);
}

static void on_result(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)task;
    if (sdimage_result_kind(result) != SDIMAGE_DELIVERY_KIND_FINAL)
        return; /* a cached image that is being revalidated */
    const sdimage_error *error = sdimage_result_error(result);
    if (error)
        printf("%s: %s\n", sdimage_status_name(sdimage_error_code(error)), sdimage_result_url(result));
    --*(unsigned *)user_data;
}

static sdimage_status open_list(sdimage_dispatcher **loop, sdimage_manager **manager, cell *cells,
                                sdimage_error **error) {
    sdimage_status status = sdimage_dispatcher_new_pollable(loop, error);
    if (status >= 0)
        status = sdimage_dispatcher_bind_current_thread(*loop, error);
    if (status >= 0)
        status = sdimage_manager_new(NULL, manager, error);
    sdimage_target_vtable table = {.size = sizeof table, .set_image = set_image, .transition_animate = transition};
    for (int i = 0; i < CELLS && status >= 0; i++)
        status = sdimage_target_new(*manager, *loop, &table, &cells[i], NULL, &cells[i].target, error);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: target URL...\n", stderr);
        return 2;
    }
    cell cells[CELLS] = {{0}};
    unsigned waiting = 0;
    sdimage_dispatcher *loop = NULL;
    sdimage_manager *manager = NULL;
    sdimage_error *error = NULL;
    sdimage_status status = open_list(&loop, &manager, cells, &error);
    sdimage_target_options *options = sdimage_target_options_new();
    sdimage_target_options_set_blurhash(options, "LEHV6nWB2yk8pyo0adR*.7kCMdnj", SDIMAGE_NUL_TERMINATED, 32, 24);
    sdimage_target_options_set_transition(options, SDIMAGE_TRANSITION_FADE, 50);
    sdimage_load_handler handler = {.size = sizeof handler, .result = on_result};
    for (int row = 0; row < argc - 1 && status >= 0; row++) {
        cell *cell = &cells[row % CELLS]; /* cancels the previous load of the cell */
        cell->row = row;
        sdimage_request *request = sdimage_request_new(argv[row + 1]);
        waiting++;
        status = sdimage_target_load(cell->target, request, options, &handler, &waiting, NULL, NULL, &error);
        sdimage_request_unref(request);
    }
    struct pollfd watched = {.fd = sdimage_dispatcher_descriptor(loop), .events = POLLIN};
    while (status >= 0 && waiting > 0 && poll(&watched, 1, 30000) > 0)
        sdimage_dispatcher_drain(loop);
    if (status < 0)
        fprintf(stderr, "target: %s\n", sdimage_error_message(error));
    sdimage_error_unref(error);
    sdimage_target_options_unref(options);
    for (int i = 0; i < CELLS; i++)
        sdimage_target_unref(cells[i].target); /* as when a widget is destroyed: nothing more is shown */
    sdimage_manager_unref(manager);
    sdimage_dispatcher_unref(loop);
    return status < 0 || waiting > 0;
}
