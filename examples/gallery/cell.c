/* cell.c: one cell of the wall: the callbacks of its target and its view, and its requests. */
#include "wall.h"

#include <ctype.h>
#include <stdlib.h>
#include <time.h>

enum { FADE_MS = 250, HASH_SIDE = 32 };

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void changed(const wall_cell *cell) {
    cell->wall->changed(cell->wall->window);
}

static void put(wall_picture *picture, sdimage_image *image) {
    sdimage_image_unref(picture->image);
    picture->image = image;
    picture->is_stale = true;
}

/* Keeps the current image visible below the next one. */
static void keep_below(wall_cell *cell) {
    wall_picture below = cell->now;
    cell->now = cell->before;
    cell->before = below;
    put(&cell->now, NULL);
}

/* --- Callbacks, all on the thread of the loop. The view's: a frame, a still image, a placeholder, or nothing. */

static void show(void *user_data, sdimage_animated_view *view, const sdimage_image *image) {
    wall_cell *cell = user_data;
    sdimage_image *shown = NULL;
    /* An image that has the format already is only referenced. When memory is refused, the tile stays empty. */
    if (image)
        (void)sdimage_image_convert(image, cell->wall->pixel_format, &shown, NULL);
    bool is_part = sdimage_image_is_incremental(image);
    if (is_part && !cell->fade_start && !sdimage_image_is_incremental(cell->now.image))
        keep_below(cell); /* the placeholder remains visible where no rows have arrived yet */
    else if (!is_part && !cell->fade_start)
        put(&cell->before, NULL);
    put(&cell->now, shown);
    cell->frames++;
    cell->wall->frames += sdimage_animated_view_is_animating(view);
    changed(cell);
}

/* Called by the target, after the view. */
static void set_image(void *user_data, const char *key, sdimage_image *image, sdimage_result *result) {
    (void)key;
    wall_cell *cell = user_data;
    uint32_t frames = sdimage_image_frame_count(image);
    if (!result)
        cell->frames = 0; /* a placeholder: frames are counted from the image on */
    cell->badge[0] = 0;
    if (frames > 1)
        snprintf(cell->badge, sizeof cell->badge, "%s %u", sdimage_format_name(sdimage_image_format(image)), frames);
    for (char *letter = cell->badge; *letter; letter++)
        *letter = (char)toupper((unsigned char)*letter);
}

static void indicate(void *user_data, const char *key, double fraction) {
    (void)key;
    wall_cell *cell = user_data;
    cell->progress = fraction;
    changed(cell);
}

static void start(void *user_data, const char *key) {
    indicate(user_data, key, 0);
}

static void stop(void *user_data, const char *key) {
    indicate(user_data, key, -1);
}

static void prepare(void *user_data, const char *key, sdimage_transition transition, uint32_t duration_ms,
                    sdimage_image *image, sdimage_result *result) {
    (void)key, (void)transition, (void)image, (void)result;
    wall_cell *cell = user_data;
    if (sdimage_image_is_incremental(cell->now.image))
        return; /* most of the image is visible already */
    keep_below(cell);
    cell->fade_start = now();
    cell->fade_ms = duration_ms;
}

static void end(void *user_data, const char *key, bool finished) {
    (void)key, (void)finished;
    wall_cell *cell = user_data;
    put(&cell->before, NULL);
    cell->fade_start = 0;
    changed(cell);
}

static void loaded(void *user_data, sdimage_task *task, sdimage_result *result) {
    (void)task;
    wall_cell *cell = user_data;
    sdimage_status code = sdimage_error_code(sdimage_result_error(result));
    if (code == SDIMAGE_STATUS_CANCELLED)
        return; /* the cell has another image, or none */
    cell->error = code;
    cell->state = code < 0 ? WALL_FAILED : WALL_SHOWN;
    changed(cell);
}

/* --- Requests. */

