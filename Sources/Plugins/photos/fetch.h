/* fetch.h: the selection and order of assets. */
#ifndef SDPHOTO_FETCH_H
#define SDPHOTO_FETCH_H

#include <sdimage/plugins/photos.h>

#include "object.h"

/* A selection, an order and a page. photos.h describes the values. */
struct sdimage_photos_fetch_options {
    sdphoto_object object;
    uint32_t media, origins;                                            /* sets of bits */
    char *album;                                                        /* NULL: all */
    bool nested, is_incomplete;                                         /* `is_incomplete`: no memory for the album */
    int64_t from_ns, until_ns;                                          /* bounds of taken_ns; 0: none */
    int32_t rating;                                                     /* the lowest; -1: all */
    bool (*filter)(void *user_data, const sdimage_photos_asset *asset); /* NULL: none */
    void *filter_data;
    sdimage_destroy_fn filter_destroy;
    sdimage_photos_order order;
    bool ascending;       /* the zero value is descending, the default */
    size_t offset, limit; /* the page; a limit of 0 is none */
};

#endif
