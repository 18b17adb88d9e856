/* wall.h: what a gallery is, whatever draws it: a long list of pictures, and the few cells that show a part of it.
 *
 * There are cells for what fits into the window and for a row above and below; one that scrolls away is used again.
 * Each has a target, which loads its picture, and a view, in which it plays while it can be seen. The rows that come
 * next are fetched before anybody asks for them. Everything happens on the thread that drains `loop`. */
#ifndef WALL_H
#define WALL_H

#include <stdbool.h>
#include <stdio.h>

#include <sdimage.h>

typedef struct wall wall;

/* A picture of the list. */
typedef struct wall_item {
    char *url;
    char *blurhash; /* what stands in for it; NULL, and no bytes below: an empty tile */
    uint8_t thumbhash[32];
    size_t thumbhash_length;
} wall_item;

typedef enum wall_state { WALL_LOADING, WALL_SHOWN, WALL_FAILED } wall_state;

/* One image that is drawn. */
typedef struct wall_picture {
    sdimage_image *image; /* in the wall's pixel format; NULL: nothing */
    bool is_stale;        /* `drawn` was not made of it yet */
    void *drawn;          /* the toolkit's: its own to make and to free */
} wall_picture;

typedef struct wall_cell {
    wall *wall;
    sdimage_target *target;
    sdimage_animated_view *view;
    bool is_used;
    size_t item; /* what it shows */
    wall_state state;
    sdimage_status error;     /* why there is no picture */
    wall_picture now, before; /* the one is drawn over the other, and fades in */
    uint64_t fade_start;      /* nanoseconds; 0: it does not */
    uint32_t fade_ms;
    double progress; /* 0 to 1; negative: no bar */
    char badge[24];  /* format and number of frames of what moves */
    uint64_t frames; /* shown of this picture */
} wall_cell;

struct wall {
    wall_item *items;
    size_t item_count;
    wall_cell **cells; /* in no order; they never move */
    size_t cell_count;
    uint32_t side; /* of a cell, in points; so are the five below */
    uint32_t width, height, columns;
    int64_t top;                 /* how far it is scrolled */
    uint32_t pixel_side;         /* of a cell, in pixels */
    size_t first_row, row_count; /* that have cells */
    bool is_shown;               /* false: minimised */
    sdimage_pixel_format pixel_format;
    void (*changed)(void *window); /* it is to be drawn again */
    void *window;
    sdimage_dispatcher *loop;
    sdimage_manager *manager;
    sdimage_transformer *square;
    sdimage_prefetcher *prefetcher;
    sdimage_prefetch_group *group;
    size_t loads, frames, fetched; /* so far */
    sdimage_status status;         /* below 0: why the program is to end; and `error`, where there are words for it */
    sdimage_error *error;
};

enum { WALL_GAP = 12 };

/* --- wall.c */

/* Opens the manager on a folder for its cache; NULL: memory only. The loop is the calling thread's. */
sdimage_status wall_open(wall *wall, const char *folder);
/* What is `drawn` is to be freed before. */
void wall_close(wall *wall);

/* How large the window is, and which part of the list it shows: the cells for that load. `scale` is pixels for a point.
 */
void wall_resize(wall *wall, uint32_t width, uint32_t height, double scale);
void wall_scroll(wall *wall, int64_t top);
/* A window that nobody sees does not play. */
void wall_set_shown(wall *wall, bool is_shown);

/* The upper left corner of a cell in the window, in points; false where it cannot be seen. */
bool wall_place(const wall *wall, const wall_cell *cell, int64_t *x, int64_t *y);
int64_t wall_row_height(const wall *wall);
/* Whether a picture fades: draw again soon. */
bool wall_is_fading(const wall *wall);
/* A line about the whole. */
void wall_describe(const wall *wall, char *text, size_t size);

/* --- cell.c */

sdimage_status cell_new(wall *wall, wall_cell **cell, sdimage_error **error);
void cell_free(wall_cell *cell);
sdimage_status cell_load(wall_cell *cell, size_t item, sdimage_error **error);
/* Scrolled away: for another picture. */
void cell_release(wall_cell *cell);
/* What a cell asks for. */
sdimage_request *cell_request(const wall *wall, const char *url);
/* How much of the new image covers what was there before, 0 to 1. */
double cell_fade(const wall_cell *cell);
/* The part of the image that fills the square. */
sdimage_rect cell_crop(const sdimage_image *image);

/* --- list.c */

/* Reads a list, one URL a line, with `blurhash TEXT` or `thumbhash HEX` behind it if it likes. False with errno. */
bool list_read(wall *wall, FILE *list);
bool list_add(wall *wall, const char *url);

#endif
