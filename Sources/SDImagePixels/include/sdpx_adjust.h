/* sdpx_adjust.h: color adjustments, which depend on one pixel only. */
#ifndef SDPX_ADJUST_H
#define SDPX_ADJUST_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_format.h"

/* The operations of a step on the straight colors of a pixel, and their parameters. */
enum {
    /* 4 rows of factors for red, green, blue, alpha and a constant: the new red, green, blue and alpha. */
    SDPX_STEP_MATRIX = 0,
    /* 3 rows of the coefficients of 1, v, v^2, v^3: for red, green and blue, which are clamped to 0 ... 1 before. */
    SDPX_STEP_CURVE = 1,
    /* An exponent; negative values become 0. */
    SDPX_STEP_POWER = 2,
    /* The number of levels from 0 to 1, at least 2. */
    SDPX_STEP_LEVELS = 3,
    /* A luma threshold (Rec. 709): at or above it white, below black. */
    SDPX_STEP_THRESHOLD = 4,
    /* An amount by which saturation grows, more where it is low. */
    SDPX_STEP_VIBRANCE = 5,
    /* The amount of darkening at the greatest distance; that distance; the x and y of the center; the factor from
       pixels to distances. */
    SDPX_STEP_VIGNETTE = 6
};

/* One step: a kind from the list above, and its parameters in their order. */
typedef struct {
    int kind;
    float values[20];
} sdpx_step;

/* Applies the steps to the pixels of row `y`, from x = 0 on, and writes them in a format of the same depth. The rows
   may be the same if the formats are. With `in_light` the steps work on linear light, otherwise on sRGB values,
   whatever the format. */
void sdpx_step_row(void *to, sdpx_format to_format, const void *from, sdpx_format from_format, size_t pixels, size_t y,
                   const sdpx_step *steps, size_t count, int in_light);

/* Applies steps that handle each channel separately, by a table of 256 RGB entries; from gray8, rgb8 or rgba8 to rgb8
   or rgba8. Alpha is unchanged. */
void sdpx_table_row(uint8_t *to, sdpx_format to_format, const uint8_t *from, sdpx_format from_format, size_t pixels,
                    const uint8_t *table);

#endif
