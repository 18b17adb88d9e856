/* wall.h: the toolkit-independent part of a gallery: a long list of images, and the few cells that show a part of
 * it.
 *
 * There are cells for the rows that fit into the window and for a row above and below. A cell that scrolls away is
 * reused. Each has a target, which loads its image, and a view, in which an animation plays while it is visible. The
 * next rows are prefetched before they are needed. Everything happens on the thread that drains `loop`. */
#ifndef WALL_H
#define WALL_H

#include <stdbool.h>
#include <stdio.h>

#include <sdimage.h>

typedef struct wall wall;

/* An image of the list. */
typedef struct wall_item {
    char *url;
    char *blurhash; /* the placeholder's hash; NULL, and no bytes below: an empty tile */
    uint8_t thumbhash[32];
    size_t thumbhash_length;
} wall_item;

typedef enum wall_state { WALL_LOADING, WALL_SHOWN, WALL_FAILED } wall_state;

/* An image that is drawn. */
typedef struct wall_picture {
    sdimage_image *image; /* in the wall's pixel format; NULL: nothing */
    bool is_stale;        /* `drawn` must be updated from it */
    void *drawn;          /* owned by the toolkit, which makes and frees it */
} wall_picture;

typedef struct wall_cell {
    wall *wall;
    sdimage_target *target;
    sdimage_animated_view *view;
    bool is_used;
    size_t item; /* index of its image in the list */
    wall_state state;
    sdimage_status error;     /* reason for a missing image */
    wall_picture now, before; /* `now` is drawn over `before`, and fades in */
    uint64_t fade_start;      /* nanoseconds; 0: no fade */
    uint32_t fade_ms;
    double progress; /* 0 to 1; negative: no bar */
    char badge[24];  /* format and frame count of an animation */
    uint64_t frames; /* shown of this image */
} wall_cell;

struct wall {
    wall_item *items;
    size_t item_count;
    wall_cell **cells; /* in no order; their addresses are stable */
    size_t cell_count;
    uint32_t side; /* side of a cell, in points, like the five fields below */
    uint32_t width, height, columns;
    int64_t top;                 /* scroll offset */
    uint32_t pixel_side;         /* side of a cell, in pixels */
    size_t first_row, row_count; /* rows that have cells */
    bool is_shown;               /* false: minimized */
    sdimage_pixel_format pixel_format;
    void (*changed)(void *window); /* requests a redraw */
    void *window;
    sdimage_dispatcher *loop;
    sdimage_manager *manager;
    sdimage_transformer *square;
    sdimage_prefetcher *prefetcher;
    sdimage_prefetch_group *group;
    size_t loads, frames, fetched; /* totals so far */
    sdimage_status status;         /* negative: the program must end; `error` may have a message */
    sdimage_error *error;
};

enum { WALL_GAP = 12 };

/* --- wall.c */

/* Opens the manager with a cache in a folder, or a memory-only cache for NULL. The loop belongs to the calling
 * thread. */
sdimage_status wall_open(wall *wall, const char *folder);
/* Free every `drawn` before this call. */
void wall_close(wall *wall);

/* Sets the size of the window and the visible part of the list, and loads the cells for it. `scale` is pixels per
 * point. */
void wall_resize(wall *wall, uint32_t width, uint32_t height, double scale);
void wall_scroll(wall *wall, int64_t top);
/* In an invisible window nothing plays. */
void wall_set_shown(wall *wall, bool is_shown);

/* The upper left corner of a cell in the window, in points; returns false if the cell is not visible. */
bool wall_place(const wall *wall, const wall_cell *cell, int64_t *x, int64_t *y);
int64_t wall_row_height(const wall *wall);
/* True while an image fades: draw again soon. */
bool wall_is_fading(const wall *wall);
/* Writes a status line about the whole wall. */
void wall_describe(const wall *wall, char *text, size_t size);

/* --- cell.c */

sdimage_status cell_new(wall *wall, wall_cell **cell, sdimage_error **error);
void cell_free(wall_cell *cell);
sdimage_status cell_load(wall_cell *cell, size_t item, sdimage_error **error);
/* Releases a cell that was scrolled away, for reuse by another image. */
void cell_release(wall_cell *cell);
/* The request of a cell. */
sdimage_request *cell_request(const wall *wall, const char *url);
/* Opacity of the new image over the previous one, 0 to 1. */
double cell_fade(const wall_cell *cell);
/* The part of the image that fills the square. */
sdimage_rect cell_crop(const sdimage_image *image);

/* --- list.c */

/* Reads a list, one URL a line, optionally followed by `blurhash TEXT` or `thumbhash HEX`. Returns false and sets
 * errno on failure. */
bool list_read(wall *wall, FILE *list);
bool list_add(wall *wall, const char *url);

#endif
