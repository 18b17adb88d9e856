/* heif.h: the coder of the HEIF module, lib/sdimage/1/heif.so: HEIC and HEIF stills, by libde265; stills composed of
 * several images by libheif.
 *
 * Programs do not need this header: the built-in coder "heif" opens the module at the first HEIC or HEIF image. It is
 * for programs that link or open the module themselves. */
#ifndef SDIMAGE_PLUGINS_HEIF_H
#define SDIMAGE_PLUGINS_HEIF_H

#include "../coder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the coder, to be registered or used by name. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_heif_coder_new(sdimage_coder **coder, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
