/* drawing.h: vector pictures to pixels, by cairo. */
#ifndef SDPLUG_DRAWING_H
#define SDPLUG_DRAWING_H

#include <cairo.h>

#include "../../Modules/common/picture.h"

/* Draws in units of the picture's own size; false when it could not. */
typedef bool (*sdplug_draw_fn)(void *context, cairo_t *cairo);

/* A side of the picture's own size in whole pixels, at least 1. */
uint32_t sdplug_side(double length);

/* An image of `size`, or of the picture's own where that is 0 x 0, filled by the picture whatever the proportions;
 * clear where nothing is drawn. Straight, unless a premultiplied format was asked for. Errors: TOO_LARGE, BAD_DATA,
 * NO_MEMORY. */
sdimage_status sdplug_draw(const sdmod_wish *wish, sdimage_size size, double width, double height, sdplug_draw_fn draw,
                           void *context, sdimage_image **image, sdimage_error **error);

/* What is told of a drawing of that size. */
sdmod_facts sdplug_drawing_facts(sdimage_format format, double width, double height);

#endif
