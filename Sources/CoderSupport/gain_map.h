/* gain_map.h: the gain map of an image that a module has decoded. */
#ifndef SDCS_GAIN_MAP_H
#define SDCS_GAIN_MAP_H

#include <sdimage/gain_map.h>

#include "image.h"

/* Reports that the gain map of the file matters: the request needs it, or the base image is HDR, and the map leads to
 * its rendition in SDR. */
bool sdcs_needs_gain_map(const sdcs_request *request, const sdimage_image *base);

/* Returns the request for the samples of a map. */
sdcs_request sdcs_gain_map_request(const sdcs_request *request);

/* Ends the attempt to use the map of a file. Replaces the image by one with the map; after a failure the image stays as
 * it is, and the log has the error. Releases the error. */
void sdcs_finish_gain_map(sdimage_image **image, const sdimage_gain_map *map, sdimage_error *why);

/* Makes samples that stand for those of a map in a description of the header. */
sdimage_status sdcs_gain_map_placeholder(sdimage_image **samples, sdimage_error **error);

#endif
