/* input.h: the input of libtiff (bytes in memory or a source) and its errors. */
#ifndef SDTIFF_INPUT_H
#define SDTIFF_INPUT_H

#include <sdimage/sys/source.h>
#include <tiffio.h>

#include "image.h"
#include "deadline.h"

/* An open file. Used by one thread at a time. */
typedef struct sdtiff_input {
    const uint8_t *bytes;         /* NULL for a source */
    const sdimage_source *source; /* borrowed */
    uint64_t length, at;          /* bytes: the size of the input, and the offset of the next read */
    sdcs_deadline deadline;       /* checked before each read: walking directories only reads */
    uint64_t allowance;           /* bytes that may still be read: limited while a directory is read */
    bool is_exhausted;            /* a read exceeded the allowance */
    bool is_truncated;            /* a read went beyond the end */
    sdimage_error *source_error;  /* the source's own error */
    char message[160];            /* libtiff's first error message */
    uint32_t warnings;            /* number of libtiff's warnings; fax.c resets it before each trial */
    TIFF *file;                   /* NULL if it could not be opened */
} sdtiff_input;

/* Reads the first directory. The caller closes the input, also after a failure. Nothing is printed. */
sdimage_status sdtiff_open_bytes(sdtiff_input *input, const void *bytes, size_t length, sdcs_deadline deadline,
                                 sdimage_error **error);
sdimage_status sdtiff_open_source(sdtiff_input *input, const sdimage_source *source, sdcs_deadline deadline,
                                  sdimage_error **error);
void sdtiff_close(sdtiff_input *input);

/* Reads the directory of a page. Errors: INVALID_ARGUMENT if there is none, TOO_LARGE, those of the source. */
sdimage_status sdtiff_turn_to(sdtiff_input *input, uint32_t page, sdimage_error **error);

/* Reports a failure of libtiff: CANCELLED or TIMEOUT if the work must end, TOO_LARGE for a directory above its limit,
 * TRUNCATED if a read went beyond the end, otherwise `status` with libtiff's message. */
sdimage_status sdtiff_fail(sdtiff_input *input, sdimage_status status, const char *otherwise, sdimage_error **error);

#endif
