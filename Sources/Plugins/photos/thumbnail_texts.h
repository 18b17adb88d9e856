/* thumbnail_texts.h: the texts in a PNG thumbnail that identify its file. */
#ifndef SDPHOTO_THUMBNAIL_TEXTS_H
#define SDPHOTO_THUMBNAIL_TEXTS_H

#include <sdimage/data.h>

#include "asset.h"

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

#endif
