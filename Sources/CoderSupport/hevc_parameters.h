/* hevc_parameters.h: the size and format that a sequence parameter set announces (ITU-T H.265, 7.3.2.2). */
#ifndef SDCS_HEVC_PARAMETERS_H
#define SDCS_HEVC_PARAMETERS_H

#include "span.h"

/* The pictures of a stream. The size is in whole blocks; `chroma_format`: 0 gray, 1 4:2:0, 2 4:2:2, 3 4:4:4. */
typedef struct sdcs_hevc_parameters {
    uint32_t width, height, chroma_format, depth, chroma_depth;
} sdcs_hevc_parameters;

/* Reports that a unit of the stream is a sequence parameter set. */
bool sdcs_is_hevc_parameters(sdcs_span unit);

/* Reads the first fields; false for a set that cannot be parsed. */
bool sdcs_read_hevc_parameters(sdcs_span unit, sdcs_hevc_parameters *parameters);

#endif
