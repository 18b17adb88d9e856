/* gain_map.h: the gain map of an image that a module has decoded.
 *
 * A coder decodes the base image first, then asks sdcs_needs_gain_map. A map that cannot be used never fails the
 * decode. */
#ifndef SDCS_GAIN_MAP_H
#define SDCS_GAIN_MAP_H

#include <sdimage/gain_map.h>

#include "image.h"

/* Reports that the gain map of the file is needed: for the request, or to reduce an HDR base image to SDR. */
bool sdcs_needs_gain_map(const sdcs_request *request, const sdimage_image *base);

/* Returns the request for the samples of a map. */
sdcs_request sdcs_gain_map_request(const sdcs_request *request);

/* Checks that the samples of a map lie over the stored base image. Writers may leave out the rotation of the map. */
sdimage_status sdcs_check_gain_map(sdimage_orientation samples, sdimage_orientation image, sdimage_error **error);

/* Ends the attempt to use the map of a file. Replaces the image by one with the map; after a failure the image stays as
 * it is, and the log has the error. Releases the error. */
void sdcs_finish_gain_map(sdimage_image **image, const sdimage_gain_map *map, sdimage_error *why);

/* Makes samples that stand for those of a map in a description of the header. The description of a map needs an image,
 * and no pixels: one gray sample. */
sdimage_status sdcs_gain_map_placeholder(sdimage_image **samples, sdimage_error **error);

#endif
