/* fetch.h: the selection and order of assets. */
#ifndef SDPHOTO_FETCH_H
#define SDPHOTO_FETCH_H

#include <sdimage/plugins/photos.h>

#include "object.h"

struct sdimage_photos_fetch_options {
    sdphoto_object object;
    uint32_t media, origins;
    char *album;
    bool nested, is_incomplete;
    int64_t from_ns, until_ns;
    int32_t rating;
    bool (*filter)(void *user_data, const sdimage_photos_asset *asset);
    void *filter_data;
    sdimage_destroy_fn filter_destroy;
    sdimage_photos_order order;
    bool ascending;
    size_t offset, limit;
};

#endif
