/* sdpx_rounded.h: clipping to rounded rectangles, of rows of any format with alpha and in place; an unknown format does
   nothing. */
#ifndef SDPX_ROUNDED_H
#define SDPX_ROUNDED_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_format.h"

/* A rectangle in pixels with a radius for each corner: top left, top right, bottom left, bottom right. A radius is at
   most half of the smaller side. */
typedef struct {
    double left, top, right, bottom;
    double radii[4];
} sdpx_rounded;

/* Computes the coverage of each pixel of row `y`, from x = 0 on: the exact area inside the shape, 0 ... 1. */
void sdpx_rounded_row(float *coverage, size_t pixels, double y, const sdpx_rounded *shape);

/* The first reduces a row to its covered part; the second blends a straight color over it where it is covered. */
void sdpx_cut_row(void *row, sdpx_format format, size_t pixels, const float *coverage);
void sdpx_stroke_row(void *row, sdpx_format format, size_t pixels, const float *coverage, const float *color);

#endif
