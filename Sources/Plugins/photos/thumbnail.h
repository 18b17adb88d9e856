/* thumbnail.h: existing small images: those of the freedesktop thumbnail specification (version 0.9), or in EXIF. */
#ifndef SDPHOTO_THUMBNAIL_H
#define SDPHOTO_THUMBNAIL_H

#include <sdimage/sys/coder.h>

#include "asset.h"

/* Returns the thumbnail of a file in the user's cache if its URI and time match the file: the smallest one with a side
 * of at least `side` pixels, else the largest. NULL for none. */
sdimage_image *sdphoto_thumbnail_find(const char *path, int64_t modified_ns, uint32_t side);

/* Returns the thumbnail in the EXIF block at the beginning of a file, turned upright; NULL if there is none, or its
 * aspect ratio differs from the image. */
sdimage_image *sdphoto_thumbnail_in_exif(const void *head, size_t length, const sdphoto_info *info);

#endif
