/* encode.h: encoding of images as AVIF, by libavif and the AV1 encoder it includes. */
#ifndef SDAVIF_ENCODE_H
#define SDAVIF_ENCODE_H

#include <sdimage/sys/coder.h>
#include <sdimage/encode.h>

bool sdavif_can_encode(void *user_data, sdimage_format format);

sdimage_status sdavif_encode(void *user_data, const sdimage_image *image, sdimage_format format,
                             const sdimage_encode_options *options, sdimage_data **data, sdimage_error **error);

#endif
