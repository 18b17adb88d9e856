/* request.h: which picture of an asset. */
#ifndef SDPHOTO_REQUEST_H
#define SDPHOTO_REQUEST_H

#include <sdimage/plugins/photos_loader.h>

#include "support.h"

typedef enum sdphoto_target {
    SDPHOTO_MAXIMUM,
    SDPHOTO_PIXEL_SIZE,
    SDPHOTO_POINT_SIZE,
    SDPHOTO_EXPLICIT
} sdphoto_target;

struct sdimage_photos_request_options {
    sdphoto_object object;
    sdimage_photos_delivery delivery;
    sdimage_photos_resize resize;
    sdimage_photos_version version;
    sdimage_photos_content content;
    bool has_network;
    sdphoto_target target;
    sdimage_size size;
};

/* The picture that is wanted: a box, 0 x 0 for the whole picture, to be fitted or covered. */
typedef struct sdphoto_wish {
    sdimage_size box;
    sdimage_photos_content content;
} sdphoto_wish;

/* By the thumbnail size of the request where there is one, else by the options. */
sdphoto_wish sdphoto_wish_of(const sdimage_decode_options *decode, const sdimage_photos_request_options *options,
                             sdimage_size pixels);

/* The size of the picture that comes of a wish, never larger than the picture; 0 x 0 for the whole one. */
sdimage_size sdphoto_size_of(sdphoto_wish wish, sdimage_size pixels);

#endif
