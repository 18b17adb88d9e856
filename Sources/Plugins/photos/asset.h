/* asset.h: the data of one photo. */
#ifndef SDPHOTO_ASSET_H
#define SDPHOTO_ASSET_H

#include <sdimage/plugins/photos.h>

#include "object.h"

/* Properties from the first bytes of a file, or from a database. */
typedef struct sdphoto_info {
    sdimage_photos_media media; /* 0: not a photo */
    sdimage_photos_playback playback;
    sdimage_format format;
    char type[48]; /* media type */
    sdimage_size size;
    sdimage_orientation orientation;
    bool has_date;
    int64_t taken_ns;
} sdphoto_info;

/* Immutable once published. */
struct sdimage_photos_asset {
    sdphoto_object object;
    sdphoto_info info;
    sdimage_photos_origin origin;
    int64_t modified_ns;
    uint64_t file_size;
    int32_t rating;
    uint64_t library; /* the host's library that provides it; 0: a file, or unspecified */
    char *identifier, *path, *name;
    char **albums;
    size_t album_count, album_capacity;
};

/* Copies the texts; NULL if memory is exhausted. */
sdimage_photos_asset *sdphoto_asset_new(const char *identifier, const char *path, const char *name);
/* Requires that the asset is not yet shared. */
bool sdphoto_asset_add_album(sdimage_photos_asset *asset, const char *album);
sdimage_photos_asset *sdphoto_asset_copy(const sdimage_photos_asset *asset);

#endif
