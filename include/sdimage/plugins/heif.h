/* heif.h: the coder of the HEIF module, lib/sdimage/1/heif.so: HEIC and HEIF stills, by libde265; those that are put
 * together of others by libheif.
 *
 * Programs do not need it: the built-in coder "heif" opens the module when it first sees HEIC or HEIF. It is for those
 * who link or open the module themselves. */
#ifndef SDIMAGE_PLUGINS_HEIF_H
#define SDIMAGE_PLUGINS_HEIF_H

#include "../coder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A coder to be registered, or asked by name. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_heif_coder_new(sdimage_coder **coder, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
