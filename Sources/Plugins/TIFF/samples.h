/* samples.h: from samples as TIFF packs them to pixels. */
#ifndef SDTIFF_SAMPLES_H
#define SDTIFF_SAMPLES_H

#include "layout.h"

/* From CMYK by a profile to RGB, in 8 or 16 bits; NULL for none. */
typedef struct sdtiff_inks sdtiff_inks;

/* NULL where the picture is no CMYK, or has no profile for it that can be used. */
sdtiff_inks *sdtiff_inks_new(const sdtiff_layout *layout, bool wide);
void sdtiff_inks_free(sdtiff_inks *inks);

/* What a row needs on its way; one for each reader. */
typedef struct sdtiff_unpacker {
    const sdtiff_layout *layout;
    sdimage_pixel_format format;
    sdtiff_inks *inks;
    uint32_t most; /* pixels of a row */
    void *values;  /* samples of a row: 16-bit words, or floats */
    uint8_t *colors; /* of a row of CMYK */
} sdtiff_unpacker;

/* For rows of at most `most` pixels; to be closed, also after a failure. */
sdimage_status sdtiff_unpacker_open(sdtiff_unpacker *unpacker, const sdtiff_layout *layout, sdimage_pixel_format format,
                                    uint32_t most, bool by_profile, sdimage_error **error);
void sdtiff_unpacker_close(sdtiff_unpacker *unpacker);

/* Writes `count` pixels. `planes` has one pointer for samples that lie together, else one for each sample. */
void sdtiff_unpack(const sdtiff_unpacker *unpacker, const uint8_t *const *planes, uint32_t count, uint8_t *pixels);

#endif
