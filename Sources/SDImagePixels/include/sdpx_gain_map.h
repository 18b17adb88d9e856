/* sdpx_gain_map.h: application of a gain map to the pixels of the base image (ISO 21496-1). */
#ifndef SDPX_GAIN_MAP_H
#define SDPX_GAIN_MAP_H

#include <stddef.h>
#include <stdint.h>

/* Entries of the tables: 16 between two samples, because the samples are interpolated and converted without rounding. */
enum { SDPX_GAIN_ENTRIES = 255 * 16 + 1 };

/* The conversion of a base pixel to linear light, in five steps.
   1. Pixels of YCbCr are converted to RGB (JFIF 1.02, page 3).
   2. Each sample is looked up in `light`.
   3. `to_gain_primaries` converts to the primaries in which the gains apply (rows for red, green, blue).
   4. Each channel is multiplied: (light + base_offset) * gain - alternate_offset. The gain is the entry of the channel's
      table for the sample of the map.
   5. `to_srgb` converts to the primaries of sRGB. */
typedef struct {
    int is_ycc;
    const float *light;
    /* The same table three times for a map of one channel. */
    const float *gains[3];
    float base_offset[3], alternate_offset[3];
    float to_gain_primaries[9], to_srgb[9];
} sdpx_gain_map;

/* Interpolates `pixels` pixels of a row between two rows of a map, linearly, with the samples in the centers of their
   areas. `lower_weight` is that of the lower row, 0 ... 1. The rows have `width` pixels of 1 or 3 samples, `blended` has
   room for as many, and `to` for `pixels` of them. */
void sdpx_interpolate_gains(float *to, size_t pixels, float *blended, const uint8_t *upper, const uint8_t *lower,
                            float lower_weight, size_t width, size_t channels);

/* Converts a row of RGB or YCbCr with 8 bits to RGBA floats. `samples` has 1 or 3 samples of the map per pixel,
   0 ... 255. */
void sdpx_apply_gains(float *to, const uint8_t *from, size_t pixels, const float *samples, size_t channels,
                      const sdpx_gain_map *map);

#endif
