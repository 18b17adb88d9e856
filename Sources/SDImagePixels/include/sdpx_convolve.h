/* sdpx_convolve.h: sums over neighboring pixels, and sharpening. */
#ifndef SDPX_CONVOLVE_H
#define SDPX_CONVOLVE_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_format.h"

/* Sums along x of rows that begin `taps` / 2 pixels before the first output pixel: sample i is the sum over k of
   weights[k] * from[i + k * channels]. */
void sdpx_convolve_row(float *to, const float *from, size_t samples, const float *weights, size_t taps, int channels);

/* Sharpens by an unsharp mask: adds `amount` times the difference from a blurred image, or that of luma. `blurred` has
   as many channels as the format, from 0 to the maximum of its samples, premultiplied if there is alpha. */
void sdpx_sharpen_row(void *to, const void *from, sdpx_format format, size_t pixels, const float *blurred, float amount,
                      int luma_alone);

#endif
