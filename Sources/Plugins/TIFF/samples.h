/* samples.h: conversion of samples as TIFF packs them to pixels. */
#ifndef SDTIFF_SAMPLES_H
#define SDTIFF_SAMPLES_H

#include "layout.h"

/* A conversion from CMYK to RGB by a profile, in 8 or 16 bits; NULL for none. */
typedef struct sdtiff_cmyk sdtiff_cmyk;

/* Makes a conversion to sRGB. NULL if the image is not CMYK, or has no usable CMYK profile of at most 1 MiB. `wide`: 16
 * bits. */
sdtiff_cmyk *sdtiff_cmyk_new(const sdtiff_layout *layout, bool wide);
void sdtiff_cmyk_free(sdtiff_cmyk *cmyk);

/* The conversion state for rows; one for each reader. */
typedef struct sdtiff_unpacker {
    const sdtiff_layout *layout; /* borrowed */
    sdimage_pixel_format format;
    sdtiff_cmyk *cmyk; /* NULL without a profile */
    uint32_t most;     /* the maximum number of pixels in a row */
    void *values;      /* the samples of a row: 16-bit words, or floats */
    uint8_t *colors;   /* a row of CMYK, and of RGB; NULL without `cmyk` */
    uint64_t held;     /* bytes of both */
} sdtiff_unpacker;

/* Prepares for rows of at most `most` pixels. The caller closes it, also after a failure. */
sdimage_status sdtiff_unpacker_open(sdtiff_unpacker *unpacker, const sdtiff_layout *layout, sdimage_pixel_format format,
                                    uint32_t most, bool by_profile, sdimage_error **error);
void sdtiff_unpacker_close(sdtiff_unpacker *unpacker);

/* Writes `count` pixels. `planes` has one pointer for interleaved samples, otherwise one for each sample. */
void sdtiff_unpack(const sdtiff_unpacker *unpacker, const uint8_t *const *planes, uint32_t count, uint8_t *pixels);

#endif
