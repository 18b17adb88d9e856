/* packet.h: limits on coded data, checked before libavcodec reads it. */
#ifndef SDAV_PACKET_H
#define SDAV_PACKET_H

#include "movie.h"

/* Checks the configuration of a track before its decoder reads it. Errors: TOO_LARGE, for H.264 and H.265: more than
 * 16384 NAL units, or 1 MiB of supplemental enhancement information; for H.265 also pictures beyond max_pixels. */
sdimage_status sdav_check_configuration(const sdav_movie *movie, const uint8_t *bytes, size_t length,
                                        sdimage_error **error);

/* Returns the bytes of 4 pixels in the format that the configuration of an AV1 track announces, at least 12. */
uint32_t sdav_announced_bytes(const AVCodecParameters *track);

/* Checks movie->packet before it is decoded. Errors: TOO_LARGE as above; BAD_DATA for AV1 whose pixels take more bytes
 * than announced. */
sdimage_status sdav_check_packet(const sdav_movie *movie, sdimage_error **error);

#endif
