/* file.h: what a JPEG XL file says beside its pixels: its frames and its boxes. No pixel is decoded. */
#ifndef SDJXL_FILE_H
#define SDJXL_FILE_H

#include "decoder.h"

typedef struct sdjxl_block {
    uint8_t *bytes;
    size_t length, room;
} sdjxl_block;

typedef struct sdjxl_file {
    JxlBasicInfo info;
    uint32_t count;      /* frames that are shown; 1 for a still */
    bool is_whole;       /* the last frame was seen */
    uint32_t *durations; /* milliseconds */
    uint64_t duration_ms;
    sdjxl_block exif, xmp; /* empty where there are none, and unless they were asked for */
} sdjxl_file;

/* Reads all of a file, with a look at the deadline before each frame and box; to be closed, also after a failure.
 * Errors: BAD_DATA, TRUNCATED, TOO_LARGE (frames, boxes), CANCELLED, TIMEOUT, NO_MEMORY. */
sdimage_status sdjxl_file_read(sdjxl_file *file, const void *bytes, size_t length, bool with_blocks,
                               sdplug_deadline deadline, sdimage_error **error);
void sdjxl_file_close(sdjxl_file *file);

#endif
