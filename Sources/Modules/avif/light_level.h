/* light_level.h: the light level in AVIF files of libavif before 1.0, whose encoder cannot write it. */
#ifndef SDAVIF_LIGHT_LEVEL_H
#define SDAVIF_LIGHT_LEVEL_H

#include <avif/avif.h>
#include <sdimage/error.h>

/* Adds a property `clli` (ISO/IEC 14496-12, 12.1.6) of the primary item to a file that libavif has written: its
 * properties precede the data, are associated by 8-bit numbers, and extents have 32-bit offsets. Both levels are in
 * cd/m² and below 65536. Replaces the bytes of `file`. Errors: NO_MEMORY; ENCODE_FAILED for another layout. */
sdimage_status sdavif_add_light_level(avifRWData *file, uint32_t max_content, uint32_t max_frame_average,
                                      sdimage_error **error);

#endif
