/* tiff.h: the coder of the plug-in libsdimage-tiff.so.1: TIFF and BigTIFF, by libtiff.
 *
 * Link it, or let sdimage_plugins_load_all (plugins.h) find it:
 *
 *   if (sdimage_tiff_coder_new(&coder, &error) == SDIMAGE_STATUS_OK)
 *       sdimage_coder_register(coder, &error);
 *   sdimage_coder_unref(coder);
 *
 * Decodes strips and tiles of every compression that the installed libtiff has; grey, RGB, palettes, CMYK (by its
 * profile), YCbCr, CIE L*a*b* and LogLuv; integers of 1 to 32 bits, of which 16 are kept; floating-point samples as
 * linear light in RGBA_FLOAT; alpha of both kinds. Large pictures are read row by row or tile by tile: a thumbnail
 * never takes the memory of the whole bitmap, and may be of a picture of up to 2^30 pixels.
 *
 * A TIFF of several pages is a still, not an animation: its first page, or the one that the options ask for. */
#ifndef SDIMAGE_PLUGINS_TIFF_H
#define SDIMAGE_PLUGINS_TIFF_H

#include "../coder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A coder to be registered, or asked by name. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_tiff_coder_new(sdimage_coder **coder, sdimage_error **error);

/* An int64 in the options of a request or of a decode: the page to decode, counted from 0. Default 0. A page that is
 * not there is INVALID_ARGUMENT. Pages of one URL are kept apart only by cache keys of their own
 * (sdimage_request_set_cache_key). */
#define SDIMAGE_TIFF_PAGE "tiff.page"

/* Pages behind this number are not looked at. */
#define SDIMAGE_TIFF_MAX_PAGES 10000

/* How many pages there are; 0 for what is no TIFF. Reads directories only. */
SDIMAGE_API uint32_t sdimage_tiff_page_count(const void *bytes, size_t length);

/* The version of libtiff in use, "4.5.0". Static. */
SDIMAGE_API const char *sdimage_tiff_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
