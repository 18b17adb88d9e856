/* sdpx_display.h: conversion to floats, and to the light of a display. */
#ifndef SDPX_DISPLAY_H
#define SDPX_DISPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_format.h"

/* Converts any integer format to straight RGBA floats, 0 ... 1 and still encoded. */
void sdpx_unit_row(float *to, const void *from, sdpx_format from_format, size_t pixels);

/* The conversion of samples to linear light on a display, in three steps.
   1. Each sample is looked up in the table.
   2. If the system gamma is not 1, all three are scaled by a power of their luminance, computed with these weights.
   3. The matrix converts to the primaries of sRGB (rows for red, green, blue). */
typedef struct {
    /* 256 or 65,536 entries, depending on the sample depth. */
    const float *table;
    float luminance[3];
    float system_gamma;
    float matrix[9];
    /* Values beyond white are tone-mapped into the range. */
    int tone_maps;
} sdpx_light;

/* Converts a row of a straight integer format that way; the rows must not overlap. */
void sdpx_render_row(void *to, sdpx_format to_format, const void *from, sdpx_format from_format, size_t pixels,
                     const sdpx_light *light);

/* Tone-maps linear light to 0 ... 1 in place. Below 0.75 nothing changes; from there to 10,000 cd/m2 (white is 203) a
   shoulder leads to 1. */
void sdpx_tone_map(float *rgba, size_t pixels);

#endif
