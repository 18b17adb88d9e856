/* sdpx_pixelate.h: cells of one color, the mean of their pixels. */
#ifndef SDPX_PIXELATE_H
#define SDPX_PIXELATE_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_format.h"

/* Adds the pixels of a row to cells; cell i goes from bounds[i] to bounds[i + 1]. Sums red, green and blue, each times
   alpha, and alpha; with `passes_alpha_over` all pixels have equal weight. Values are 0 ... 1, as linear light or
   sRGB. */
void sdpx_add_cells(float *sums, size_t cells, const int32_t *bounds, const void *row, sdpx_format format, int in_light,
                    int passes_alpha_over);

/* Fills cells with the mean colors of sums over `rows` rows. */
void sdpx_fill_cells(void *row, sdpx_format format, size_t cells, const int32_t *bounds, const float *sums, float rows);

#endif
