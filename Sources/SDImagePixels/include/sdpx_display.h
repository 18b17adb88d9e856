/* sdpx_display.h: conversion to floats, and to the light of a display. */
#ifndef SDPX_DISPLAY_H
#define SDPX_DISPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_format.h"

/* Converts any integer format to straight RGBA floats, 0 ... 1 and still encoded. */
void sdpx_unit_row(float *to, const void *from, sdpx_format from_format, size_t pixels);

/* Steps of the table of a tone mapping, which has one entry more. */
enum { SDPX_TONE_STEPS = 1024 };

/* A tone mapping of linear light. */
typedef struct {
    /* The factor of a pixel by its luminance: entry i is for (i / SDPX_TONE_STEPS)^2 / scale, those between two are
       interpolated, and the last is for all brighter pixels. */
    const float *factors;
    /* 1 / the luminance of the last entry. */
    float scale;
    /* The highest sample of the result: pixels above are scaled down to it. */
    float limit;
} sdpx_tones;

/* Tone-maps linear light with the primaries of sRGB, in place. Keeps the ratios of the channels. */
void sdpx_tone_map(float *rgba, size_t pixels, const sdpx_tones *tones);

/* Levels of luminance that sdpx_count_light distinguishes. */
enum { SDPX_LIGHT_LEVELS = 145, SDPX_LEVEL_SHIFT = 17 };

/* Adds the number of pixels of each level to `counts`. Level 0 is below 1; level i > 0 ends below the float with the
   bits of 1.0f plus i << SDPX_LEVEL_SHIFT, and the last level has no end. */
void sdpx_count_light(uint32_t *counts, const float *rgba, size_t pixels);

/* The conversion of samples to linear light on a display, in three steps.
   1. Each sample is looked up in the table.
   2. If the system gamma is not 1, all three are scaled by a power of their luminance, computed with these weights.
   3. The matrix converts to the primaries of sRGB (rows for red, green, blue). */
typedef struct {
    /* 256 or 65,536 entries, depending on the sample depth. */
    const float *table;
    float luminance[3]; /* weights of red, green and blue */
    float system_gamma;
    float matrix[9]; /* by rows */
    /* The tone mapping of the result; NULL for none. */
    const sdpx_tones *tones;
} sdpx_light;

/* Converts a row of a straight integer format that way; the rows must not overlap. */
void sdpx_render_row(void *to, sdpx_format to_format, const void *from, sdpx_format from_format, size_t pixels,
                     const sdpx_light *light);

/* Converts linear light of sRGB primaries to RGB or RGBA of 16 bits in PQ, or in HLG for its reference display (ITU-R
   BT.2100, tables 4 and 5). The matrix leads to the primaries of BT.2020, with 1 for the peak of the transfer; beyond 0
   ... 1, light is clipped. */
void sdpx_signal_row(uint16_t *to, sdpx_format to_format, const float *rgba, size_t pixels, const float matrix[9],
                     int is_hlg);

#endif
