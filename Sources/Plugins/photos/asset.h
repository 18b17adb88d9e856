/* asset.h: what is known of one photo, lists of them, and which are wanted. */
#ifndef SDPHOTO_ASSET_H
#define SDPHOTO_ASSET_H

#include <sdimage/plugins/photos.h>

#include "support.h"

/* What the first bytes of a file, or a database, say. */
typedef struct sdphoto_facts {
    sdimage_photos_media media; /* 0: no photo */
    sdimage_photos_playback playback;
    sdimage_format format;
    char type[48]; /* media type */
    sdimage_size size;
    sdimage_orientation orientation;
    bool has_date;
    int64_t taken_ns;
} sdphoto_facts;

/* Immutable once it is known to others. */
struct sdimage_photos_asset {
    sdphoto_object object;
    sdphoto_facts facts;
    sdimage_photos_origin origin;
    int64_t modified_ns;
    uint64_t file_size;
    int32_t rating;
    uint64_t library; /* the host's library that brings it; 0: a file, or not said */
    char *identifier, *path, *name;
    char **albums;
    size_t album_count, album_capacity;
};

/* With copies of the texts; NULL when memory is refused. */
sdimage_photos_asset *sdphoto_asset_new(const char *identifier, const char *path, const char *name);
/* For whom it belongs to alone. */
bool sdphoto_asset_add_album(sdimage_photos_asset *asset, const char *album);
sdimage_photos_asset *sdphoto_asset_copy(const sdimage_photos_asset *asset);

struct sdimage_photos_list {
    sdphoto_object object;
    sdimage_photos_asset **assets;
    size_t count, total;
};

/* Those of `assets` that are wanted, in their order; they are referenced. */
sdimage_status sdphoto_list_new(sdimage_photos_asset *const *assets, size_t count,
                                const sdimage_photos_fetch_options *options, sdimage_photos_list **list,
                                sdimage_error **error);

#endif
