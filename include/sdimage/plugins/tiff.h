/* tiff.h: the coder of the plug-in libsdimage-tiff.so.1: TIFF and BigTIFF, by libtiff.
 *
 * Link it, or load it with sdimage_plugins_load_all (coder.h):
 *
 *   if (sdimage_tiff_coder_new(&coder, &error) == SDIMAGE_STATUS_OK)
 *       sdimage_coder_register(coder, &error);
 *   sdimage_coder_unref(coder);
 *
 * Decodes strips and tiles of every compression that the installed libtiff has:
 *
 * - gray, RGB, palettes, CMYK (by its profile), YCbCr, CIE L*a*b* and LogLuv;
 * - integers of 1 to 32 bits, reduced to at most 16;
 * - floating-point samples as linear light in RGBA_FLOAT;
 * - straight and premultiplied alpha.
 *
 * Large images are read row by row or tile by tile: a thumbnail never needs the memory of the whole bitmap, and its
 * image may have up to 2^30 pixels.
 *
 * A TIFF of several pages is a still, not an animation: its first page, or the one that the options select. */
#ifndef SDIMAGE_PLUGINS_TIFF_H
#define SDIMAGE_PLUGINS_TIFF_H

#include "../coder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the coder, to be registered or used by name. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_tiff_coder_new(sdimage_coder **coder, sdimage_error **error);

/* Option of a request or a decode, an int64: the page to decode, counted from 0. Default 0. A page that does not exist
 * is INVALID_ARGUMENT. Pages of the same URL need cache keys of their own (sdimage_request_set_cache_key). */
#define SDIMAGE_TIFF_PAGE "tiff.page"

/* Maximum number of pages; later ones are ignored. */
#define SDIMAGE_TIFF_MAX_PAGES 10000

/* Number of pages; 0 if the bytes are damaged or no TIFF, or another coder or none is registered for them. Reads
 * directories only, like header information (sdimage_info_new), also in its time limit, and in a worker process if the
 * process has isolation (isolation.h). */
SDIMAGE_API uint32_t sdimage_tiff_page_count(const void *bytes, size_t length);

/* Version of libtiff in use, "4.5.0". Static. */
SDIMAGE_API const char *sdimage_tiff_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
