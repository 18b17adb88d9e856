/* avif.h: the coder of the AVIF module, lib/sdimage/1/avif.so: stills and sequences, by libavif.
 *
 * Programs do not need it: the built-in coder "avif" opens the module when it first sees AVIF. It is for those who link
 * or open the module themselves. */
#ifndef SDIMAGE_PLUGINS_AVIF_H
#define SDIMAGE_PLUGINS_AVIF_H

#include "../coder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A coder to be registered, or asked by name. Errors: NO_MEMORY. */
SDIMAGE_API sdimage_status sdimage_avif_coder_new(sdimage_coder **coder, sdimage_error **error);

#ifdef __cplusplus
}
#endif

#endif
