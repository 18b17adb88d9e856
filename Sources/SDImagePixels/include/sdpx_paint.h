/* sdpx_paint.h: blending of colors over pixels, clipping to shapes, rotation by any angle. Works on rows of any pixel
   format with alpha, numbered as in sdpixels.h, in place unless noted; an unknown format does nothing. */
#ifndef SDPX_PAINT_H
#define SDPX_PAINT_H

#include <stddef.h>
#include <stdint.h>

/* Blend modes: W3C Compositing and Blending Level 1, numbered as CGBlendMode. */
enum {
    SDPX_BLEND_NORMAL,
    SDPX_BLEND_MULTIPLY,
    SDPX_BLEND_SCREEN,
    SDPX_BLEND_OVERLAY,
    SDPX_BLEND_DARKEN,
    SDPX_BLEND_LIGHTEN,
    SDPX_BLEND_COLOR_DODGE,
    SDPX_BLEND_COLOR_BURN,
    SDPX_BLEND_SOFT_LIGHT,
    SDPX_BLEND_HARD_LIGHT,
    SDPX_BLEND_DIFFERENCE,
    SDPX_BLEND_EXCLUSION,
    SDPX_BLEND_HUE,
    SDPX_BLEND_SATURATION,
    SDPX_BLEND_COLOR,
    SDPX_BLEND_LUMINOSITY,
    SDPX_BLEND_CLEAR,
    SDPX_BLEND_COPY,
    SDPX_BLEND_SOURCE_IN,
    SDPX_BLEND_SOURCE_OUT,
    SDPX_BLEND_SOURCE_ATOP,
    SDPX_BLEND_DESTINATION_OVER,
    SDPX_BLEND_DESTINATION_IN,
    SDPX_BLEND_DESTINATION_OUT,
    SDPX_BLEND_DESTINATION_ATOP,
    SDPX_BLEND_XOR,
    SDPX_BLEND_PLUS_DARKER,
    SDPX_BLEND_PLUS_LIGHTER
};

/* Blends a straight color over a row, and writes the result in a format of the same depth; the rows may be the same if
   the formats are. The color is red, green, blue, alpha, each 0 ... 1 and in the encoding of the format: linear light
   for float. Compositing modes preserve light beyond white; blend modes clamp the row to 0 ... 1. */
void sdpx_tint_row(void *to, int to_format, const void *from, int from_format, size_t pixels, const float *color,
                   int mode);

/* A rectangle in pixels with a radius for each corner: top left, top right, bottom left, bottom right. A radius is at
   most half of the smaller side. */
typedef struct {
    double left, top, right, bottom;
    double radii[4];
} sdpx_rounded;

/* Computes the coverage of each pixel of row `y`, from x = 0 on: the exact area inside the shape, 0 ... 1. */
void sdpx_rounded_row(float *coverage, size_t pixels, double y, const sdpx_rounded *shape);

/* The first reduces a row to its covered part; the second blends a straight color over it where it is covered. */
void sdpx_cut_row(void *row, int format, size_t pixels, const float *coverage);
void sdpx_stroke_row(void *row, int format, size_t pixels, const float *coverage, const float *color);

/* An image for interpolated reads: `stride` in bytes, any pixel format. */
typedef struct {
    const void *pixels;
    ptrdiff_t stride;
    int32_t width, height;
    int format;
    /* All pixels are opaque, whatever the format. */
    int is_opaque;
} sdpx_source;

/* Reads the source along a line: pixel i at (x + i * dx, y + i * dy); the first pixel covers 0 ... 1 and its center is
   at 0.5. Interpolates with the Catmull-Rom cubic. Edge pixels are repeated outside and fade out over the pixel around
   the edge. `to` receives premultiplied RGBA floats from 0 to the maximum of the format's samples, as input for
   sdpx_pack_u8 and its variants. dx * dx + dy * dy is 1. */
void sdpx_read_line(float *to, size_t pixels, const sdpx_source *source, double x, double y, double dx, double dy);

#endif