sdimage_request *cell_request(const wall *wall, const char *url) {
    sdimage_request *request = sdimage_request_new(url);
    sdimage_decode_options *options = sdimage_decode_options_new();
    /* Decodes a thumbnail, then crops it to the square, animations frame by frame. Images of up to 3:2 still cover
     * the square. */
    uint32_t box = wall->pixel_side + wall->pixel_side / 2;
    sdimage_decode_options_set_thumbnail_size(options, box, box, SDIMAGE_SCALE_MODE_ASPECT_FIT);
    sdimage_decode_options_set_pixel_format(options, wall->pixel_format);
    sdimage_request_set_decode_options(request, options);
    sdimage_decode_options_unref(options);
    sdimage_request_set_transformer(request, wall->square);
    sdimage_request_set_transform_animated(request, true);
    sdimage_request_set_progressive(request, true);
    return request;
}

sdimage_status cell_load(wall_cell *cell, size_t item, sdimage_error **error) {
    static const sdimage_load_handler handler = {.size = sizeof handler, .result = loaded};
    const wall_item *picture = &cell->wall->items[item];
    cell->is_used = true;
    cell->item = item;
    cell->state = WALL_LOADING;
    cell->wall->loads++;
    sdimage_request *request = cell_request(cell->wall, picture->url);
    sdimage_target_options *options = sdimage_target_options_new();
    if (picture->blurhash)
        sdimage_target_options_set_blurhash(options, picture->blurhash, SDIMAGE_NUL_TERMINATED, HASH_SIDE, HASH_SIDE);
    if (picture->thumbhash_length > 0)
        sdimage_target_options_set_thumbhash(options, picture->thumbhash, picture->thumbhash_length);
    sdimage_target_options_set_transition(options, SDIMAGE_TRANSITION_FADE, FADE_MS);
    /* Images in the memory cache are shown before this returns, so that scrolling back does not flash. */
    sdimage_status status = sdimage_target_load(cell->target, request, options, &handler, cell, NULL, NULL, error);
    sdimage_target_options_unref(options);
    sdimage_request_unref(request);
    return status;
}

void cell_release(wall_cell *cell) {
    sdimage_target_cancel_latest(cell->target);
    sdimage_animated_view_set_visible(cell->view, false);
    (void)sdimage_animated_view_set_image(cell->view, NULL, NULL); /* clearing cannot fail */
    cell->badge[0] = 0;
    cell->is_used = false;
}

sdimage_status cell_new(wall *wall, wall_cell **made, sdimage_error **error) {
    static const sdimage_animated_view_handler handler = {.size = sizeof handler, .show = show};
    static const sdimage_target_vtable table = {.size = sizeof table,
                                                .set_image = set_image,
                                                .indicator_start = start,
                                                .indicator_stop = stop,
                                                .indicator_update = indicate,
                                                .transition_prepare = prepare,
                                                .transition_end = end};
    wall_cell *cell = calloc(1, sizeof *cell);
    if (!cell)
        return SDIMAGE_STATUS_NO_MEMORY;
    cell->wall = wall;
    cell->progress = -1;
    sdimage_status status = sdimage_animated_view_new(&handler, cell, NULL, &cell->view, error);
    if (status >= 0)
        status = sdimage_animated_view_set_clock(cell->view, SDIMAGE_PLAYER_CLOCK_LIBRARY, wall->loop, error);
    if (status >= 0)
        status = sdimage_target_new(wall->manager, wall->loop, &table, cell, NULL, &cell->target, error);
    if (status < 0) {
        cell_free(cell);
        return status;
    }
    sdimage_target_set_view(cell->target, NULL, cell->view); /* from here on animations play */
    *made = cell;
    return status;
}

void cell_free(wall_cell *cell) {
    sdimage_target_unref(cell->target); /* cancels the load; nothing more is shown */
    sdimage_animated_view_unref(cell->view);
    sdimage_image_unref(cell->now.image);
    sdimage_image_unref(cell->before.image);
    free(cell);
}

/* --- Drawing. */

double cell_fade(const wall_cell *cell) {
    double share = cell->fade_start ? (double)(now() - cell->fade_start) / (cell->fade_ms * 1e6) : 1;
    return share < 1 ? share : 1;
}

sdimage_rect cell_crop(const sdimage_image *image) {
    double width = sdimage_image_width(image), height = sdimage_image_height(image),
           side = width < height ? width : height;
    return (sdimage_rect){.x = (width - side) / 2, .y = (height - side) / 2, .width = side, .height = side};
}
