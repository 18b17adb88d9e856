/* source.h: what both modules do with a picture to be encoded: its rows, its colours, its EXIF block. */
#ifndef SDSRC_H
#define SDSRC_H

#include <sdimage/encoder.h>

#include "picture.h"

/* A picture in 8 bits, or in more where it has more: grey, RGB or straight RGBA. */
typedef struct sdsrc {
    sdimage_image *image; /* the library's, GRAY8, RGB8, RGBA8, GRAY16, RGB16 or RGBA16 */
    uint32_t width, height;
    int channels;
    int bits; /* 8, or those asked for deep pictures */
} sdsrc;

/* Refuses pictures that the module could not decode again: TOO_LARGE. Of a deep picture `deep_bits` remain. To be
 * closed, also after a failure. */
sdimage_status sdsrc_open(sdsrc *source, const sdimage_image *image, int deep_bits, sdimage_error **error);
void sdsrc_close(sdsrc *source);

/* Writes a row: bytes, or 16-bit words in the machine's order whose lower `bits` are the samples. */
void sdsrc_row(const sdsrc *source, uint32_t y, void *to);

/* What the samples mean where no profile says it: the codes of ITU-T H.273, those of sRGB where nothing is said. */
typedef struct sdsrc_color {
    uint16_t primaries, transfer;
} sdsrc_color;
sdsrc_color sdsrc_color_of(const sdimage_image *image);

/* The picture as it lies, one pixel to a point, to be scaled by the library. */
sdimage_status sdsrc_as_stored(const sdimage_image *image, sdimage_image **stored, sdimage_error **error);

/* The TIFF structure of the EXIF block given, with this orientation where it has one; empty where none was given. */
typedef struct sdsrc_block {
    uint8_t *bytes;
    size_t length;
} sdsrc_block;
sdimage_status sdsrc_exif(const sdimage_encode_options *options, sdimage_orientation orientation, sdsrc_block *exif,
                          sdimage_error **error);
void sdsrc_release_block(sdsrc_block *block);

#endif
