/* encode.h: encoding of images as HEIC, by libheif and an H.265 encoder it provides. */
#ifndef SDHEIF_ENCODE_H
#define SDHEIF_ENCODE_H

#include <sdimage/sys/coder.h>
#include <sdimage/encode.h>

/* Opens libheif to check. */
bool sdheif_can_encode(void *user_data, sdimage_format format);

sdimage_status sdheif_encode(void *user_data, const sdimage_image *image, sdimage_format format,
                             const sdimage_encode_options *options, sdimage_data **data, sdimage_error **error);

#endif
