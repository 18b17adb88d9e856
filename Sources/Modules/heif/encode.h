/* encode.h: pictures to HEIC, by libheif and an encoder of H.265 that it brings along. */
#ifndef SDHEIF_ENCODE_H
#define SDHEIF_ENCODE_H

#include <sdimage/coder.h>
#include <sdimage/encoder.h>

/* Opens libheif to know. */
bool sdheif_can_encode(void *user_data, sdimage_format format);

sdimage_status sdheif_encode(void *user_data, const sdimage_image *image, sdimage_format format,
                             const sdimage_encode_options *options, const sdimage_options *bag, sdimage_data **data,
                             sdimage_error **error);

#endif
