/* wall.c: chooses the rows that have cells, and their contents. */
#include "wall.h"

#include <stdlib.h>

enum { MARGIN = 1, AHEAD = 2, MEMORY = 64 << 20 }; /* rows with cells out of sight; rows fetched beyond; bytes */

/* --- Positions. */

int64_t wall_row_height(const wall *wall) {
    return (int64_t)wall->side + WALL_GAP;
}

bool wall_place(const wall *wall, const wall_cell *cell, int64_t *x, int64_t *y) {
    if (!cell->is_used || !wall->is_shown)
        return false;
    int64_t step = wall_row_height(wall), margin = ((int64_t)wall->width - step * wall->columns + WALL_GAP) / 2;
    *x = margin + step * (int64_t)(cell->item % wall->columns);
    *y = WALL_GAP + step * (int64_t)(cell->item / wall->columns) - wall->top;
    return *y + wall->side > 0 && *y < (int64_t)wall->height;
}

bool wall_is_fading(const wall *wall) {
    for (size_t i = 0; i < wall->cell_count; i++)
        if (wall->cells[i]->fade_start)
            return true;
    return false;
}

void wall_describe(const wall *wall, char *text, size_t size) {
    size_t seen = 0, loading = 0, playing = 0;
    int64_t x, y;
    for (size_t i = 0; i < wall->cell_count; i++) {
        const wall_cell *cell = wall->cells[i];
        if (!wall_place(wall, cell, &x, &y))
            continue;
        seen++;
        loading += cell->state == WALL_LOADING;
        playing += sdimage_animated_view_is_animating(cell->view);
    }
    snprintf(text, size, "%zu pictures   %zu seen   %zu loading   %zu playing   %zu cells", wall->item_count, seen,
             loading, playing, wall->cell_count);
}

/* --- Rows with cells. */

/* The cell of an image, or a free cell for NULL. */
static wall_cell *find(const wall *wall, const size_t *item) {
    for (size_t i = 0; i < wall->cell_count; i++) {
        wall_cell *cell = wall->cells[i];
        if (item ? cell->is_used && cell->item == *item : !cell->is_used)
            return cell;
    }
    return NULL;
}

static sdimage_status add_cell(wall *wall, wall_cell **cell, sdimage_error **error) {
    wall_cell **cells = realloc(wall->cells, (wall->cell_count + 1) * sizeof(wall_cell *));
    if (!cells)
        return SDIMAGE_STATUS_NO_MEMORY;
    wall->cells = cells;
    sdimage_status status = cell_new(wall, cell, error);
    if (status >= 0)
        wall->cells[wall->cell_count++] = *cell;
    return status;
}

/* Prefetches the next rows in the background, and cancels the previous prefetches. */
static sdimage_status fetch(wall *wall, bool is_down, sdimage_error **error) {
    if (wall->group)
        sdimage_prefetch_group_cancel(wall->group);
    sdimage_prefetch_group_unref(wall->group);
    wall->group = NULL;
    size_t above = wall->first_row < AHEAD ? wall->first_row : AHEAD, count = 0;
    size_t start = is_down ? wall->first_row + wall->row_count : wall->first_row - above;
    size_t rows = is_down ? AHEAD : above;
    const char **urls = calloc(rows * wall->columns + 1, sizeof(char *));
    if (!urls)
        return SDIMAGE_STATUS_NO_MEMORY;
    for (size_t item = start * wall->columns; item < wall->item_count && count < rows * wall->columns; item++)
        urls[count++] = wall->items[item].url;
    wall->fetched += count;
    sdimage_request *request = cell_request(wall, ""); /* the same images, under the same cache keys */
    sdimage_request_set_progressive(request, false);
    sdimage_request_set_priority(request, SDIMAGE_PRIORITY_LOW);
    sdimage_status status = SDIMAGE_STATUS_OK;
    if (count > 0)
        status = sdimage_prefetcher_start(wall->prefetcher, urls, NULL, count, request, NULL, NULL, NULL, &wall->group,
                                          error);
    sdimage_request_unref(request);
    free(urls);
    return status;
}

