/* drawing.h: rendering of vector images with cairo, on threads that may outlive the call (coder.h, detached_stack). */
#ifndef SDCS_DRAWING_H
#define SDCS_DRAWING_H

#include <cairo.h>

#include "image.h"

/* The stack size of the threads in bytes. Pages are committed as needed. It is large because the libraries recurse as
 * deep as a file demands. */
#define SDCS_DRAWING_STACK (sizeof(size_t) > 4 ? (size_t)512 << 20 : (size_t)64 << 20)

/* The longest side that cairo supports, in pixels. */
enum { SDCS_DRAWING_LONGEST = 32767 };

/* Performs the work of a job, or frees it. */
typedef void (*sdcs_job_fn)(void *job);

/* The first member of a plug-in's job. The job owns everything its work needs. */
typedef struct sdcs_drawing {
    sdimage_format format; /* the format of the file */
    sdcs_request request;  /* limits and pixel format */
    sdimage_size size;     /* 0 x 0: the intrinsic size */
    bool draws;            /* false: only the intrinsic size is determined */
    /* The results of the work. */
    double width, height; /* the intrinsic size, in whose units the drawing works */
    sdimage_image *image;
    sdimage_status status;
    sdimage_error *error;
} sdcs_drawing;

/* Draws in units of the intrinsic size; false if it failed. */
typedef bool (*sdcs_draw_fn)(void *context, cairo_t *cairo);

/* --- Functions for the work of a job. */

/* Stores the error of the work, which the caller of the coder receives. The work must then return. */
void sdcs_drawing_fail(sdcs_drawing *self, sdimage_status status, const char *message);

/* Draws if an image was requested: an image of the requested size, which the drawing fills whatever its proportions.
 * Parts without drawing are transparent. Alpha is straight, unless a premultiplied format was requested. Errors:
 * TOO_LARGE, BAD_DATA, NO_MEMORY. */
void sdcs_drawing_draw(sdcs_drawing *self, sdcs_draw_fn draw, void *context);

/* Frees the members, for the release of the job. */
void sdcs_drawing_clear(sdcs_drawing *self);

/* --- The coder's functions. */

/* The user data of a coder: the parts of a plug-in's drawings that differ between plug-ins. */
typedef struct sdcs_drawing_kind {
    sdimage_format format;
    /* Makes a job with copies of what its work needs; its sdcs_drawing is filled in afterwards. Errors of the input may
     * be found here or in the work. */
    sdimage_status (*make)(const void *bytes, size_t length, const sdimage_decode_options *options, void **job,
                           sdimage_error **error);
    sdcs_job_fn work, release; /* `release` calls sdcs_drawing_clear and frees the job */
} sdcs_drawing_kind;

/* Entries of the coder's function table, documented in coder.h. */
sdimage_status sdcs_drawing_decode(void *kind, const void *bytes, size_t length, const sdimage_decode_options *options,
                                   sdimage_image **image, sdimage_error **error);
sdimage_status sdcs_drawing_render(void *kind, const void *bytes, size_t length, const sdimage_decode_options *options,
                                   sdimage_size size, sdimage_image **image, sdimage_error **error);
sdimage_status sdcs_drawing_describe(void *kind, const void *bytes, size_t length,
                                     const sdimage_decode_options *options, sdimage_metadata *metadata,
                                     sdimage_error **error);
bool sdcs_drawing_can_decode_format(void *kind, sdimage_format format);

#endif
