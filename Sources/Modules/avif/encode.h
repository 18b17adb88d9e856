/* encode.h: encoding of images as AVIF, by libavif and the AV1 encoder it includes. */
#ifndef SDAVIF_ENCODE_H
#define SDAVIF_ENCODE_H

#include <sdimage/sys/coder.h>
#include <sdimage/encode.h>

/* Entries of the coder's function table, documented in coder.h. Reports that libavif has an encoder for the format. */
bool sdavif_can_encode(void *user_data, sdimage_format format);

/* Encodes a still of at most 64 Mi pixels: 8 bits, or for high-depth images those of the options, by default 10.
 * Errors: UNSUPPORTED (no encoder; a thumbnail or gain map to embed; lossless for a high-depth image without a set
 * number of bits), TOO_LARGE, INVALID_ARGUMENT (EXIF), NO_MEMORY, ENCODE_FAILED. */
sdimage_status sdavif_encode(void *user_data, const sdimage_image *image, sdimage_format format,
                             const sdimage_encode_options *options, sdimage_data **data, sdimage_error **error);

#endif
