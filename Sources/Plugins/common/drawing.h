/* drawing.h: vector pictures to pixels, by cairo, on threads that may be left behind (coder.h, detached_stack). */
#ifndef SDPLUG_DRAWING_H
#define SDPLUG_DRAWING_H

#include <cairo.h>

#include "../../Modules/common/picture.h"

/* Bytes of stack of the threads, of which pages are taken as they are needed: the libraries call themselves as deep as
 * a file says. */
#define SDPLUG_STACK (sizeof(size_t) > 4 ? (size_t)512 << 20 : (size_t)64 << 20)

/* Works on a job, or frees it. */
typedef void (*sdplug_job_fn)(void *job);

/* The beginning of a plug-in's job, which owns all that its work needs. */
typedef struct sdplug_drawing {
    sdimage_format format;
    sdmod_wish wish;
    sdimage_size size; /* 0 x 0: the picture's own */
    bool draws;        /* else only the picture's own size is told */
    /* What the work finds out. */
    double width, height;
    sdimage_image *image;
    sdimage_status status;
    sdimage_error *error;
} sdplug_drawing;

/* Draws in units of the picture's own size; false when it could not. */
typedef bool (*sdplug_draw_fn)(void *context, cairo_t *cairo);

/* --- For the work of a job. */

void sdplug_drawing_fail(sdplug_drawing *self, sdimage_status status, const char *message);

/* Where a picture is wanted: an image of the wanted size, filled by it whatever the proportions; clear where nothing is
 * drawn. Straight, unless a premultiplied format was asked for. Errors: TOO_LARGE, BAD_DATA, NO_MEMORY. */
void sdplug_drawing_draw(sdplug_drawing *self, sdplug_draw_fn draw, void *context);

/* For its release. */
void sdplug_drawing_clear(sdplug_drawing *self);

/* --- The coder's functions. */

/* What tells the drawings of one plug-in from those of another: the user data of its coder. */
typedef struct sdplug_drawing_kind {
    sdimage_format format;
    /* Makes a job; its sdplug_drawing is filled in afterwards. */
    sdimage_status (*make)(const void *bytes, size_t length, const sdimage_decode_options *options, void **job,
                           sdimage_error **error);
    sdplug_job_fn work, release;
} sdplug_drawing_kind;

/* For its table: coder.h says what they do. */
sdimage_status sdplug_drawing_decode(void *kind, const void *bytes, size_t length,
                                     const sdimage_decode_options *options, const sdimage_options *bag,
                                     sdimage_image **image, sdimage_error **error);
sdimage_status sdplug_drawing_render(void *kind, const void *bytes, size_t length,
                                     const sdimage_decode_options *options, sdimage_size size, sdimage_image **image,
                                     sdimage_error **error);
sdimage_status sdplug_drawing_describe(void *kind, const void *bytes, size_t length,
                                       const sdimage_decode_options *options, sdimage_metadata *metadata,
                                       sdimage_error **error);

#endif
