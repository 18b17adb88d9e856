/* source.h: common steps of the modules for an image to encode: its rows, colors and EXIF block. */
#ifndef SDSRC_H
#define SDSRC_H

#include <sdimage/encoder.h>

#include "image.h"

/* An image in 8 bits, or in more if it has more: gray, RGB or straight RGBA. */
typedef struct sdsrc {
    sdimage_image *image; /* owned by the library; GRAY8, RGB8, RGBA8, GRAY16, RGB16 or RGBA16 */
    uint32_t width, height;
    int channels;
    int bits; /* 8, or `deep_bits` for high-depth images */
} sdsrc;

/* Prepares an image. Images that the module could not decode again are refused with TOO_LARGE. High-depth images are
 * reduced to `deep_bits`. The caller closes it, also after a failure. */
sdimage_status sdsrc_open(sdsrc *source, const sdimage_image *image, int deep_bits, sdimage_error **error);
void sdsrc_close(sdsrc *source);

/* Writes a row: bytes, or native 16-bit words whose lower `bits` are the samples. */
void sdsrc_row(const sdsrc *source, uint32_t y, void *to);

/* The color encoding of an image without a profile: codes of ITU-T H.273, those of sRGB by default. */
typedef struct sdsrc_color {
    uint16_t primaries, transfer;
} sdsrc_color;
sdsrc_color sdsrc_color_of(const sdimage_image *image);

/* Returns the image as stored, upright and at scale 1, for scaling by the library. */
sdimage_status sdsrc_as_stored(const sdimage_image *image, sdimage_image **stored, sdimage_error **error);

/* The TIFF structure of the given EXIF block, with its orientation tag updated if it has one; empty if no block was
 * given. */
typedef struct sdsrc_block {
    uint8_t *bytes;
    size_t length;
} sdsrc_block;
sdimage_status sdsrc_exif(const sdimage_encode_options *options, sdimage_orientation orientation, sdsrc_block *exif,
                          sdimage_error **error);
void sdsrc_release_block(sdsrc_block *block);

#endif
