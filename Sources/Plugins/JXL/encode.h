/* encode.h: encoding of images and animations as JPEG XL. */
#ifndef SDJXL_ENCODE_H
#define SDJXL_ENCODE_H

#include <sdimage/sys/coder.h>
#include <sdimage/encode.h>

/* Entries of the coder's function table, documented in sys/coder.h. Embedded thumbnails and gain maps are
 * UNSUPPORTED. */
bool sdjxl_can_encode(void *user_data, sdimage_format format);

sdimage_status sdjxl_encode(void *user_data, const sdimage_image *image, sdimage_format format,
                            const sdimage_encode_options *options, sdimage_data **data, sdimage_error **error);

#endif
