/* list.h: lists of assets. */
#ifndef SDPHOTO_LIST_H
#define SDPHOTO_LIST_H

#include "asset.h"

/* A page. `count`: its assets; `total`: all selected ones. */
struct sdimage_photos_list {
    sdphoto_object object;
    sdimage_photos_asset **assets;
    size_t count, total;
};

/* Makes a list of the selected `assets` in the requested order, and references them. */
sdimage_status sdphoto_list_new(sdimage_photos_asset *const *assets, size_t count,
                                const sdimage_photos_fetch_options *options, sdimage_photos_list **list,
                                sdimage_error **error);

#endif
