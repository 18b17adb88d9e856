/* sdpx_tint.h: blending of a color over pixels of any format with alpha; an unknown format does nothing. */
#ifndef SDPX_TINT_H
#define SDPX_TINT_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_format.h"

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
void sdpx_tint_row(void *to, sdpx_format to_format, const void *from, sdpx_format from_format, size_t pixels,
                   const float *color, int mode);

#endif
