/* request.h: the requested image of an asset. */
#ifndef SDPHOTO_REQUEST_H
#define SDPHOTO_REQUEST_H

#include <sdimage/plugins/photos_loader.h>

#include "object.h"

/* Options of a load; photos_loader.h describes the values. The zero values are defaults but for `resize` and
 * `has_network`. */
struct sdimage_photos_request_options {
    sdphoto_object object;
    sdimage_photos_delivery delivery;
    sdimage_photos_resize resize;
    sdimage_photos_version version;
    sdimage_photos_content content;
    bool has_network;
    sdimage_photos_target target;
    sdimage_size size; /* pixels; for TARGET_BOX only */
};

/* The requested image: a box to fit or cover; 0 x 0 for the full size. */
typedef struct sdphoto_bounds {
    sdimage_size box;
    sdimage_photos_content content;
} sdphoto_bounds;

/* Takes the thumbnail size of the decode options if set, else the request options. */
sdphoto_bounds sdphoto_bounds_of(const sdimage_decode_options *decode, const sdimage_photos_request_options *options,
                                 sdimage_size pixels);

/* Returns the size of the resulting image, never larger than the original; 0 x 0 for the full size. */
sdimage_size sdphoto_size_of(sdphoto_bounds bounds, sdimage_size pixels);

#endif
