/* thumbnail.h: existing small images: those of the freedesktop thumbnail specification (version 0.9), or in EXIF. */
#ifndef SDPHOTO_THUMBNAIL_H
#define SDPHOTO_THUMBNAIL_H

#include <sdimage/coder.h>

#include "asset.h"

/* Returns the thumbnail of a file in the user's cache if its URI and time match the file: the smallest one with a side
 * of at least `side` pixels, else the largest. NULL for none. */
sdimage_image *sdphoto_thumbnail_find(const char *path, int64_t modified_ns, uint32_t side);

/* Returns the thumbnail in the EXIF block at the beginning of a file, turned upright; NULL if there is none, or its
 * aspect ratio differs from the image. */
sdimage_image *sdphoto_thumbnail_in_exif(const void *head, size_t length, const sdphoto_info *info);

/* Reads Thumb::URI and Thumb::MTime from a PNG; false if one is missing. `uri` has room for `room` bytes. */
bool sdphoto_thumbnail_texts(const uint8_t *bytes, size_t length, char *uri, size_t room, int64_t *seconds);

/* A growing buffer; the caller frees the bytes. */
typedef struct sdphoto_buffer {
    uint8_t *bytes;
    size_t length, capacity;
    bool has_failed;
} sdphoto_buffer;

/* Makes a PNG with the texts of an asset; false if `png` is not a PNG, or memory is exhausted. */
bool sdphoto_thumbnail_put_texts(sdphoto_buffer *made, const sdimage_data *png, const sdimage_photos_asset *asset,
                                 const char *uri);

/* Converts a time to Thumb::MTime, rounded down. */
int64_t sdphoto_thumbnail_seconds(int64_t nanoseconds);

/* Returns a folder below XDG_CACHE_HOME or ~/.cache, to be freed. NULL without either, or if memory is exhausted. */
char *sdphoto_cache_folder(const char *name);

#endif