/* Releases the cells of distant rows, and loads the missing images of near ones. */
static sdimage_status arrange(wall *wall, bool is_down, sdimage_error **error) {
    size_t step = (size_t)wall_row_height(wall), first = (size_t)wall->top / step,
           rows = wall->height / step + 2 + MARGIN;
    if (first >= MARGIN) {
        first -= MARGIN;
        rows += MARGIN;
    }
    bool is_elsewhere = first != wall->first_row || rows != wall->row_count;
    wall->first_row = first;
    wall->row_count = rows;
    size_t start = first * wall->columns, end = start + rows * wall->columns;
    for (size_t i = 0; i < wall->cell_count; i++) {
        wall_cell *cell = wall->cells[i];
        if (cell->is_used && (cell->item < start || cell->item >= end))
            cell_release(cell);
    }
    sdimage_status status = SDIMAGE_STATUS_OK;
    for (size_t item = start; item < end && item < wall->item_count && status >= 0; item++) {
        if (find(wall, &item))
            continue;
        wall_cell *cell = find(wall, NULL);
        if (!cell)
            status = add_cell(wall, &cell, error);
        if (status >= 0)
            status = cell_load(cell, item, error);
    }
    for (size_t i = 0; i < wall->cell_count; i++) {
        int64_t x, y;
        sdimage_animated_view_set_visible(wall->cells[i]->view, wall_place(wall, wall->cells[i], &x, &y));
    }
    return status >= 0 && is_elsewhere ? fetch(wall, is_down, error) : status;
}

static void arrange_once_more(wall *wall, bool is_down) {
    if (wall->columns > 0 && wall->status >= 0)
        wall->status = arrange(wall, is_down, &wall->error);
    wall->changed(wall->window);
}

void wall_scroll(wall *wall, int64_t top) {
    int64_t rows = wall->columns > 0 ? (int64_t)((wall->item_count + wall->columns - 1) / wall->columns) : 0;
    int64_t most = rows * wall_row_height(wall) + WALL_GAP - (int64_t)wall->height;
    top = top > most ? most : top;
    top = top < 0 ? 0 : top;
    bool is_down = top >= wall->top;
    wall->top = top;
    arrange_once_more(wall, is_down);
}

void wall_resize(wall *wall, uint32_t width, uint32_t height, double scale) {
    uint32_t step = (uint32_t)wall_row_height(wall), pixels = (uint32_t)(wall->side * scale + 0.5);
    uint32_t columns = width > step + WALL_GAP ? (width - WALL_GAP) / step : 1;
    if (pixels != wall->pixel_side) {
        for (size_t i = 0; i < wall->cell_count; i++)
            cell_release(wall->cells[i]);
        sdimage_transformer_unref(wall->square);
        wall->square = NULL;
        if (wall->status >= 0)
            wall->status = sdimage_transformer_new_resize(pixels, pixels, SDIMAGE_SCALE_MODE_ASPECT_FILL, &wall->square,
                                                          &wall->error);
    }
    wall->pixel_side = pixels;
    wall->width = width;
    wall->height = height;
    wall->columns = columns;
    wall_scroll(wall, wall->top);
}

void wall_set_shown(wall *wall, bool is_shown) {
    wall->is_shown = is_shown;
    arrange_once_more(wall, true);
}

/* --- Opening and closing. */

static sdimage_status open_manager(wall *wall, const char *folder) {
    sdimage_cache_config *store = sdimage_cache_config_new();
    sdimage_cache_config_set_directory(store, folder);
    sdimage_cache_config_set_memory_only(store, !folder);
    sdimage_cache_config_set_max_memory_cost(store, MEMORY);
    sdimage_cache *cache = NULL;
    sdimage_status status = sdimage_cache_new(store, &cache, &wall->error);
    sdimage_cache_config_unref(store);
    sdimage_manager_config *config = sdimage_manager_config_new();
    sdimage_manager_config_set_cache(config, cache);
    if (status >= 0)
        status = sdimage_manager_new(config, &wall->manager, &wall->error);
    sdimage_manager_config_unref(config);
    sdimage_cache_unref(cache);
    return status;
}

sdimage_status wall_open(wall *wall, const char *folder) {
    wall->is_shown = true;
    sdimage_status status = sdimage_dispatcher_new_pollable(&wall->loop, &wall->error);
    if (status >= 0)
        status = sdimage_dispatcher_bind_current_thread(wall->loop, &wall->error);
    if (status >= 0)
        status = open_manager(wall, folder);
    if (status >= 0)
        status = sdimage_prefetcher_new(wall->manager, wall->loop, &wall->prefetcher, &wall->error);
    return wall->status = status;
}

void wall_close(wall *wall) {
    for (size_t i = 0; i < wall->cell_count; i++)
        cell_free(wall->cells[i]);
    free(wall->cells);
    sdimage_prefetch_group_unref(wall->group);
    sdimage_prefetcher_unref(wall->prefetcher);
    sdimage_transformer_unref(wall->square);
    sdimage_manager_unref(wall->manager);
    sdimage_dispatcher_unref(wall->loop);
    sdimage_error_unref(wall->error);
    for (size_t i = 0; i < wall->item_count; i++) {
        free(wall->items[i].url);
        free(wall->items[i].blurhash);
    }
    free(wall->items);
}
