/* thumbnail.h: small pictures that are there already: of the freedesktop thumbnail specification (version 0.9), or in
 * EXIF. */
#ifndef SDPHOTO_THUMBNAIL_H
#define SDPHOTO_THUMBNAIL_H

#include <sdimage/coder.h>

#include "asset.h"

/* The thumbnail of a file in the user's cache that was made of it as it is: URI and time agree. The smallest that is
 * `side` pixels long, else the longest. NULL when there is none. */
sdimage_image *sdphoto_thumbnail_find(const char *path, int64_t modified_ns, uint32_t side);

/* The small picture in the EXIF block of the beginning of a file, turned upright; NULL when there is none, or its shape
 * is not that of the picture. */
sdimage_image *sdphoto_thumbnail_in_exif(const void *head, size_t length, const sdphoto_facts *facts);

/* The values of Thumb::URI and Thumb::MTime in a PNG; false where one is missing. `uri` has room for `room` bytes. */
bool sdphoto_thumbnail_texts(const uint8_t *bytes, size_t length, char *uri, size_t room, int64_t *seconds);

/* Bytes that are being put together, to be freed. */
typedef struct sdphoto_buffer {
    uint8_t *bytes;
    size_t length, capacity;
    bool has_failed;
} sdphoto_buffer;

/* A PNG with what there is to say of an asset; false where it is none, or memory is refused. */
bool sdphoto_thumbnail_put_texts(sdphoto_buffer *made, const sdimage_data *png, const sdimage_photos_asset *asset,
                                 const char *uri);

/* Thumb::MTime of a time, rounded down. */
int64_t sdphoto_thumbnail_seconds(int64_t nanoseconds);

/* A folder below XDG_CACHE_HOME, or ~/.cache; to be freed. NULL without either, or when memory is refused. */
char *sdphoto_cache_folder(const char *name);

#endif
