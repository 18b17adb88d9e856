/* parameter_set.h: the size and format that a sequence parameter set announces (ITU-T H.265, 7.3.2.2). */
#ifndef SDHEIF_PARAMETER_SET_H
#define SDHEIF_PARAMETER_SET_H

#include "boxes.h"

/* The pictures of a stream. The size is in whole blocks; `chroma_format` is that of sdheif_configuration. */
typedef struct sdheif_parameters {
    uint32_t width, height, chroma_format, depth, chroma_depth;
} sdheif_parameters;

/* Reports that a unit of the stream is a sequence parameter set. */
bool sdheif_is_parameter_set(sdcs_span unit);

/* Reads the first fields; false for a set that cannot be parsed. */
bool sdheif_read_parameter_set(sdcs_span unit, sdheif_parameters *parameters);

#endif
