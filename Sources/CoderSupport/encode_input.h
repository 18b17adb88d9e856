/* encode_input.h: common steps of the modules for an image to encode: its rows and colors. */
#ifndef SDCS_ENCODE_INPUT_H
#define SDCS_ENCODE_INPUT_H

#include <sdimage/encode.h>

#include "image.h"

/* An image in 8 bits, or in more if it has more: gray, RGB or straight RGBA. */
typedef struct sdcs_encode_input {
    sdimage_image *image; /* owned by the library; GRAY8, RGB8, RGBA8, GRAY16, RGB16 or RGBA16 */
    uint32_t width, height;
    int channels; /* 1, 3 or 4 */
    int bits;     /* 8, or `deep_bits` for high-depth images */
} sdcs_encode_input;

/* The samples that hold every pixel of an image, or of all frames of an animation. */
typedef struct sdcs_encode_layout {
    int channels; /* 1 for gray, 3 for RGB, 4 for RGBA */
    bool deep;    /* more than 8 bits */
} sdcs_encode_layout;
/* Returns the layout of one image. */
sdcs_encode_layout sdcs_encode_layout_of(const sdimage_image *image);
/* Finds the common layout of all frames of an animation. Fails with the error of a frame that cannot be decoded. */
sdimage_status sdcs_encode_layout_of_frames(sdcs_encode_layout *layout, const sdimage_image *animation,
                                            sdimage_error **error);

/* Prepares an image. Images that the module could not decode again are refused with TOO_LARGE. High-depth images are
 * reduced to `deep_bits`. The caller closes it, also after a failure. */
sdimage_status sdcs_encode_input_open(sdcs_encode_input *source, const sdimage_image *image, int deep_bits,
                                      sdimage_error **error);
/* Prepares a frame in the common layout of its animation; otherwise like sdcs_encode_input_open. */
sdimage_status sdcs_encode_input_open_as(sdcs_encode_input *source, const sdimage_image *frame,
                                         sdcs_encode_layout layout, int deep_bits, sdimage_error **error);
/* Returns the bits for `deep_bits`: those of the options, or `standard`. The library has reduced the image to 8 bits if
 * the options set 8. */
int sdcs_deep_bits(const sdimage_encode_options *options, int standard);
void sdcs_encode_input_close(sdcs_encode_input *source);

/* Writes a row: bytes, or native 16-bit words whose lower `bits` are the samples. */
void sdcs_encode_input_row(const sdcs_encode_input *source, uint32_t y, void *to);

/* The color encoding of an image without a profile: codes of ITU-T H.273, those of sRGB by default. */
typedef struct sdcs_color {
    uint16_t primaries, transfer;
} sdcs_color;
sdcs_color sdcs_color_of(const sdimage_image *image);

/* The matrix coefficients for YCbCr of an image, by table 4 of ITU-T H.273: BT.2020 for its primaries, or BT.601. */
uint16_t sdcs_matrix_of(const sdimage_image *image);

/* Returns the image as stored, upright and at scale 1, for scaling by the library. */
sdimage_status sdcs_as_stored(const sdimage_image *image, sdimage_image **stored, sdimage_error **error);

#endif
