/* file.h: the frames and metadata boxes of a JPEG XL file, read without decoding pixels. */
#ifndef SDJXL_FILE_H
#define SDJXL_FILE_H

#include "decoder.h"

/* Contents of a metadata box, decompressed. `room`: capacity in bytes. */
typedef struct sdjxl_block {
    uint8_t *bytes;
    size_t length, room;
} sdjxl_block;

/* Results of the walk. */
typedef struct sdjxl_file {
    JxlBasicInfo info;
    uint32_t count;        /* frames that are shown; 1 for a still */
    bool is_whole;         /* the last frame was read */
    uint32_t *durations;   /* milliseconds */
    uint64_t duration_ms;  /* their sum */
    sdjxl_block exif, xmp; /* empty if missing or not requested */
} sdjxl_file;

/* Reads the whole file and checks the deadline before each frame and box. The caller closes it, also after a failure.
 * Errors: BAD_DATA, TRUNCATED, TOO_LARGE (frames, boxes), CANCELLED, TIMEOUT, NO_MEMORY. */
sdimage_status sdjxl_file_read(sdjxl_file *file, const void *bytes, size_t length, bool with_blocks,
                               sdcs_deadline deadline, sdimage_error **error);
void sdjxl_file_close(sdjxl_file *file);

#endif
