/* input.h: what libtiff reads: bytes in memory, or a source; and what it says of them. */
#ifndef SDTIFF_INPUT_H
#define SDTIFF_INPUT_H

#include <sdimage/source.h>
#include <tiffio.h>

#include "../../Modules/common/picture.h"
#include "../common/clock.h"

typedef struct sdtiff_input {
    const uint8_t *bytes;         /* NULL for a source */
    const sdimage_source *source; /* borrowed */
    uint64_t length, at;
    sdplug_deadline deadline; /* looked at before each read: walking directories is nothing but reads */
    bool is_short;            /* something was to be read that lies behind the end */
    sdimage_error *broken;    /* the source's own error */
    char message[160];        /* libtiff's first complaint */
    TIFF *file;
} sdtiff_input;

/* Reads the first directory; to be closed, also after a failure. Nothing is printed. */
sdimage_status sdtiff_open_bytes(sdtiff_input *input, const void *bytes, size_t length, sdplug_deadline deadline,
                                 sdimage_error **error);
sdimage_status sdtiff_open_source(sdtiff_input *input, const sdimage_source *source, sdplug_deadline deadline,
                                  sdimage_error **error);
void sdtiff_close(sdtiff_input *input);

/* What went wrong when libtiff failed: CANCELLED or TIMEOUT where the work must end, TRUNCATED where it came to the
   end, else `status`, in its own words. */
sdimage_status sdtiff_fail(sdtiff_input *input, sdimage_status status, const char *otherwise, sdimage_error **error);

#endif
