/* Filters of pixels: steps that look at one pixel alone, and sums over neighbours. Pixel formats as in sdpixels.h. */
#ifndef SDPX_COLOR_FILTER_H
#define SDPX_COLOR_FILTER_H

#include <stddef.h>
#include <stdint.h>

/* What a step does to the straight colours of a pixel, and which values it takes. */
enum {
    /* 4 rows of red, green, blue, alpha and a constant: for red, green, blue and alpha. */
    SDPX_STEP_MATRIX = 0,
    /* 3 rows of the factors of 1, v, v^2, v^3: for red, green and blue, which are held in 0 ... 1 before. */
    SDPX_STEP_CURVE = 1,
    /* An exponent; what is negative becomes 0. */
    SDPX_STEP_POWER = 2,
    /* A number of levels from 0 to 1, at least 2. */
    SDPX_STEP_LEVELS = 3,
    /* A luma (Rec. 709): from it on white, below black. */
    SDPX_STEP_THRESHOLD = 4,
    /* An amount, by which saturation grows where there is little of it. */
    SDPX_STEP_VIBRANCE = 5,
    /* The amount by which the farthest places darken; the distance at which they do; the centre's x and y; and the
       factor that makes pixels distances. */
    SDPX_STEP_VIGNETTE = 6
};

typedef struct {
    int kind;
    float values[20];
} sdpx_step;

/* Takes the pixels of row `y`, from x = 0 on, through the steps, and writes them in a format of the same depth; the
   rows may be the same where the formats are. The steps see light with `in_light`, else what sRGB makes of it, whatever
   the format. */
void sdpx_step_row(void *to, int to_format, const void *from, int from_format, size_t pixels, size_t y,
                   const sdpx_step *steps, size_t count, int in_light);

/* The same by a table of 256 times RGB, for steps that take each channel alone; from gray8, rgb8 or rgba8 to rgb8 or
   rgba8. Alpha stays. */
void sdpx_table_row(uint8_t *to, int to_format, const uint8_t *from, int from_format, size_t pixels,
                    const uint8_t *table);

/* Sums along x of rows that begin `taps` / 2 pixels before the first output pixel: sample i is the sum over k of
   weights[k] * from[i + k * channels]. */
void sdpx_convolve_row(float *to, const float *from, size_t samples, const float *weights, size_t taps, int channels);

/* Moves colours away from a blurred picture: adds `amount` times their difference, or that of luma. `blurred` has as
   many channels as the format, in 0 ... the top of its samples, premultiplied where there is alpha. */
void sdpx_sharpen_row(void *to, const void *from, int format, size_t pixels, const float *blurred, float amount,
                      int luma_alone);

/* Adds the pixels of a row to cells, of which cell i goes from bounds[i] to bounds[i + 1]: red, green, blue, each times
   alpha, and alpha; with `passes_alpha_over` all count the same. 0 ... 1, as light or as sRGB. */
void sdpx_add_cells(float *sums, size_t cells, const int32_t *bounds, const void *row, int format, int in_light,
                    int passes_alpha_over);

/* Fills cells with the mean colours of sums over so many rows. */
void sdpx_fill_cells(void *row, int format, size_t cells, const int32_t *bounds, const float *sums, float rows);

#endif
