/* exif.h: the parts of an EXIF block that a photo library uses: the date and the embedded thumbnail. */
#ifndef SDPHOTO_EXIF_H
#define SDPHOTO_EXIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sdphoto_exif {
    uint16_t orientation; /* 0: not specified */
    bool has_date;
    int64_t taken_ns; /* nanoseconds since 1970, UTC */
    /* A JPEG inside the block; NULL when there is none. */
    const uint8_t *thumbnail;
    size_t thumbnail_length;
} sdphoto_exif;

/* Reads a TIFF structure, with or without "Exif" before it. Damaged parts count as absent. */
sdphoto_exif sdphoto_exif_read(const void *bytes, size_t length);

#endif
