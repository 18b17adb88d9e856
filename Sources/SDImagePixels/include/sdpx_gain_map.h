/* sdpx_gain_map.h: application of a gain map to the pixels of the base image (ISO 21496-1). */
#ifndef SDPX_GAIN_MAP_H
#define SDPX_GAIN_MAP_H

#include <stddef.h>
#include <stdint.h>

/* Entries of the tables: 16 between two samples, because the samples are interpolated and converted without
   rounding. */
enum { SDPX_GAIN_ENTRIES = 255 * 16 + 1 };

/* The formats of base pixels. */
enum {
    SDPX_GAIN_RGB = 0,    /* RGB with 8 bits */
    SDPX_GAIN_YCC = 1,    /* YCbCr with 8 bits */
    SDPX_GAIN_RGBA_16 = 2 /* straight RGBA with 16 bits */
};

/* The conversion of a base pixel to linear light, in five steps.
   1. Pixels of YCbCr are converted to RGB (JFIF 1.02, page 3).
   2. Each sample is looked up in `light`.
   3. `to_gain_primaries` converts to the primaries in which the gains apply (rows for red, green, blue).
   4. Each channel is multiplied: (light + base_offset) * gain - alternate_offset. The gain is the entry of the
      channel's table for the sample of the map.
   5. `to_srgb` converts to the primaries of sRGB. */
typedef struct {
    int format;         /* the format of base pixels */
    const float *light; /* linear light of a sample; SDPX_GAIN_ENTRIES entries */
    /* The same table three times for a map of one channel. */
    const float *gains[3];
    float base_offset[3], alternate_offset[3];
    float to_gain_primaries[9], to_srgb[9];
} sdpx_gain_map;

/* Interpolates `pixels` pixels of a row between two rows of a map, linearly, with the samples in the centers of their
   areas. `lower_weight` is that of the lower row, 0 ... 1. The rows have `width` pixels of 1 or 3 samples, `blended`
   has room for as many, and `to` for `pixels` of them. */
void sdpx_interpolate_gains(float *to, size_t pixels, float *blended, const uint8_t *upper, const uint8_t *lower,
                            float lower_weight, size_t width, size_t channels);

/* Converts a row of base pixels to RGBA floats. `samples` has 1 or 3 samples of the map per pixel, 0 ... 255. Alpha is
   kept, and 1 for formats without it. */
void sdpx_apply_gains(float *to, const void *from, size_t pixels, const float *samples, size_t channels,
                      const sdpx_gain_map *map);

/* Stores the light of a row of base pixels, three floats per pixel: the result of step 3. */
void sdpx_gain_light(float *to, const void *from, size_t pixels, const sdpx_gain_map *map);

/* The highest measured gain in stops, and the lowest with the opposite sign. */
enum { SDPX_GAIN_LIMIT = 32 };

/* A matrix by rows. */
typedef struct {
    float rows[9];
} sdpx_matrix;

/* Stores the gains in stops between two rows: three floats per pixel. `base` is from sdpx_gain_light; `other` is RGBA
   with the primaries of sRGB, and `from_srgb` converts to those of the base. NaN counts as black, and all gains are
   numbers. Gains are multiplied by alpha: under a transparent pixel there is the background, which has none. */
void sdpx_measure_gains(float *to, const float *base, const float *other, size_t pixels, sdpx_matrix from_srgb,
                        float offset);

/* Returns the highest sample of red, green and blue in a row of RGBA floats; at least 0. */
float sdpx_brightest(const float *row, size_t pixels);

#endif
