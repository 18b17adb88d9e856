/* encode.h: encoding of images as HEIC, by libheif and an H.265 encoder it provides. */
#ifndef SDHEIF_ENCODE_H
#define SDHEIF_ENCODE_H

#include <sdimage/sys/coder.h>
#include <sdimage/encode.h>

/* Entries of the coder's function table, documented in coder.h. Reports that libheif has an H.265 encoder; opens
 * libheif to check. */
bool sdheif_can_encode(void *user_data, sdimage_format format);

/* Encodes a still of at most 64 Mi pixels: 8 bits, or for high-depth images those of the options, by default 10.
 * Errors: UNSUPPORTED (no encoder; lossless; a gain map to embed; an orientation with an old libheif), TOO_LARGE,
 * INVALID_ARGUMENT (EXIF), NO_MEMORY, ENCODE_FAILED. */
sdimage_status sdheif_encode(void *user_data, const sdimage_image *image, sdimage_format format,
                             const sdimage_encode_options *options, sdimage_data **data, sdimage_error **error);

#endif
