/* read.h: the pixels of a directory, strip by strip or tile by tile. */
#ifndef SDTIFF_READ_H
#define SDTIFF_READ_H

#include "deadline.h"
#include "layout.h"

/* The request for one image. `accepts_partial`: damage is no error if a part can be read. */
typedef struct sdtiff_request {
    sdcs_request image;
    bool accepts_partial;
    sdcs_deadline deadline;
} sdtiff_request;

/* Decodes the current directory to an image without metadata. Errors: BAD_DATA, TRUNCATED, TOO_LARGE, TIMEOUT,
 * UNSUPPORTED, NO_MEMORY. With `accepts_partial` the part before the damage is a success. */
sdimage_status sdtiff_read(sdtiff_input *input, const sdtiff_layout *layout, const sdtiff_request *request,
                           sdimage_image **image, sdimage_error **error);

#endif
