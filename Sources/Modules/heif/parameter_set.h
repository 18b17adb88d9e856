/* parameter_set.h: the size that a sequence parameter set announces (ITU-T H.265, 7.3.2.2). */
#ifndef SDHEIF_PARAMETER_SET_H
#define SDHEIF_PARAMETER_SET_H

#include "boxes.h"

/* Reports that a unit of the stream is a sequence parameter set. */
bool sdheif_is_parameter_set(sdcs_span unit);

/* Reads the size of the pictures, in whole blocks; false for a set that cannot be parsed. */
bool sdheif_read_parameter_set(sdcs_span unit, uint32_t *width, uint32_t *height);

#endif
