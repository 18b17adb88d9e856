/* tiff.h: the coder of the plug-in libsdimage-tiff.so.1: TIFF and BigTIFF, by libtiff.
 *
 * Link it, or let sdimage_plugins_load_all (plugins.h) find it:
 *
 *   if (sdimage_tiff_coder_new(&coder, &error) == SDIMAGE_STATUS_OK)
 *       sdimage_coder_register(coder, &error);
 *   sdimage_coder_unref(coder); */
#ifndef SDIMAGE_PLUGINS_TIFF_H
#define SDIMAGE_PLUGINS_TIFF_H

#include "../coder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A coder to be registered, or asked by name. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_tiff_coder_new(sdimage_coder **coder, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
