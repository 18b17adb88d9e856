/* placeholder.h: placeholders of a few bytes, shown until the image is loaded.
 *
 * A server sends the hash with the page, and the program draws it immediately: a blurred version of the image. The
 * functions block for some microseconds to milliseconds, on the calling thread; large images are reduced first. */
#ifndef SDIMAGE_PLACEHOLDER_H
#define SDIMAGE_PLACEHOLDER_H

#include "base.h"
#include "data.h"
#include "error.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the BlurHash of an image as displayed (github.com/woltapp/blurhash): ASCII text without NUL. 1 to 9
 * components along each side; 4 by 3 is usual. Alpha is ignored. Errors: INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_blurhash_encode(const sdimage_image *image, uint32_t x_components,
                                                   uint32_t y_components, sdimage_data **text, sdimage_error **error);

/* Draws a BlurHash as rgb8, at most 4096 by 4096 pixels. Small sizes are sufficient, because it is smooth. `punch` is
 * the contrast, 1 as encoded. Errors: BAD_DATA, INVALID_ARGUMENT, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_blurhash_decode(const char *text, size_t length, uint32_t width, uint32_t height,
                                                   double punch, sdimage_image **image, sdimage_error **error);

/* Computes the ThumbHash of an image as displayed (evanw.github.io/thumbhash): up to 25 bytes, which include aspect
 * ratio and alpha. */
SDIMAGE_API sdimage_status sdimage_thumbhash_encode(const sdimage_image *image, sdimage_data **hash,
                                                    sdimage_error **error);

/* Draws a ThumbHash as rgba8, 32 pixels along its longer side. Errors: BAD_DATA, NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_thumbhash_decode(const void *hash, size_t length, sdimage_image **image,
                                                    sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
