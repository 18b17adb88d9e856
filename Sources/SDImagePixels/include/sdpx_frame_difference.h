/* sdpx_frame_difference.h: differences between the frames of an animation. */
#ifndef SDPX_FRAME_DIFFERENCE_H
#define SDPX_FRAME_DIFFERENCE_H

#include <stddef.h>
#include <stdint.h>

/* Reports that a row differs from the previous one; extends the range by the pixels that differ. */
int sdpx_changed_span(const uint8_t *row, const uint8_t *before, size_t pixels, size_t pixel, size_t *first,
                      size_t *end);

/* Writes the pixels that changed, of 4 or 8 bytes, and transparent black for the others. Reports that all changed
   pixels are opaque: alpha is the highest byte, or the highest two. */
int sdpx_only_changed(uint8_t *to, const uint8_t *row, const uint8_t *before, size_t pixels, size_t pixel);

/* Converts straight RGBA to opaque pixels, and to 0 for pixels less than half opaque. */
void sdpx_threshold_alpha(uint32_t *to, const uint8_t *rgba, size_t pixels);

/* Reports pixels of such a row that have become 0; extends the range by them. */
int sdpx_has_cleared(const uint32_t *row, const uint32_t *before, size_t pixels, size_t *first, size_t *end);

#endif
